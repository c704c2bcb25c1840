/* SPDX-License-Identifier: MIT */
/* The device as the engine last described it, for device_facts.c and its panel alone. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_DEVICE_INSIDE_H
#define CALAB_TUI_WORKBENCH_ENGINE_DEVICE_INSIDE_H

#include "core/machine/device.h"
#include "core/machine/interference.h"
#include "core/model/ranks.h"
#include "tui/workbench/engine/engine_list.h"

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
