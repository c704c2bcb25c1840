/* SPDX-License-Identifier: MIT */
/*
 * Measurements: quantities of a model that follow from how a wave decays or oscillates, and what
 * theory says of them. A model has a const table of them.
 */
#ifndef CALAB_CORE_MODEL_MEASUREMENT_H
#define CALAB_CORE_MODEL_MEASUREMENT_H

#include "core/model/model.h"

/* The wave's amplitude a(t), and the quantity by its wave number k, in 1/cells. */
enum ca_wave {
    CA_WAVE_DECAYS,     /* exp(-g t): g / k^2, a diffusivity */
    CA_WAVE_OSCILLATES, /* cos(w t), damped: w / k, a speed */
};

struct ca_measurement {
    const char *name;  /* of one word */
    const char *title; /* one line */
    const char *unit;
    enum ca_wave wave;
    const char *start; /* of the model: a wave of one length along the lattice */
    const char *field; /* whose wave is followed, and its component */
    int component;
    bool down; /* the wave runs down the rows; otherwise along them */
    /* CA_USAGE where the setup does not have such a wave. */
    enum ca_status (*check)(const struct ca_setup *setup, struct ca_error *error);
    double (*length)(const struct ca_setup *setup); /* of the wave, in cells */
    double (*theory)(const struct ca_setup *setup);
    double low, high; /* the allowed range of what is measured, by what theory says */
};

#endif
