/* SPDX-License-Identifier: MIT */
/*
 * The pass of backends bitslice, bitslice-avx2 and bitslice-avx512: 64, 256 and 512 cells at a
 * time, from this one text over `word` (kernels/cpu/word.h) and over a rule. A model's bitslice.c
 * includes it and says what is done with rows: by moore_step_rows for a rule on sums.
 *
 * All three are bound by logic as long as the lattice, or a group of rows in all generations of a
 * pass, stays in L2: memory moves a quarter of a byte for a cell. In plain C a word takes 17
 * operations for 64 cells and those of the rule, and the inner loop runs along a row, because
 * compilers then vectorize it with the SSE2 of every x86-64. With AVX2 and AVX-512 the inner loop
 * runs down a column of vectors, so that the sums of rows stay in registers, and the neighbours
 * beyond a word come from loads one word to the side. With AVX-512 a full adder is two ternary
 * operations; so a square takes seven operations, two funnel shifts and two lane shifts for 512
 * cells, and those of the rule.
 *
 * The three-cell sums of a row are needed for the row above, the row itself and the row below. So
 * rows are processed in order: the sums of the last two rows are kept, and with those of the next
 * row the result of the row before it is complete. Rows go in groups, and with several generations
 * in a pass each generation takes its rows from the group buffer of the one before:
 *
 *     lattice now          generation 1         generation 2 = n
 *     [ y ... y + R - 1 ]  -> [ y - 1 ... ]     -> [ y - 2 ... ]      into lattice next
 *                          kept: y + R - 2, y + R - 1
 *
 * The R rows and the kept sums of all generations stay in the core's L2. Rows first ... last - 1 of
 * generation t + n depend on rows first - n to last - 1 + n of generation t, so neighbouring bands
 * compute some rows twice: that is the cost of one barrier in n generations.
 */
#ifndef CALAB_KERNELS_MOORE_BIT_PASS_H
#define CALAB_KERNELS_MOORE_BIT_PASS_H

#include "kernels/cpu/bit_stepper.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/moore/bitslice.h"
#include "kernels/moore/moore.h"

/* A function of constants, which is compiled for each of them. */
#define MOORE_INLINE static inline __attribute__((always_inline))

/* The next loop reads nothing that an earlier round of it has written, so that it is vectorized,
 * unless its words are vectors. */
#if defined __clang__ && WORD_LANES == 1
#define MOORE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined __clang__
#define MOORE_INDEPENDENT
#else
#define MOORE_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* What is kept of the last two rows: the upper one, and the one whose result comes next. They are
 * sums of rows, and of the second its cells, which only some rules take. */
struct kept_rows {
    uint64_t *above_low, *above_high, *here_low, *here_high, *here_cells;
};

/* Consecutive rows, `stride` words apart, in and out. */
struct row_range {
    const uint64_t *in;
    int64_t in_stride;
    uint64_t *out;
    int64_t out_stride;
    int64_t count;
};

/* What a rule does with rows. */
struct moore_steps {
    /* Keeps rows of n words that give no result yet, which are the first two of all. */
    void (*keep)(const uint64_t *in, int64_t stride, int64_t rows, int64_t n,
                 const struct kept_rows *kept);
    /* Makes as many rows as are read, each of which is the one before that which is read. */
    void (*step)(const struct row_range *rows, int64_t words, const struct kept_rows *kept,
                 const void *context);
};

/* The result of a row from the sums of the square's low and high bits and, where the rule takes
 * them, its own cells. */
typedef word moore_result(struct bit_sum l, struct bit_sum h, word cells, const void *context);

static inline struct bit_sum row_sum(const uint64_t *at, word here)
{
    word left = word_left(at, here), right = word_right(at, here);

    return word_full_add(left, right, here);
}

static inline struct bit_sum load_sum(const uint64_t *low, const uint64_t *high, int64_t i)
{
    struct bit_sum sum = {load_word(low + i), load_word(high + i)};

    return sum;
}

static inline void store_sum(uint64_t *low, uint64_t *high, int64_t i, struct bit_sum sum)
{
    store_word(low + i, sum.low);
    store_word(high + i, sum.high);
}

