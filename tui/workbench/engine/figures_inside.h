/* SPDX-License-Identifier: MIT */
/* The times and observables of a pane, for figures.c and their panels alone. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_FIGURES_INSIDE_H
#define CALAB_TUI_WORKBENCH_ENGINE_FIGURES_INSIDE_H

#include "core/machine/interference.h"
#include "core/model/model.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/terminal/plot.h"

struct figures {
    struct ca_wire_timing timing;
    uint64_t asked;        /* generations of a call of the last burst that was asked for, 0: none */
    char before[160];      /* what the backend before was able to, "" */
    struct history step_s; /* device time per generation between two frames */
    struct ca_disturbance others; /* those who disturbed bursts */
    double again;                 /* ca_now() before which no other burst is asked for */
};

struct figures *figures_of(const struct pane *pane);

struct observed {
    bool known;
    uint64_t generation;
    double seconds; /* that the values took, NAN: unknown */
    bool in_place;  /* the backend computed them where the state is */
    double value[CA_OBSERVABLES_MAX];
    int broken;
    struct timeline timeline; /* of the whole run */
};

struct observed *observed_of(const struct pane *pane);

#endif
