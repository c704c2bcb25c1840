/* SPDX-License-Identifier: MIT */
/* The appearances of a picture's cells. Only core/sim/view.c and snapshot.c use it. */
#ifndef CALAB_CORE_SIM_APPEARANCE_H
#define CALAB_CORE_SIM_APPEARANCE_H

#include "core/model/view_bins.h"
#include "core/sim/simulation.h"

struct view_appearances {
    const struct ca_model *model;
    float low, high;
    struct ca_appearances u8; /* of all cells that a u8 model can have; radix 0: not tabulated */
};

void view_appearances_make(struct view_appearances *appearances,
                           const struct ca_simulation *simulation);
/* The appearance that the model gives the cell at index i, its level clamped to 0 ... 1. */
struct ca_appearance view_appearance(const struct view_appearances *appearances,
                                     const void *const planes[], int64_t i);

#endif
