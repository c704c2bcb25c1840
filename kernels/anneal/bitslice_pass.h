/* SPDX-License-Identifier: MIT */
/*
 * The walk over bit rows that the CPU's bit-sliced backends of anneal share, written over `word`:
 * uint64_t or a vector of them, see kernels/cpu/word.h. It makes anneal_blocked.
 *
 * The three-cell sums of a row are used by the row above, the row itself and the row below. So rows
 * are fed one after the other: from the sums of the last two rows, which are kept, and those of a
 * row that comes in, the result of the row before it goes out. A group of rows is fed at a time,
 * and for several generations in one pass each generation is fed with what the one before gave:
 *
 *     lattice now          generation 1         generation 2 = n
 *     [ y ... y + R - 1 ]  -> [ y - 1 ... ]     -> [ y - 2 ... ]      into lattice next
 *                          kept: y + R - 2, y + R - 1
 *
 * R rows of each generation and the kept sums stay in the core's second cache. To give rows
 * first ... last - 1 of generation t + n, rows from first - n to last - 1 + n are fed: what the
 * neighbour bands also compute, the price of meeting them only once in n generations.
 */
#ifndef CALAB_KERNELS_ANNEAL_BITSLICE_PASS_H
#define CALAB_KERNELS_ANNEAL_BITSLICE_PASS_H

#include "kernels/anneal/anneal.h"
#include "kernels/anneal/bitslice.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/bit_stepper.h"

/* The sums of the last two rows: of the one above, and of the one whose result comes next. */
struct anneal_kept {
    uint64_t *above_low, *above_high, *here_low, *here_high;
};

/* A run of rows `stride` words apart, in and out. */
struct anneal_rows {
    const uint64_t *in;
    int64_t in_stride;
    uint64_t *out;
    int64_t out_stride;
    int64_t count;
};

static inline struct anneal_sum sum_of_row(const uint64_t *at)
{
    word here = load_word(at), left = word_left(at, here), right = word_right(at, here);

    return anneal_add(left, right, here);
}

static inline struct anneal_sum kept_at(const uint64_t *low, const uint64_t *high, int64_t i)
{
    struct anneal_sum sum = {load_word(low + i), load_word(high + i)};

    return sum;
}

static inline void keep_at(uint64_t *low, uint64_t *high, int64_t i, struct anneal_sum sum)
{
    store_word(low + i, sum.low);
    store_word(high + i, sum.high);
}

/* Feeds rows that give no result: the first two of all. */
static void prime(const uint64_t *in, int64_t stride, int64_t rows, int64_t n,
                  const struct anneal_kept *kept)
{
    for (; rows > 0; rows--, in += stride)
        for (int64_t i = 0; i < n; i += LANES) {
            keep_at(kept->above_low, kept->above_high, i,
                    kept_at(kept->here_low, kept->here_high, i));
            keep_at(kept->here_low, kept->here_high, i, sum_of_row(in + i));
        }
}

#if WORD_LANES == 1

/*
 * Words along a row in the inner loop, which compilers take several at a time; two rows in it,
 * since both results contain the pair of rows in the middle. Strips keep the sums in the first
 * cache.
 */
#define STRIP 256

static void two_rows(const uint64_t *restrict row1, const uint64_t *restrict row2,
                     uint64_t *restrict out0, uint64_t *restrict out1, int64_t n,
                     uint64_t *restrict above_low, uint64_t *restrict above_high,
                     uint64_t *restrict here_low, uint64_t *restrict here_high)
{
    for (int64_t i = 0; i < n; i++) {
        struct anneal_sum a = kept_at(above_low, above_high, i);
        struct anneal_sum b = kept_at(here_low, here_high, i);
        struct anneal_sum c = sum_of_row(row1 + i), d = sum_of_row(row2 + i);
        struct anneal_pair low = anneal_pair(b.low, c.low), high = anneal_pair(b.high, c.high);

        keep_at(above_low, above_high, i, c);
        keep_at(here_low, here_high, i, d);
        out0[i] = anneal_bits_rule(anneal_add_above(low, a.low), anneal_add_above(high, a.high));
        out1[i] = anneal_bits_rule(anneal_add_below(low, d.low), anneal_add_below(high, d.high));
    }
}

