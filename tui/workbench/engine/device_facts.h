/* SPDX-License-Identifier: MIT */
/* The device, or several GPUs, as the engine last described them. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_DEVICE_FACTS_H
#define CALAB_TUI_WORKBENCH_ENGINE_DEVICE_FACTS_H

#include "core/machine/device.h"
#include "core/machine/interference.h"
#include "core/model/ranks.h"

struct pane;

struct device {
    bool known;
    int count;
    struct ca_device facts[CA_RANKS_MAX];
    char
        ceilings_others[CA_DISTURBANCE_TEXT]; /* disturbed the ceilings' measurement, "": nothing */
    struct ca_fact joules;                    /* per 10^9 cell updates */
};

/* The engine reads the ceilings of its device anew. */
void device_renew(struct pane *pane);

#endif
