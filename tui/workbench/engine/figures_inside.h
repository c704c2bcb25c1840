/* SPDX-License-Identifier: MIT */
/* The times, observables and device of a pane, for frame.c, engine_list.c and their panels alone.
 */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_FIGURES_INSIDE_H
#define CALAB_TUI_WORKBENCH_ENGINE_FIGURES_INSIDE_H

#include "core/machine/device.h"
#include "core/machine/interference.h"
#include "core/model/model.h"
#include "core/model/ranks.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/terminal/timeline.h"

struct figures {
    struct ca_wire_timing timing;
    uint64_t asked;        /* generations of a call of the last burst that was asked for, 0: none */
    char before[160];      /* what the backend before was able to, "" */
    struct history step_s; /* device time per generation between two frames */
    struct ca_disturbance others; /* those who disturbed bursts */
    uint64_t disturbed_at;        /* the generation of the last of these bursts */
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

struct device {
    bool known;
    int count;
    struct ca_device facts[CA_RANKS_MAX];
    char
        ceilings_others[CA_DISTURBANCE_TEXT]; /* disturbed the ceilings' measurement, "": nothing */
    struct ca_fact joules;                    /* per 10^9 cell updates */
    bool due;                                 /* it is to be asked for */
    double asked;                             /* the time of the last request */
};

struct device *device_of(const struct pane *pane);
/* Asks for the device's state: once a second while the simulation runs, and once when its panel
 * appears. */
double device_tick(struct pane *pane, double now);

#endif
