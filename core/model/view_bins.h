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
#include "core/model/both.h"

#define CA_CODES_MAX 255 /* appearances of a model's cells */

struct ca_view_bins {
    const int *across, *down;
    int columns, lines;
    int width;
};

/* The appearance of every cell that a u8 model can have, indexed by the values of its planes as
 * digits of base `radix`, plane 0 being the lowest. */
struct ca_appearances {
    int planes, radix;
    int codes;                /* of the model's states */
    bool solid[CA_CODES_MAX]; /* by code */
    struct ca_appearance table[256];
};

struct ca_bin_sum {
    double level; /* summed by value where there are few, else in the order of the cells */
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

/* The counts by code that a sum begins with: most models have few of them. */
CA_BOTH void ca_bin_counts_begin(int counts[CA_CODES_MAX], int codes)
{
    for (int c = 0; c < codes; c++)
        counts[c] = 0;
}

/* Adds n > 0 cells of one appearance. The sum starts at 0. */
CA_BOTH void ca_bin_sum_add(struct ca_bin_sum *sum, int counts[CA_CODES_MAX],
                            const bool solid[CA_CODES_MAX], const struct ca_appearance *appearance,
                            int n)
{
    counts[appearance->code] += n;
    sum->top = appearance->code > sum->top ? appearance->code : sum->top;
    sum->brightest = appearance->level > sum->brightest ? appearance->level : sum->brightest;
    sum->level += (double)n * appearance->level;
    sum->vx += n * appearance->vx;
    sum->vy += n * appearance->vy;
    if (solid[appearance->code]) {
        sum->solid += n;
        sum->top_solid = appearance->code;
    }
}

CA_BOTH void ca_bin_sum_end(struct ca_bin_sum *sum, const int counts[CA_CODES_MAX], int codes)
{
    int best = codes - 1;

    for (int c = codes - 2; c >= 0; c--)
        if (counts[c] > counts[best])
            best = c;
    sum->frequent = (uint8_t)best;
}

/* The values that a cell of all planes can have. */
CA_BOTH int ca_appearances_count(const struct ca_appearances *appearances)
{
    int count = 1;

    for (int p = 0; p < appearances->planes; p++)
        count *= appearances->radix;
    return count;
}

#define CA_FEW_VALUES 8

/* Counts the cells of a row of at most 255 by value: those of bits add up, and of at most
 * CA_FEW_VALUES each has a counter of a byte. */
CA_BOTH void ca_row_counts(const struct ca_appearances *appearances, const uint8_t *const plane[],
                           int64_t first, int64_t end, int counts[CA_FEW_VALUES])
{
    uint64_t counters = 0;
    int ones = 0;

    if (ca_appearances_count(appearances) == 2) {
        for (int64_t i = first; i < end; i++)
            ones += plane[0][i];
        counts[0] += (int)(end - first) - ones;
        counts[1] += ones;
        return;
    }
    for (int64_t i = first; i < end; i++) {
        unsigned value = plane[0][i], weight = (unsigned)appearances->radix;

        for (int p = 1; p < appearances->planes; p++, weight *= (unsigned)appearances->radix)
            value += weight * plane[p][i];
        counters += UINT64_C(1) << 8 * (value & 7);
    }
    for (int v = 0; v < CA_FEW_VALUES; v++)
        counts[v] += (int)(counters >> 8 * v & 255);
}

/* The sum of bin number i, whose rows have at most 255 cells. */
CA_BOTH struct ca_bin_sum ca_bin_sum_of(const struct ca_view_bins *bins,
                                        const struct ca_appearances *appearances,
                                        const uint8_t *const plane[], int i)
{
    int column = i % bins->columns, line = i / bins->columns;
    int counts[CA_CODES_MAX], of_value[CA_FEW_VALUES] = {0};
    int values = ca_appearances_count(appearances);
    struct ca_bin_sum sum = {0};

    ca_bin_counts_begin(counts, appearances->codes);
    for (int y = bins->down[line]; y < bins->down[line + 1]; y++) {
        int64_t row = (int64_t)y * bins->width;

        if (values <= CA_FEW_VALUES)
            ca_row_counts(appearances, plane, row + bins->across[column],
                          row + bins->across[column + 1], of_value);
        else
            for (int x = bins->across[column]; x < bins->across[column + 1]; x++) {
                struct ca_appearance appearance = ca_appearance_of(appearances, plane, row + x);

                ca_bin_sum_add(&sum, counts, appearances->solid, &appearance, 1);
            }
    }
    for (int v = 0; v < CA_FEW_VALUES; v++)
        if (of_value[v] > 0)
            ca_bin_sum_add(&sum, counts, appearances->solid, &appearances->table[v], of_value[v]);
    ca_bin_sum_end(&sum, counts, appearances->codes);
    return sum;
}

#endif