static void one_row(const uint64_t *restrict row, uint64_t *restrict out, int64_t n,
                    uint64_t *restrict above_low, uint64_t *restrict above_high,
                    uint64_t *restrict here_low, uint64_t *restrict here_high)
{
    for (int64_t i = 0; i < n; i++) {
        struct anneal_sum a = kept_at(above_low, above_high, i);
        struct anneal_sum b = kept_at(here_low, here_high, i), c = sum_of_row(row + i);

        keep_at(above_low, above_high, i, b);
        keep_at(here_low, here_high, i, c);
        out[i] =
            anneal_bits_rule(anneal_add(a.low, b.low, c.low), anneal_add(a.high, b.high, c.high));
    }
}

static void feed(const struct anneal_rows *rows, int64_t words, const struct anneal_kept *kept)
{
    for (int64_t at = 0; at < words; at += STRIP) {
        int64_t n = words - at < STRIP ? words - at : STRIP, r = 0;
        const uint64_t *in = rows->in + at;
        uint64_t *out = rows->out + at;

        for (; r + 2 <= rows->count; r += 2) {
            two_rows(in, in + rows->in_stride, out, out + rows->out_stride, n, kept->above_low + at,
                     kept->above_high + at, kept->here_low + at, kept->here_high + at);
            in += 2 * rows->in_stride;
            out += 2 * rows->out_stride;
        }
        if (r < rows->count)
            one_row(in, out, n, kept->above_low + at, kept->above_high + at, kept->here_low + at,
                    kept->here_high + at);
    }
}

#else

/* Results of two rows from the sums of four: a and b of the last two, c and d of those that come.
 */
static inline void two_rows(const struct anneal_rows *rows, const uint64_t *in, uint64_t *out,
                            struct anneal_sum a, struct anneal_sum b, struct anneal_sum *c,
                            struct anneal_sum *d)
{
    struct anneal_pair low, high;

    *c = sum_of_row(in);
    *d = sum_of_row(in + rows->in_stride);
    low = anneal_pair(b.low, c->low);
    high = anneal_pair(b.high, c->high);
    store_word(out, anneal_bits_rule(anneal_add_above(low, a.low), anneal_add_above(high, a.high)));
    store_word(out + rows->out_stride,
               anneal_bits_rule(anneal_add_below(low, d->low), anneal_add_below(high, d->high)));
}

/*
 * Down a column of vectors in the inner loop, so that the sums of two rows stay in registers: four
 * rows in it, after which they are in the same ones.
 */
static void feed(const struct anneal_rows *rows, int64_t words, const struct anneal_kept *kept)
{
    for (int64_t i = 0; i < words; i += LANES) {
        struct anneal_sum a = kept_at(kept->above_low, kept->above_high, i), c;
        struct anneal_sum b = kept_at(kept->here_low, kept->here_high, i), d;
        const uint64_t *in = rows->in + i;
        uint64_t *out = rows->out + i;
        int64_t r = rows->count, in_stride = rows->in_stride;

        for (; r >= 4; r -= 4) {
            /* What is fed next, if it is the lattice: it may have to come from memory. */
            for (int64_t k = 0; k < 4; k++)
                __builtin_prefetch(in + (rows->count + k) * in_stride, 0, 2);
            two_rows(rows, in, out, a, b, &c, &d);
            in += 2 * in_stride;
            out += 2 * rows->out_stride;
            two_rows(rows, in, out, c, d, &a, &b);
            in += 2 * rows->in_stride;
            out += 2 * rows->out_stride;
        }
        for (; r > 0; r--) {
            c = sum_of_row(in);
            store_word(out, anneal_bits_rule(anneal_add(a.low, b.low, c.low),
                                             anneal_add(a.high, b.high, c.high)));
            a = b;
            b = c;
            in += rows->in_stride;
            out += rows->out_stride;
        }
        keep_at(kept->above_low, kept->above_high, i, a);
        keep_at(kept->here_low, kept->here_high, i, b);
    }
}

