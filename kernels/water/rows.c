/* SPDX-License-Identifier: MIT */
/*
 * Backends avx2 and avx512 of water: the fused stepper's rows for 8 and 16 cells at a time, from
 * this one source, with the same bits as kernels/water/rule.h.
 *
 * Both are bound by the units that compare, eighteen minima and maxima of the sort, and then by the
 * division. They are branch-free in a cell's values: a network of nine exchanges sorts the five
 * altitudes, and a mask of the cells that have not stopped says where the sum and the count go on.
 * The network may order equal zeros in another way than the rule does, without an effect: l - g is
 * +0 or more, and +0 plus any zero is +0.
 */
#include <math.h>

#include "kernels/cpu/word.h"
#include "kernels/water/fused_stepper.h"
#include "kernels/water/vector.h"

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void exchange(vector *low, vector *high)
{
    vector a = *low, b = *high;

    *low = vector_min(a, b);
    *high = vector_max(a, b);
}

ALWAYS vector best_level(vector g, vector l, vector q1, vector q2, vector q3, vector q4)
{
    vector q[5] = {g, q1, q2, q3, q4}, sum, n = vector_all(1);
    mask goes_on = mask_all();

    exchange(&q[0], &q[3]);
    exchange(&q[1], &q[4]);
    exchange(&q[0], &q[2]);
    exchange(&q[1], &q[3]);
    exchange(&q[0], &q[1]);
    exchange(&q[2], &q[4]);
    exchange(&q[1], &q[2]);
    exchange(&q[3], &q[4]);
    exchange(&q[2], &q[3]);

    sum = (l - g) + q[0];
    for (int i = 1; i < 5; i++) {
        vector times = q[i] * vector_all((float)i);

        goes_on = mask_while_not_greater(goes_on, times, sum);
        sum = vector_add_where(goes_on, sum, q[i]);
        n = vector_choose(goes_on, n, vector_all((float)(i + 1)));
    }
    return sum / n;
}

static void best_row(float *best, const float *terrain, const float *north, const float *level,
                     const float *south, int64_t w)
{
    int64_t next = fused_stride(w);

    for (int64_t x = 0; x < w; x += CELLS) {
        /* The rows that the next row needs in addition may have to come from memory. */
        __builtin_prefetch(south + next + x, 1, 2);
        __builtin_prefetch(terrain + next + x, 0, 2);
        vector_store(best + x, best_level(vector_load(terrain + x), vector_load(level + x),
                                          vector_load(north + x), vector_load(level + x - 1),
                                          vector_load(level + x + 1), vector_load(south + x)));
    }
}

/*
 * Adds the inflow from a neighbour; where `masked`, only in lanes whose neighbour exists. The
 * others add -0, which changes no value, not even -0.
 */
ALWAYS vector add_flow(vector change, vector l, vector best, bool masked, mask exists)
{
    vector flow = vector_max(vector_all(0), best - l);

    return change + (masked ? vector_choose(exists, vector_all(-0.0F), flow) : flow);
}

/* `edge`: this is the first or last vector of the row, or both. */
ALWAYS vector level_at(const struct fused_row *row, int64_t x, bool edge, bool sources, bool fill)
{
    vector g = vector_load(row->terrain + x), l = vector_load(row->level + x);
    vector b = vector_load(row->best + x), zero = vector_all(0);
    vector s = sources ? vector_load(row->source + x) : zero, change = fill ? zero : s;
    mask west = vector_between(x, edge ? 1 : x, x + CELLS);
    mask east = vector_between(x, x, edge && row->w - 1 < x + CELLS ? row->w - 1 : x + CELLS);

    if (row->best_north)
        change = add_flow(change, l, vector_load(row->best_north + x), false, west);
    change = add_flow(change, l, vector_load(row->best + x - 1), edge, west);
    change = add_flow(change, l, vector_load(row->best + x + 1), edge, east);
    if (row->best_south)
        change = add_flow(change, l, vector_load(row->best_south + x), false, east);
    change = change + (vector_max(g, b) - l);
    l = vector_max(l + change, g);
    if (fill && sources) {
        l = vector_choose(vector_greater(s, zero), l, vector_max(l, g + s));
        l = vector_choose(vector_greater(zero, s), l, g);
    }
    return l;
}

ALWAYS void level_row_of(const struct fused_row *row, bool sources, bool fill)
{
    int64_t last = (row->w - 1) / CELLS * CELLS, x = CELLS;
    mask inside = vector_between(last, last, row->w);
    vector infinite = vector_all(INFINITY);

    if (last > 0)
        vector_store(row->level, level_at(row, 0, true, sources, fill));
    for (; x < last; x += CELLS)
        vector_store(row->level + x, level_at(row, x, false, sources, fill));
    /* The padding stays as it is. */
    vector_store(row->level + last,
                 vector_choose(inside, infinite, level_at(row, last, true, sources, fill)));
}

static void level_row(const struct fused_row *row)
{
    if (!row->source)
        level_row_of(row, false, false);
    else if (row->mode == WATER_FILL)
        level_row_of(row, true, true);
    else
        level_row_of(row, true, false);
}

const struct fused_ops WORD_NAME(water) = {
    .vector_bits = 64 * WORD_LANES, .best = best_row, .level = level_row};
