/* SPDX-License-Identifier: MIT */
/*
 * Blocks of cells that become one character each: how what is in a block is summed, written once
 * for the CPU and for GPUs, so that frames are the same to the last bit wherever they are made.
 *
 * The cells that are looked at lie in rows of `width`; block (c, l) has those of columns
 * across[c] ... across[c + 1] - 1 in the rows down[l] ... down[l + 1] - 1, and its sum is number
 * l * columns + c. A block without cells has no sum.
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

/* The looks of a u8 model: of every possible cell, the planes' values as digits, plane 0's last. */
struct ca_appearances {
    int planes, radix;
    bool solid[CA_CODES_MAX]; /* by code */
    struct ca_appearance table[256];
};

struct ca_bin_sum {
    double level; /* added up in the order of the cells */
    int vx, vy;
    int solid; /* cells */
    float brightest;
    uint8_t top, top_solid; /* highest code, last solid one */
    uint8_t frequent;       /* most frequent code, of equals the highest */
};

CA_BOTH struct ca_appearance ca_appearance_of(const struct ca_appearances *looks,
                                              const uint8_t *const plane[], int64_t i)
{
    unsigned value = plane[0][i], weight = (unsigned)looks->radix;

    for (int p = 1; p < looks->planes; p++, weight *= (unsigned)looks->radix)
        value += weight * plane[p][i];
    return looks->table[value & 255];
}

/* `counts` of all codes start at 0, as does the sum. */
CA_BOTH void ca_bin_sum_add(struct ca_bin_sum *sum, int counts[CA_CODES_MAX],
                            const bool solid[CA_CODES_MAX], const struct ca_appearance *look)
{
    counts[look->code]++;
    sum->top = look->code > sum->top ? look->code : sum->top;
    sum->brightest = look->level > sum->brightest ? look->level : sum->brightest;
    sum->level += look->level;
    sum->vx += look->vx;
    sum->vy += look->vy;
    if (solid[look->code]) {
        sum->solid++;
        sum->top_solid = look->code;
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

/* The sum of block number i. */
CA_BOTH struct ca_bin_sum ca_bin_sum_of(const struct ca_view_bins *blocks,
                                        const struct ca_appearances *looks,
                                        const uint8_t *const plane[], int i)
{
    int column = i % blocks->columns, line = i / blocks->columns;
    int counts[CA_CODES_MAX] = {0};
    struct ca_bin_sum sum = {0};

    for (int y = blocks->down[line]; y < blocks->down[line + 1]; y++)
        for (int x = blocks->across[column]; x < blocks->across[column + 1]; x++) {
            struct ca_appearance look =
                ca_appearance_of(looks, plane, (int64_t)y * blocks->width + x);

            ca_bin_sum_add(&sum, counts, looks->solid, &look);
        }
    ca_bin_sum_end(&sum, counts);
    return sum;
}

#endif
