/* SPDX-License-Identifier: MIT */
/*
 * Backend `reference` of water: two passes over the rows, best levels into a scratch plane, then
 * new levels. Everything else is measured against it.
 */
#include <string.h>

#include "kernels/water/rule.h"
#include "kernels/water/water.h"

/*
 * The values of `plane` at the neighbours of (x, y) that exist, in the order north, west, east,
 * south. Beyond a slab's ghost end nothing is known, and nothing exists.
 */
static inline int neighbours(const struct plain *plain, const float *plane, int64_t x, int64_t y,
                             float values[WATER_NEIGHBOURS])
{
    int64_t w = plain->size.w, h = plain->size.h;
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

static void find_best_levels(const struct plain *plain, int64_t first, int64_t last, uint64_t t)
{
    const float *terrain = plain->now.plane[WATER_TERRAIN], *level = plain->now.plane[WATER_LEVEL];
    float *best = plain->scratch.plane[0], near[WATER_NEIGHBOURS];
    int64_t w = plain->size.w;

    (void)t; /* the same rule in every generation */
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0, i = y * w; x < w; x++, i++) {
            int count = neighbours(plain, level, x, y, near);

            best[i] = water_best(terrain[i], level[i], near, count);
        }
}

static void find_new_levels(const struct plain *plain, int64_t first, int64_t last, uint64_t t)
{
    enum water_mode mode = *(const enum water_mode *)plain->context;
    const float *terrain = plain->now.plane[WATER_TERRAIN], *level = plain->now.plane[WATER_LEVEL];
    const float *source = plain->now.plane[WATER_SOURCE], *best = plain->scratch.plane[0];
    float *next = plain->next.plane[WATER_LEVEL], near[WATER_NEIGHBOURS];
    int64_t w = plain->size.w;
    size_t bytes = (size_t)((last - first) * w) * sizeof(float);

    (void)t;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0, i = y * w; x < w; x++, i++) {
            int count = neighbours(plain, best, x, y, near);

            next[i] = water_level(terrain[i], level[i], source[i], best[i], near, count, mode);
        }
    memcpy((float *)plain->next.plane[WATER_TERRAIN] + first * w, terrain + first * w, bytes);
    memcpy((float *)plain->next.plane[WATER_SOURCE] + first * w, source + first * w, bytes);
}

static void prepare(const struct ca_setup *setup, void *context)
{
    *(enum water_mode *)context = (enum water_mode)ca_choice(&setup->params, "source_mode");
}

const struct plain_rule water_plain = {
    .passes = 2,
    .pass = {find_best_levels, find_new_levels},
    .scratch = 1,
    .context_size = sizeof(enum water_mode),
    .prepare = prepare,
};

enum ca_status water_reference_create(void **self, const struct ca_setup *setup,
                                      struct ca_error *error)
{
    return plain_create(self, setup, &water_plain, 1, error);
}