#endif

/* Where generation k of a pass has its kept sums and its group of rows in a member's scratch. */
static struct anneal_kept kept_of(const struct bit_stepper *stepper, uint64_t *scratch, int k)
{
    int64_t stride = stepper->now[0].stride;
    uint64_t *at = scratch + k * anneal_scratch_rows(stepper->group_rows) * stride;

    return (struct anneal_kept){at, at + stride, at + 2 * stride, at + 3 * stride};
}

static uint64_t *group_of(const struct bit_stepper *stepper, uint64_t *scratch, int k)
{
    return kept_of(stepper, scratch, k).here_high + stepper->now[0].stride + BIT_ROWS_VECTOR;
}

/* Rows of the group's buffer into the lattice, past the caches, with the cells -1 and W. */
static void stream_rows(const struct bit_rows *next, int64_t first, int64_t rows,
                        const uint64_t *from)
{
    int64_t end = next->w / 64;

    for (int64_t r = 0; r < rows; r++, from += next->stride) {
        uint64_t *to = bit_rows_row(next, first + r);

        stream_words(to, from, next->words);
        to[-1] = from[-1];
        if (end % BIT_ROWS_VECTOR == 0)
            to[end] = from[end];
    }
}

/* Whole words in place of single bits where a row ends with a word: half the work of short rows. */
static void close_rows(const struct bit_rows *bits, uint64_t *row, int64_t rows)
{
    for (; rows > 0; rows--, row += bits->stride)
        if (bits->w % 64 == 0) {
            row[-1] = row[bits->words - 1];
            row[bits->words] = row[0];
        } else {
            bit_rows_wrap(bits, row, 1);
        }
}

/*
 * Rows i ... i + count - 1 of those fed in one pass of n generations, through all of them. Row i of
 * generation k - 1 is the first that means anything where i = 2 (k - 1), and gives a result of
 * generation k two rows later.
 */
static void feed_group(const struct bit_stepper *stepper, int64_t first, int64_t i, int64_t count,
                       int n, const uint64_t *in, uint64_t *scratch)
{
    const struct bit_rows *next = &stepper->next[0];

    for (int k = 1; k <= n; k++) {
        int64_t skip = i < 2 * (k - 1) ? 2 * (k - 1) - i : 0, primed = 2 * k - i - skip;
        struct anneal_kept kept = kept_of(stepper, scratch, k - 1);
        uint64_t *group = group_of(stepper, scratch, k - 1);
        bool direct = k == n && !stepper->streams;
        struct anneal_rows rows = {.in_stride = next->stride, .out_stride = next->stride};

        if (skip >= count)
            return;
        primed = primed < 0 ? 0 : primed > count - skip ? count - skip : primed;
        prime(in + skip * next->stride, next->stride, primed, next->words, &kept);
        skip += primed;
        if (skip >= count)
            return;
        rows.in = in + skip * next->stride;
        rows.out =
            direct ? bit_rows_row(next, first - 2 * n + i + skip) : group + skip * next->stride;
        rows.count = count - skip;
        feed(&rows, next->words, &kept);
        close_rows(next, rows.out, rows.count);
        if (k == n && !direct)
            stream_rows(next, first - 2 * n + i + skip, rows.count, rows.out);
        in = group;
    }
}

static void anneal_blocked(const struct bit_stepper *stepper, int64_t first, int64_t last,
                           uint64_t t, int n, void *scratch)
{
    const struct ca_slab *slab = &stepper->setup.slab;
    int64_t total = last - first + 2 * n, count;

    (void)t; /* the same rule in every generation */
    for (int64_t i = 0; i < total && first < last; i += count) {
        int64_t layer = slab_layer(slab, first - n, i, true);

        count = layer < 0 ? 1 : slab->extent - layer;
        count = count < stepper->group_rows ? count : stepper->group_rows;
        count = count < total - i ? count : total - i;
        feed_group(stepper, first, i, count, n, bit_row(stepper, 0, layer), scratch);
    }
    if (stepper->streams)
        finish_streams();
}

#endif
