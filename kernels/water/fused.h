/* SPDX-License-Identifier: MIT */
/*
 * The fused stepper of water, for backends that take a vector of cells at a time: both passes in
 * one walk over the rows, in place.
 *
 * Best levels of row y + 1 are made just before the new levels of row y, so that those of three
 * rows are all that is ever kept, and the old levels that they are made from are still there:
 *
 *     row y - 1   new levels
 *     row y       best levels kept   <- new levels are written here, from the three best rows
 *     row y + 1   best levels made      and the row's own old levels
 *     row y + 2   old levels
 *
 * Each member of the team walks a band of rows. Where the next band begins, it makes best levels
 * of a row beyond its own, from copies of the two rows on either side that their owners put aside
 * at the end of each generation, in turns in two places, so that one barrier a generation is
 * enough.
 *
 * Rows are padded with infinite levels, which sort to the end and stop the search for the best
 * level, as no neighbour does. A row of no sources is known as such and its sources are not read.
 */
#ifndef CALAB_KERNELS_WATER_FUSED_H
#define CALAB_KERNELS_WATER_FUSED_H

#include "core/model/model.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/water/rule.h"

#define FUSED_PAD 16 /* floats before and, at least, after each row: the widest vector */

/* Floats from row to row, of all planes. */
static inline int64_t fused_stride(int64_t w)
{
    return FUSED_PAD + (w + FUSED_PAD - 1) / FUSED_PAD * FUSED_PAD;
}

/* A row's new levels, and what they are made from. */
struct fused_row {
    int64_t w;
    const float *terrain, *source;               /* source NULL: none but zeros in this row */
    const float *best_north, *best, *best_south; /* north, south NULL: the row does not exist */
    float *level;
    enum water_mode mode;
};

struct fused_ops {
    /* Best levels of a row of w cells from its levels and those of the rows beside. */
    void (*best)(float *best, const float *terrain, const float *north, const float *level,
                 const float *south, int64_t w);
    void (*level)(const struct fused_row *row);
};

/* `ops` is a struct fused_ops. */
extern const struct ca_stepper water_fused_stepper;

#endif
