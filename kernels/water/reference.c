/* SPDX-License-Identifier: MIT */
/*
 * Backend `reference` of water: two passes over the rows, best levels into a scratch plane, then
 * new levels.
 */
#include <string.h>

#include "kernels/water/two_passes.h"

static void find_best_levels(const struct byte_stepper *stepper, int64_t first, int64_t last,
                             uint64_t t)
{
    (void)t; /* the same rule in every generation */
    water_best_levels(stepper, first, last, water_best);
}

void water_new_levels(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t)
{
    enum water_mode mode = *(const enum water_mode *)stepper->context;
    const float *terrain = stepper->now.plane[WATER_TERRAIN],
                *level = stepper->now.plane[WATER_LEVEL];
    const float *source = stepper->now.plane[WATER_SOURCE], *best = stepper->scratch.plane[0];
    float *next = stepper->next.plane[WATER_LEVEL], neighbours[WATER_NEIGHBOURS];
    int64_t w = stepper->size.w;
    size_t bytes = (size_t)((last - first) * w) * sizeof(float);

    (void)t;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0, i = y * w; x < w; x++, i++) {
            int count = water_neighbours(stepper, best, x, y, neighbours);

            next[i] =
                water_level(terrain[i], level[i], source[i], best[i], neighbours, count, mode);
        }
    memcpy((float *)stepper->next.plane[WATER_TERRAIN] + first * w, terrain + first * w, bytes);
    memcpy((float *)stepper->next.plane[WATER_SOURCE] + first * w, source + first * w, bytes);
}

void water_prepare(const struct ca_setup *setup, void *context)
{
    *(enum water_mode *)context = (enum water_mode)ca_choice(&setup->params, "source_mode");
}

const struct byte_ops water_reference = {
    .passes = 2,
    .pass = {find_best_levels, water_new_levels},
    .scratch_planes = 1,
    .context_size = sizeof(enum water_mode),
    .prepare = water_prepare,
};
