/* SPDX-License-Identifier: MIT */
/*
 * Backends with a pass for best levels and one for new levels share the walk over the cells, and
 * the second pass, which is in reference.c. Scratch plane 0 holds the best levels.
 */
#ifndef CALAB_KERNELS_WATER_TWO_PASSES_H
#define CALAB_KERNELS_WATER_TWO_PASSES_H

#include "kernels/water/rule.h"
#include "kernels/water/water.h"

/*
 * The values of `plane` at the neighbours of (x, y) that exist, in the order north, west, east,
 * south. Beyond a slab's ghost layers no cell exists.
 */
static inline int water_neighbours(const struct byte_stepper *stepper, const float *plane,
                                   int64_t x, int64_t y, float values[WATER_NEIGHBOURS])
{
    int64_t w = stepper->size.w, h = stepper->size.h;
    const float *here = plane + y * w + x;
    int count = 0;

    if (y > 0)
        values[count++] = here[-w];
    if (x > 0)
        values[count++] = here[-1];
    if (x < w - 1)
        values[count++] = here[1];
    if (y < h - 1)
        values[count++] = here[w];
    return count;
}

typedef float water_best_function(float g, float l, const float neighbour[WATER_NEIGHBOURS],
                                  int count);

/* The best levels of rows first ... last - 1. */
static inline void water_best_levels(const struct byte_stepper *stepper, int64_t first,
                                     int64_t last, water_best_function *best_of)
{
    const float *terrain = stepper->now.plane[WATER_TERRAIN],
                *level = stepper->now.plane[WATER_LEVEL];
    float *best = stepper->scratch.plane[0], neighbours[WATER_NEIGHBOURS];
    int64_t w = stepper->size.w;

    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0, i = y * w; x < w; x++, i++) {
            int count = water_neighbours(stepper, level, x, y, neighbours);

            best[i] = best_of(terrain[i], level[i], neighbours, count);
        }
}

/* The second pass, and what it needs. */
void water_new_levels(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t);
void water_prepare(const struct ca_setup *setup, void *context);

#endif
