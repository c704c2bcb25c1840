/* SPDX-License-Identifier: MIT */
/* The observables of a run, as its engine has sent them. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_OBSERVED_H
#define CALAB_TUI_WORKBENCH_ENGINE_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/model.h"
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

#endif
