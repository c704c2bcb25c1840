/* SPDX-License-Identifier: MIT */
/*
 * Measurements: quantities of a model that follow from how a wave decays or oscillates, or how
 * often a flow sheds vortices, and what theory says of them. A model has a const table of them.
 */
#ifndef CALAB_CORE_MODEL_MEASUREMENT_H
#define CALAB_CORE_MODEL_MEASUREMENT_H

#include "core/model/model.h"

/* The wave's amplitude a(t), and the quantity by its wave number k, in 1/cells. */
enum ca_wave {
    CA_WAVE_DECAYS,     /* exp(-g t): g / k^2, a diffusivity */
    CA_WAVE_OSCILLATES, /* cos(w t), damped: w / k, a speed */
    CA_WAVE_SHEDS,      /* a line at frequency f in the spectrum of an observable: f length / speed,
                           a Strouhal number */
};

struct ca_measurement {
    const char *name;  /* of one word */
    const char *title; /* one line */
    const char *unit;
    enum ca_wave wave;
    /* For waves in the lattice: a start of the model with one, which is as long as the lattice. */
    const char *start;
    const char *field; /* whose wave is followed, and its component; an observable that sheds */
    int component;
    bool down; /* the wave runs down the rows; otherwise along them */
    /* CA_USAGE where the setup does not have such a wave. */
    enum ca_status (*check)(const struct ca_setup *setup, struct ca_error *error);
    double (*length)(const struct ca_setup *setup); /* of the wave or the obstacle, in cells */
    /* For flows that shed vortices: the speed of the flow by the mean of the observables. */
    double (*speed)(const struct ca_setup *setup, const double observables[]);
    double (*theory)(const struct ca_setup *setup);
    double low, high; /* the allowed range of what is measured, by what theory says */
};

#endif
