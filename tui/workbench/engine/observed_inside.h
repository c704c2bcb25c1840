/* SPDX-License-Identifier: MIT */
/* The values, for observed.c and their panel alone. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_OBSERVED_INSIDE_H
#define CALAB_TUI_WORKBENCH_ENGINE_OBSERVED_INSIDE_H

#include "core/model/model.h"
#include "tui/workbench/engine/observed.h"
#include "tui/workbench/terminal/timeline.h"

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
