/* SPDX-License-Identifier: MIT */
/* How the cells of a frame look. Only core/sim/view.c uses it. */
#ifndef CALAB_CORE_SIM_APPEARANCE_H
#define CALAB_CORE_SIM_APPEARANCE_H

#include "core/model/view_bins.h"
#include "core/sim/simulation.h"

struct view_looks {
    const struct ca_model *model;
    float low, high;
    struct ca_appearances of; /* of u8 models, where they are known beforehand; else radix is 0 */
};

void view_looks_make(struct view_looks *looks, const struct ca_simulation *simulation);
/* The look of the cell at index i, by the model; its level is in 0 ... 1. */
struct ca_appearance view_look(const struct view_looks *looks, const void *const planes[],
                               int64_t i);

#endif