static void moore_keep_sums(const uint64_t *in, int64_t stride, int64_t rows, int64_t n,
                            const struct kept_rows *kept)
{
    for (; rows > 0; rows--, in += stride)
        for (int64_t i = 0; i < n; i += LANES) {
            word cells = load_word(in + i);

            store_sum(kept->above_low, kept->above_high, i,
                      load_sum(kept->here_low, kept->here_high, i));
            store_sum(kept->here_low, kept->here_high, i, row_sum(in + i, cells));
            store_word(kept->here_cells + i, cells);
        }
}

#if WORD_LANES == 1

/*
 * The inner loop runs along a row, so that compilers vectorize it, and takes two rows, because both
 * results contain the pair of rows in the middle. Row segments of this many words keep the sums in
 * L1.
 */
#define SEGMENT 256

MOORE_INLINE void moore_step_two_rows(const uint64_t *restrict row1, const uint64_t *restrict row2,
                                      uint64_t *restrict out0, uint64_t *restrict out1, int64_t n,
                                      uint64_t *restrict above_low, uint64_t *restrict above_high,
                                      uint64_t *restrict here_low, uint64_t *restrict here_high,
                                      uint64_t *restrict here_cells, moore_result *result,
                                      bool takes_cells, const void *context)
{
    MOORE_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        struct bit_sum a = load_sum(above_low, above_high, i);
        struct bit_sum b = load_sum(here_low, here_high, i);
        word cells1 = row1[i], cells2 = row2[i], cells0 = takes_cells ? here_cells[i] : 0;
        struct bit_sum c = row_sum(row1 + i, cells1), d = row_sum(row2 + i, cells2);
        struct moore_pair low = moore_pair(b.low, c.low), high = moore_pair(b.high, c.high);

        store_sum(above_low, above_high, i, c);
        store_sum(here_low, here_high, i, d);
        if (takes_cells)
            here_cells[i] = cells2;
        out0[i] =
            result(moore_add_above(low, a.low), moore_add_above(high, a.high), cells0, context);
        out1[i] =
            result(moore_add_below(low, d.low), moore_add_below(high, d.high), cells1, context);
    }
}

MOORE_INLINE void moore_step_one_row(const uint64_t *restrict row, uint64_t *restrict out,
                                     int64_t n, uint64_t *restrict above_low,
                                     uint64_t *restrict above_high, uint64_t *restrict here_low,
                                     uint64_t *restrict here_high, uint64_t *restrict here_cells,
                                     moore_result *result, bool takes_cells, const void *context)
{
    MOORE_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        word cells = row[i], cells0 = takes_cells ? here_cells[i] : 0;
        struct bit_sum a = load_sum(above_low, above_high, i);
        struct bit_sum b = load_sum(here_low, here_high, i), c = row_sum(row + i, cells);

        store_sum(above_low, above_high, i, b);
        store_sum(here_low, here_high, i, c);
        if (takes_cells)
            here_cells[i] = cells;
        out[i] = result(word_full_add(a.low, b.low, c.low), word_full_add(a.high, b.high, c.high),
                        cells0, context);
    }
}

MOORE_INLINE void moore_step_rows(const struct row_range *rows, int64_t words,
                                  const struct kept_rows *kept, moore_result *result,
                                  bool takes_cells, const void *context)
{
    for (int64_t at = 0; at < words; at += SEGMENT) {
        int64_t n = words - at < SEGMENT ? words - at : SEGMENT, r = 0;
        const uint64_t *in = rows->in + at;
        uint64_t *out = rows->out + at;

        for (; r + 2 <= rows->count; r += 2) {
            moore_step_two_rows(in, in + rows->in_stride, out, out + rows->out_stride, n,
                                kept->above_low + at, kept->above_high + at, kept->here_low + at,
                                kept->here_high + at, kept->here_cells + at, result, takes_cells,
                                context);
            in += 2 * rows->in_stride;
            out += 2 * rows->out_stride;
        }
        if (r < rows->count)
            moore_step_one_row(in, out, n, kept->above_low + at, kept->above_high + at,
                               kept->here_low + at, kept->here_high + at, kept->here_cells + at,
                               result, takes_cells, context);
    }
}

