/* SPDX-License-Identifier: MIT */
/*
 * Backend `elimination` of water: the two passes of `reference`, with best levels by elimination.
 *
 * Up to five rounds of sums, divisions and comparisons stand in place of the sort and one division.
 * Which cells a round eliminates is unpredictable, so it is bound by mispredicted branches, and by
 * divisions that wait for each other.
 */
#include "kernels/water/elimination.h"
#include "kernels/water/two_passes.h"

static inline float best(float g, float l, const float neighbour[WATER_NEIGHBOURS], int count)
{
    return water_eliminate(g, l, neighbour, (1u << count) - 1);
}

static void find_best_levels(const struct byte_stepper *stepper, int64_t first, int64_t last,
                             uint64_t t)
{
    (void)t; /* the same rule in every generation */
    water_best_levels(stepper, first, last, best);
}

const struct byte_ops water_elimination = {
    .passes = 2,
    .pass = {find_best_levels, water_new_levels},
    .scratch_planes = 1,
    .context_size = sizeof(enum water_mode),
    .prepare = water_prepare,
};
