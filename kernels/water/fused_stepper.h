/* SPDX-License-Identifier: MIT */
/*
 * The fused stepper of water, for backends that take a vector of cells at a time: both passes in
 * one walk over the rows, in place.
 *
 * Best levels of row y + 1 are made just before the new levels of row y, so only those of three
 * rows are kept, and the old levels that they are made from are not overwritten yet:
 *
 *     row y - 1   new levels
 *     row y       best levels kept   <- new levels are written here, from the three best rows
 *     row y + 1   best levels made      and the row's own old levels
 *     row y + 2   old levels
 *
 * Each worker of the thread pool owns a band of rows. At the end of each generation it copies its
 * first two and last two rows, double-buffered, so that one barrier a generation is enough: from
 * the copies of the neighbouring bands it makes the best levels of the row beyond each end of its
 * own.
 *
 * Rows are padded with infinite levels, which no neighbour has: they sort to the end and stop the
 * search for the best level. The sources of a row that has none are not read.
 */
#ifndef CALAB_KERNELS_WATER_FUSED_STEPPER_H
#define CALAB_KERNELS_WATER_FUSED_STEPPER_H

#include "core/model/model.h"
#include "core/machine/thread_pool.h"
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
    const float *terrain, *source;               /* source NULL: all zero in this row */
    const float *best_north, *best, *best_south; /* north, south NULL: the row does not exist */
    float *level;
    enum water_mode mode;
};

struct fused_ops {
    int vector_bits;
    /* Best levels of a row of w cells from its levels and those of the rows beside it. */
    void (*best)(float *best, const float *terrain, const float *north, const float *level,
                 const float *south, int64_t w);
    void (*level)(const struct fused_row *row);
};

/* `ops` is a struct fused_ops. */
extern const struct ca_stepper water_fused_stepper;

#endif