#else

/* What is needed of a row further down; its cells are dropped where the rule does not take them. */
struct moore_row {
    struct bit_sum sum;
    word cells;
};

static inline struct moore_row moore_row_at(const uint64_t *at)
{
    word cells = load_word(at);

    return (struct moore_row){row_sum(at, cells), cells};
}

/* Results of two rows from the sums of four: a and b of the last two rows, c and d of the next two.
 */
MOORE_INLINE void moore_step_two_rows(const struct row_range *rows, const uint64_t *in,
                                      uint64_t *out, struct moore_row a, struct moore_row b,
                                      struct moore_row *c, struct moore_row *d,
                                      moore_result *result, const void *context)
{
    struct moore_pair low, high;

    *c = moore_row_at(in);
    *d = moore_row_at(in + rows->in_stride);
    low = moore_pair(b.sum.low, c->sum.low);
    high = moore_pair(b.sum.high, c->sum.high);
    store_word(out, result(moore_add_above(low, a.sum.low), moore_add_above(high, a.sum.high),
                           b.cells, context));
    store_word(out + rows->out_stride,
               result(moore_add_below(low, d->sum.low), moore_add_below(high, d->sum.high),
                      c->cells, context));
}

/*
 * The inner loop runs down a column of vectors, so that the sums of two rows stay in registers. It
 * is unrolled to four rows, after which the sums are in the same registers again.
 */
MOORE_INLINE void moore_step_rows(const struct row_range *range, int64_t words,
                                  const struct kept_rows *kept, moore_result *result,
                                  bool takes_cells, const void *context)
{
    const struct row_range own = *range, *rows = &own; /* which stays in registers */

    for (int64_t i = 0; i < words; i += LANES) {
        struct moore_row a = {.sum = load_sum(kept->above_low, kept->above_high, i)}, c;
        struct moore_row b = {.sum = load_sum(kept->here_low, kept->here_high, i)}, d;
        const uint64_t *in = rows->in + i;
        uint64_t *out = rows->out + i;
        int64_t r = rows->count, in_stride = rows->in_stride;

        if (takes_cells)
            b.cells = load_word(kept->here_cells + i);
        for (; r >= 4; r -= 4) {
            /* The next group: where it is the lattice it may have to come from memory. */
            for (int64_t k = 0; k < 4; k++)
                __builtin_prefetch(in + (rows->count + k) * in_stride, 0, 2);
            moore_step_two_rows(rows, in, out, a, b, &c, &d, result, context);
            in += 2 * in_stride;
            out += 2 * rows->out_stride;
            moore_step_two_rows(rows, in, out, c, d, &a, &b, result, context);
            in += 2 * rows->in_stride;
            out += 2 * rows->out_stride;
        }
        for (; r > 0; r--) {
            c = moore_row_at(in);
            store_word(out,
                       result(word_full_add(a.sum.low, b.sum.low, c.sum.low),
                              word_full_add(a.sum.high, b.sum.high, c.sum.high), b.cells, context));
            a = b;
            b = c;
            in += rows->in_stride;
            out += rows->out_stride;
        }
        store_sum(kept->above_low, kept->above_high, i, a.sum);
        store_sum(kept->here_low, kept->here_high, i, b.sum);
        if (takes_cells)
            store_word(kept->here_cells + i, b.cells);
    }
}

#endif

/* Generation k's kept rows, and behind them its group buffer, in a worker's scratch. */
static struct kept_rows kept_rows_of(const struct bit_stepper *stepper, uint64_t *scratch, int k)
{
    int64_t stride = stepper->now[0].stride;
    uint64_t *at = scratch + k * moore_scratch_rows(stepper->group_rows) * stride;

    return (struct kept_rows){at, at + stride, at + 2 * stride, at + 3 * stride, at + 4 * stride};
}

static uint64_t *group_of(const struct bit_stepper *stepper, uint64_t *scratch, int k)
{
    return kept_rows_of(stepper, scratch, k).above_low + MOORE_KEPT * stepper->now[0].stride +
           BIT_ROWS_VECTOR;
}

/* Copies rows of the group buffer to the lattice by non-temporal stores, with the cells -1 and W.
 */
