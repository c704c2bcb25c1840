/* SPDX-License-Identifier: MIT */
/*
 * Bins: the cells that become one character each, and their sums. The sums are written once for
 * CPUs and GPUs, so that frames are bitwise the same on both.
 *
 * The sampled cells lie in rows of `width`. Bin (c, l) has the columns across[c] ...
 * across[c + 1] - 1 of the rows down[l] ... down[l + 1] - 1, and its sum is number
 * l * columns + c. A bin without cells has no sum.
 */
#ifndef CALAB_CORE_MODEL_VIEW_BINS_H
#define CALAB_CORE_MODEL_VIEW_BINS_H

#include "core/model/model.h"

#ifdef __CUDACC__
#define CA_BOTH static inline __host__ __device__
#else
#define CA_BOTH static inline
#endif

#define CA_CODES_MAX 16 /* states of a model */

struct ca_view_bins {
    const int *across, *down;
    int columns, lines;
    int width;
};

/* The appearance of every cell that a u8 model can have, indexed by the values of its planes as
 * digits of base `radix`, plane 0 being the lowest. */
struct ca_appearances {
    int planes, radix;
    bool solid[CA_CODES_MAX]; /* by code */
    struct ca_appearance table[256];
};

struct ca_bin_sum {
    double level; /* summed in the order of the cells */
    int vx, vy;
    int solid; /* cells */
    float brightest;
    uint8_t top, top_solid; /* the highest code, the last solid one */
    uint8_t frequent;       /* the most frequent code, the highest of several */
};

CA_BOTH struct ca_appearance ca_appearance_of(const struct ca_appearances *appearances,
                                              const uint8_t *const plane[], int64_t i)
{
    unsigned value = plane[0][i], weight = (unsigned)appearances->radix;

    for (int p = 1; p < appearances->planes; p++, weight *= (unsigned)appearances->radix)
        value += weight * plane[p][i];
    return appearances->table[value & 255];
}

/* Adds a cell. `counts`, per code, and the sum start at 0. */
CA_BOTH void ca_bin_sum_add(struct ca_bin_sum *sum, int counts[CA_CODES_MAX],
                            const bool solid[CA_CODES_MAX], const struct ca_appearance *appearance)
{
    counts[appearance->code]++;
    sum->top = appearance->code > sum->top ? appearance->code : sum->top;
    sum->brightest = appearance->level > sum->brightest ? appearance->level : sum->brightest;
    sum->level += appearance->level;
    sum->vx += appearance->vx;
    sum->vy += appearance->vy;
    if (solid[appearance->code]) {
        sum->solid++;
        sum->top_solid = appearance->code;
    }
}

CA_BOTH void ca_bin_sum_end(struct ca_bin_sum *sum, const int counts[CA_CODES_MAX])
{
    int best = CA_CODES_MAX - 1;

    for (int c = CA_CODES_MAX - 2; c >= 0; c--)
        if (counts[c] > counts[best])
            best = c;
    sum->frequent = (uint8_t)best;
}

/* The sum of bin number i. */
CA_BOTH struct ca_bin_sum ca_bin_sum_of(const struct ca_view_bins *bins,
                                        const struct ca_appearances *appearances,
                                        const uint8_t *const plane[], int i)
{
    int column = i % bins->columns, line = i / bins->columns;
    int counts[CA_CODES_MAX] = {0};
    struct ca_bin_sum sum = {0};

    for (int y = bins->down[line]; y < bins->down[line + 1]; y++)
        for (int x = bins->across[column]; x < bins->across[column + 1]; x++) {
            struct ca_appearance appearance =
                ca_appearance_of(appearances, plane, (int64_t)y * bins->width + x);

            ca_bin_sum_add(&sum, counts, appearances->solid, &appearance);
        }
    ca_bin_sum_end(&sum, counts);
    return sum;
}

#endif
