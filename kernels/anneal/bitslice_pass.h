/* SPDX-License-Identifier: MIT */
/*
 * The walk over bit rows that the CPU's bit-sliced backends of anneal share, written over `word`:
 * uint64_t or a vector of them, see kernels/common/word.h. It makes anneal_pass.
 *
 * A row's three-cell sums are used by the row above, the row itself and the row below, so they are
 * made once and kept for two rows more, in arrays that stay in the first cache whatever the width:
 * the lattice is walked in strips. Rows are taken two at a time, since both results contain the
 * pair of rows in the middle:
 *
 *     row y - 1   sums kept      ]
 *     row y       sums kept      ]  result y      + pair (y, y + 1) shared
 *     row y + 1   sums made   [  ]
 *     row y + 2   sums made   [     result y + 1
 */
#ifndef CALAB_KERNELS_ANNEAL_BITSLICE_PASS_H
#define CALAB_KERNELS_ANNEAL_BITSLICE_PASS_H

#include "kernels/anneal/bitslice.h"
#include "kernels/common/plain.h"
#include "kernels/common/sliced.h"

#define STRIP 256 /* words: four arrays of 2 KiB */

struct anneal_kept {
    uint64_t low[STRIP], high[STRIP];
};

/* Each cell with its left and right neighbour; those beyond the word come from the words beside. */
static inline struct anneal_sum sum_of_row(const uint64_t *at)
{
    word here = load_word(at);

    return anneal_add(here, here << 1 | load_word(at - 1) >> 63,
                      here >> 1 | load_word(at + 1) << 63);
}

static inline struct anneal_sum kept_at(const struct anneal_kept *kept, int64_t i)
{
    struct anneal_sum sum = {load_word(kept->low + i), load_word(kept->high + i)};

    return sum;
}

static inline void keep_at(struct anneal_kept *kept, int64_t i, struct anneal_sum sum)
{
    store_word(kept->low + i, sum.low);
    store_word(kept->high + i, sum.high);
}

static void keep_row(const uint64_t *row, int64_t n, struct anneal_kept *kept)
{
    for (int64_t i = 0; i < n; i += LANES)
        keep_at(kept, i, sum_of_row(row + i));
}

/* Results of two rows; above and here are theirs when it starts, and the next two's when it ends.
 */
static void two_rows(const uint64_t *restrict row1, const uint64_t *restrict row2,
                     uint64_t *restrict next0, uint64_t *restrict next1, int64_t n,
                     struct anneal_kept *restrict above, struct anneal_kept *restrict here)
{
    for (int64_t i = 0; i < n; i += LANES) {
        struct anneal_sum a = kept_at(above, i), b = kept_at(here, i);
        struct anneal_sum c = sum_of_row(row1 + i), d = sum_of_row(row2 + i);
        word half_low = b.low ^ c.low, both_low = b.low & c.low;
        word half_high = b.high ^ c.high, both_high = b.high & c.high;

        keep_at(above, i, c);
        keep_at(here, i, d);
        store_word(next0 + i, anneal_bits_rule(anneal_add_third(half_low, both_low, a.low),
                                               anneal_add_third(half_high, both_high, a.high)));
        store_word(next1 + i, anneal_bits_rule(anneal_add_third(half_low, both_low, d.low),
                                               anneal_add_third(half_high, both_high, d.high)));
    }
}

static void last_row(const uint64_t *restrict row1, uint64_t *restrict next0, int64_t n,
                     const struct anneal_kept *above, const struct anneal_kept *here)
{
    for (int64_t i = 0; i < n; i += LANES) {
        struct anneal_sum a = kept_at(above, i), b = kept_at(here, i), c = sum_of_row(row1 + i);

        store_word(next0 + i, anneal_bits_rule(anneal_add(a.low, b.low, c.low),
                                               anneal_add(a.high, b.high, c.high)));
    }
}

static const uint64_t *anneal_row(const struct sliced *sliced, int64_t y, int64_t offset)
{
    return sliced_row(sliced, 0, plain_layer(&sliced->setup.slab, y, offset, true));
}

/* Words at ... at + n - 1 of the rows. */
static void strip(const struct sliced *sliced, int64_t first, int64_t last, int64_t at, int64_t n)
{
    const struct bits *next = &sliced->next[0];
    struct anneal_kept above, here;
    int64_t y = first;

    keep_row(anneal_row(sliced, y, -1) + at, n, &above);
    keep_row(anneal_row(sliced, y, 0) + at, n, &here);
    for (; y + 2 <= last; y += 2)
        two_rows(anneal_row(sliced, y, 1) + at, anneal_row(sliced, y, 2) + at,
                 bits_row(next, y) + at, bits_row(next, y + 1) + at, n, &above, &here);
    if (y < last)
        last_row(anneal_row(sliced, y, 1) + at, bits_row(next, y) + at, n, &above, &here);
}

static void anneal_pass(const struct sliced *sliced, int64_t first, int64_t last, uint64_t t)
{
    int64_t words = sliced->now[0].words;

    (void)t; /* the same rule in every generation */
    for (int64_t at = 0; at < words && first < last; at += STRIP)
        strip(sliced, first, last, at, words - at < STRIP ? words - at : STRIP);
}

#endif