static void stream_rows(const struct bit_rows *next, int64_t first, int64_t rows,
                        const uint64_t *from)
{
    int64_t end = next->w / 64;

    for (int64_t r = 0; r < rows; r++, from += next->stride) {
        uint64_t *to = bit_rows_at(next, first + r);

        stream_words(to, from, next->words);
        to[-1] = from[-1];
        if (end % BIT_ROWS_VECTOR == 0)
            to[end] = from[end];
    }
}

/* bit_rows_wrap for many rows. Rows that end with a word take word copies: short rows cost half. */
static void wrap_rows(const struct bit_rows *plane, uint64_t *row, int64_t rows)
{
    for (; rows > 0; rows--, row += plane->stride)
        if (plane->w % 64 == 0 && !plane->dead) {
            row[-1] = row[plane->words - 1];
            row[plane->words] = row[0];
        } else {
            bit_rows_wrap(plane, row);
        }
}

/* Beyond dead edges no cell is born in the generations of a pass: `rows` are those from `first` on.
 */
static void clear_outside(const struct bit_stepper *stepper, int64_t first, struct row_range *rows)
{
    for (int64_t r = 0; r < rows->count; r++)
        if (first + r < 0 || first + r >= stepper->size.h)
            memset(rows->out + r * rows->out_stride, 0,
                   (size_t)stepper->now[0].words * sizeof *rows->out);
}

/*
 * Takes rows i ... i + count - 1 of a pass through its n generations. Generation k - 1 has its
 * first valid row at i = 2 (k - 1), and its first result for generation k two rows later.
 */
MOORE_INLINE void moore_step_group(const struct bit_stepper *stepper,
                                   const struct moore_steps *steps, int64_t first, int64_t i,
                                   int64_t count, int n, const uint64_t *in, uint64_t *scratch)
{
    const struct bit_rows *next = &stepper->next[0];

    for (int k = 1; k <= n; k++) {
        int64_t skipped = i < 2 * (k - 1) ? 2 * (k - 1) - i : 0, kept_rows = 2 * k - i - skipped;
        struct kept_rows kept = kept_rows_of(stepper, scratch, k - 1);
        uint64_t *group = group_of(stepper, scratch, k - 1);
        bool into_lattice = k == n && !stepper->streams;
        struct row_range rows = {.in_stride = next->stride, .out_stride = next->stride};

        if (skipped >= count)
            return;
        kept_rows = kept_rows < 0 ? 0 : kept_rows > count - skipped ? count - skipped : kept_rows;
        steps->keep(in + skipped * next->stride, next->stride, kept_rows, next->words, &kept);
        skipped += kept_rows;
        if (skipped >= count)
            return;
        rows.in = in + skipped * next->stride;
        rows.out = into_lattice ? bit_rows_at(next, first - 2 * n + i + skipped)
                                : group + skipped * next->stride;
        rows.count = count - skipped;
        steps->step(&rows, next->words, &kept, stepper->context);
        if (next->dead && k < n)
            clear_outside(stepper, first - n + i + skipped - k, &rows);
        wrap_rows(next, rows.out, rows.count);
        if (k == n && !into_lattice)
            stream_rows(next, first - 2 * n + i + skipped, rows.count, rows.out);
        in = group;
    }
}

/* bit_ops.pass, with what the rule does with rows. */
MOORE_INLINE void moore_bit_rows_pass(const struct bit_stepper *stepper,
                                      const struct moore_steps *steps, int64_t first, int64_t last,
                                      int n, void *scratch)
{
    const struct ca_slab *slab = &stepper->setup.slab;
    int64_t total = last - first + 2 * n, count;

    for (int64_t i = 0; i < total && first < last; i += count) {
        int64_t layer = slab_layer(slab, first - n, i, !stepper->now[0].dead);

        count = layer < 0 ? 1 : slab->extent - layer;
        count = count < stepper->group_rows ? count : stepper->group_rows;
        count = count < total - i ? count : total - i;
        moore_step_group(stepper, steps, first, i, count, n, bit_row(stepper, 0, layer), scratch);
    }
    if (stepper->streams)
        finish_streams();
}

#endif
