/* SPDX-License-Identifier: MIT */
/*
 * Backends bitslice, bitslice-avx2 and bitslice-avx512 of life3d: 64, 256 and 512 cells at a time,
 * from this one source over `word` (kernels/cpu/word.h), over banded bit planes
 * (kernels/cpu/bands.h).
 *
 * All three are bound by logic. In plain C a word takes 65 operations for 64 cells under the
 * default rule, and 78 where rows are a word or less. AVX2 does the same on four bands of a layer
 * at a time; with its 16 registers some operands of a row are reloaded from L1. AVX-512 does it on
 * eight bands, a full adder of three bits is two ternary operations instead of five, and a shift
 * across words one instruction instead of three.
 *
 * A sum of sum9 cells is made once and used for the three cells in its middle, and two neighbouring
 * sums of sum9 are added once for the two results that need both:
 *
 *     before   ]
 *     first    ]   ]   result of the first:  before + (first + second)
 *     second   ]   ]   result of the second: (first + second) + after
 *     after        ]
 *
 * So sums of sum9 come in pairs. From one pair to the next the last sum and the pair's sum are
 * kept, which have two words in common.
 *
 * Rows of several words: for two rows of a layer the three cells in z are added first, then those
 * with their neighbours in x. Pairs are neighbours in y, and 8 words are kept for each word of a
 * row, which stay in L1 for rows of up to some 2,000 cells.
 *
 * Rows of one word, or several in a word: neighbours in x take more operations there, so they are
 * added first, when one bit has to be shifted and not the two of a sum, and then those in y. Pairs
 * are neighbours in z, two rows go up the layers at a time, and nothing is kept in memory.
 */
#include "kernels/cpu/bands_word.h"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/bitslice.h"

#define KEPT 8 /* words of a struct kept_sums */

struct pass {
    const struct life3d_bits *bits;
    struct bands_halo halo;
    const uint64_t *low, *here, *high; /* row 0 of the three layers */
    uint64_t *next;
    int64_t n;      /* words from row to row */
    uint64_t *kept; /* of a row */
    const word (*not_limits)[5];
};

/* The last two sums of nine: added up, and the second alone. */
struct kept_sums {
    struct life3d_pair pair;
    struct life3d_sum9 sum9;
};

/* Three cells in z. */
ALWAYS struct bit_sum column_at(const struct pass *pass, int64_t at)
{
    return word_full_add(load_word(pass->low + at), load_word(pass->here + at),
                         load_word(pass->high + at));
}

ALWAYS struct life3d_sum9 sum9_of(struct bit_sum before, struct bit_sum here, struct bit_sum after)
{
    struct bit_sum left = {word_left_of(before.low, here.low, 1),
                           word_left_of(before.high, here.high, 1)};
    struct bit_sum right = {word_right_of(here.low, after.low, 1),
                            word_right_of(here.high, after.high, 1)};

    return life3d_add_columns(left, here, right);
}

ALWAYS word apply(const struct pass *pass, enum life3d_form form, struct life3d_partial_sums sums,
                  word live)
{
    switch (form) {
    case LIFE3D_STANDARD:
        return life3d_standard(sums, live);
    case LIFE3D_INTERVALS:
        return life3d_intervals(life3d_count(sums), live, pass->not_limits);
    default:
        return life3d_table(life3d_count(sums), live, pass->bits);
    }
}

ALWAYS struct kept_sums load_kept(const uint64_t *kept)
{
    struct kept_sums sums;
    word words[KEPT];

    for (int i = 0; i < KEPT; i++)
        words[i] = load_word(kept + i * LANES);
    sums.sum9 = (struct life3d_sum9){{words[0], words[1]}, {words[2], words[3]}};
    sums.pair =
        (struct life3d_pair){{words[4], words[0]}, {words[5], words[2]}, words[6], words[7]};
    return sums;
}

ALWAYS void store_kept(uint64_t *kept, struct kept_sums sums)
{
    const word words[KEPT] = {sums.sum9.l.low,  sums.sum9.l.high,  sums.sum9.h.low,
                              sums.sum9.h.high, sums.pair.ones[0], sums.pair.twos[0],
                              sums.pair.four,   sums.pair.eight};

    for (int i = 0; i < KEPT; i++)
        store_word(kept + i * LANES, words[i]);
}

/* --- rows of several words -------------------------------------------------------------------- */

/*
 * Completes a word of two rows whose sums of nine are `first` and `second`: stores the results of
 * the row before them and of the first row, as many as `results`, and keeps the sums.
 */
ALWAYS void finish_word(const struct pass *pass, enum life3d_form form, int results, int64_t row,
                        int64_t at, struct life3d_sum9 first, struct life3d_sum9 second)
{
    struct kept_sums last = load_kept(pass->kept + KEPT * at), next;

    next.pair = life3d_add_pair(first, second);
    next.sum9 = second;
    if (results > 0)
        store_word(pass->next + row + at, apply(pass, form, life3d_add_third(last.pair, first),
                                                load_word(pass->here + row + at)));
    if (results > 1)
        store_word(pass->next + row + pass->n + at,
                   apply(pass, form, life3d_add_third(next.pair, last.sum9),
                         load_word(pass->here + row + pass->n + at)));
    if (results != 1)
        store_kept(pass->kept + KEPT * at, next);
}

/* The column sums of a row during a pass: at the word before, at this one, and at the row's ends.
 */
struct row {
    struct bit_sum before, here, first, last;
};

ALWAYS word last_of(const struct life3d_ends *ends, word last, word first)
{
    return (last & ends->valid) | (first << ends->end & ends->wrap_inside);
}

/*
 * The row's last word is the neighbour before word 0, so it is loaded first and wrapped. `partial`:
 * not all bits of the last word are cells.
 */
ALWAYS struct row start_row(const struct pass *pass, const struct life3d_ends *ends, bool partial,
                            int64_t start)
{
    struct row row;
    int shift = 64 - ends->end;

    row.here = row.first = column_at(pass, start);
    row.before = row.last = column_at(pass, start + pass->n - LANES);
    if (partial) {
        row.before.low = row.last.low << shift & ends->wrap_inside;
        row.before.high = row.last.high << shift & ends->wrap_inside;
        row.last.low = last_of(ends, row.last.low, row.first.low);
        row.last.high = last_of(ends, row.last.high, row.first.high);
        row.first.low = row.first.high = word_of(0);
    } else {
        row.before.low &= ends->wrap_beyond;
        row.before.high &= ends->wrap_beyond;
        row.first.low &= ends->wrap_beyond;
        row.first.high &= ends->wrap_beyond;
    }
    return row;
}

ALWAYS struct life3d_sum9 next_sum9(struct row *row, struct bit_sum after)
{
    struct life3d_sum9 sum9 = sum9_of(row->before, row->here, after);

    row->before = row->here;
    row->here = after;
    return sum9;
}

/* Sums the rows at `first` and `second`; stores `results` results, at `row` and the row after it.
 */
ALWAYS void step_row_pair(const struct pass *pass, const struct life3d_ends *ends,
                          enum life3d_form form, bool partial, int results, int64_t row,
                          int64_t first, int64_t second)
{
    struct row a = start_row(pass, ends, partial, first);
    struct row b = start_row(pass, ends, partial, second);
    struct life3d_sum9 sum9;
    int64_t at = 0;

    for (; at < pass->n - 2 * LANES; at += LANES) {
        sum9 = next_sum9(&a, column_at(pass, first + at + LANES));
        finish_word(pass, form, results, row, at, sum9,
                    next_sum9(&b, column_at(pass, second + at + LANES)));
    }
    sum9 = next_sum9(&a, a.last);
    finish_word(pass, form, results, row, at, sum9, next_sum9(&b, b.last));
    sum9 = next_sum9(&a, a.first);
    finish_word(pass, form, results, row, at + LANES, sum9, next_sum9(&b, b.first));
}

ALWAYS void step_rows(const struct pass *of, enum life3d_form form, bool partial, int64_t first,
                      int64_t last)
{
    struct pass pass = *of;
    struct life3d_ends ends = of->bits->ends;
    int64_t n = pass.n, i = first;

    step_row_pair(&pass, &ends, form, partial, 0, 0, (first - 1) * n, first * n);
    for (; i + 1 < last; i += 2)
        step_row_pair(&pass, &ends, form, partial, 2, i * n, (i + 1) * n, (i + 2) * n);
    if (i < last)
        step_row_pair(&pass, &ends, form, partial, 1, i * n, (i + 1) * n, (i + 1) * n);
}

/* --- rows of one word, or several rows in a word ---------------------------------------------- */

/* How much of the layout a loop knows at compile time. */
enum known_layout {
    ONE_ROW,
    TWO_ROWS,
    TWO_HALVES,    /* two periodic rows of 32 cells in a word */
    TWO_ROW_BANDS, /* such rows in even bands of two */
};

#if WORD_LANES > 1
typedef uint32_t word_halves __attribute__((vector_size(8 * WORD_LANES)));

/* Three cells in x of rows of 32 cells: each half is rotated by one cell. */
ALWAYS struct bit_sum half_row_sum(word here)
{
    word_halves halves = (word_halves)here;

    return word_full_add((word)(halves << 1 | halves >> 31), here,
                         (word)(halves >> 1 | halves << 31));
}

/* The halves rotated by one: halo_from_before and halo_from_after for rows of 32 cells. */
ALWAYS word rotate_halves_up(word a)
{
    const word_halves halves = (word_halves)a;
#if WORD_LANES == 8
    return (word)__builtin_shufflevector(halves, halves, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                         12, 13, 14);
#else
    return (word)__builtin_shufflevector(halves, halves, 7, 0, 1, 2, 3, 4, 5, 6);
#endif
}

ALWAYS word rotate_halves_down(word a)
{
    const word_halves halves = (word_halves)a;
#if WORD_LANES == 8
    return (word)__builtin_shufflevector(halves, halves, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                                         14, 15, 0);
#else
    return (word)__builtin_shufflevector(halves, halves, 1, 2, 3, 4, 5, 6, 7, 0);
#endif
}

/* The sums of nine of both rows of a layer of bands of two rows. */
ALWAYS void two_row_band_sums9(const uint64_t *layer, struct life3d_sum9 sum9[2])
{
    struct bit_sum a = half_row_sum(load_word(layer));
    struct bit_sum b = half_row_sum(load_word(layer + LANES));
    struct bit_sum before = {rotate_halves_up(b.low), rotate_halves_up(b.high)};
    struct bit_sum after = {rotate_halves_down(a.low), rotate_halves_down(a.high)};

    sum9[0] = life3d_add_columns(before, a, b);
    sum9[1] = life3d_add_columns(a, b, after);
}
#endif

/* Three cells in x. */
ALWAYS struct bit_sum row_sum(const struct life3d_ends *ends, enum known_layout known, word here)
{
    word left, right;

#if WORD_LANES > 1
    if (known >= TWO_HALVES)
        return half_row_sum(here);
#endif
    (void)known;
    left = (here << 1 & ends->keep_left) | (here >> ends->side & ends->wrap_left);
    right = (here >> 1 & ends->keep_right) | (here << ends->side & ends->wrap_right);
    return word_full_add(left, here, right);
}

/* The rows before the first and after the last one. Even bands make their halo here, as needed. */
ALWAYS word row_before(const struct bands_halo *halo, const uint64_t *row, int64_t first)
{
    const struct bands *bands = halo->bands;

    if (first == 0 && bands->even)
        return halo_from_before(halo, load_word(row + (bands->rows - 1) * LANES));
    return load_word(row + (first - 1) * LANES);
}

ALWAYS word row_after(const struct bands_halo *halo, const uint64_t *row, int64_t last)
{
    const struct bands *bands = halo->bands;

    if (last == bands->rows && bands->even)
        return halo_from_after(halo, load_word(row));
    return load_word(row + last * LANES);
}

/* The sums of nine of rows i and i + 1 of a layer, or of row i alone. */
ALWAYS void sums9_of(const struct pass *pass, const struct life3d_ends *ends,
                     enum known_layout known, const uint64_t *layer, int64_t i,
                     struct life3d_sum9 sum9[2])
{
    const uint64_t *row = layer + i * LANES;
    const int more = known != ONE_ROW;
    struct bit_sum before, here, after;

#if WORD_LANES > 1
    if (known == TWO_ROW_BANDS) {
        two_row_band_sums9(layer, sum9);
        return;
    }
#endif
    before = row_sum(ends, known, row_before(&pass->halo, layer, i));
    here = row_sum(ends, known, load_word(row));
    if (more) {
        after = row_sum(ends, known, load_word(row + LANES));
        sum9[0] = life3d_add_columns(before, here, after);
        before = here;
        here = after;
    }
    after = row_sum(ends, known, row_after(&pass->halo, layer, i + 1 + more));
    sum9[more] = life3d_add_columns(before, here, after);
}

struct layers {
    const struct bands *bands;
    int now;
    int64_t first, last;
};

ALWAYS const uint64_t *layer_at(const struct layers *of, int64_t z)
{
    const struct bands *bands = of->bands;

    return bands_row(bands, 0, of->now, slab_layer(&bands->setup.slab, z, 0, bands->torus), 0);
}

/* Rows i and i + 1 of the layers first ... last - 1, or row i alone. */
ALWAYS void step_up_layers(const struct pass *pass, enum life3d_form form, enum known_layout known,
                           const struct layers *layers, int64_t i)
{
    const int count = known == ONE_ROW ? 1 : 2;
    struct life3d_ends ends = pass->bits->ends;
    struct life3d_sum9 first[2], second[2], before[2];
    struct life3d_pair pair[2];
    int64_t z = layers->first;
    const uint64_t *here = layer_at(layers, z), *after;

    sums9_of(pass, &ends, known, layer_at(layers, z - 1), i, first);
    sums9_of(pass, &ends, known, here, i, second);
    for (int k = 0; k < count; k++)
        pair[k] = life3d_add_pair(first[k], second[k]);
    for (;;) {
        uint64_t *to = bands_row(layers->bands, 0, !layers->now, z, i);

        after = layer_at(layers, z + 1);
        sums9_of(pass, &ends, known, after, i, first);
        for (int k = 0; k < count; k++)
            store_word(to + k * LANES, apply(pass, form, life3d_add_third(pair[k], first[k]),
                                             load_word(here + (i + k) * LANES)));
        if (++z == layers->last)
            break;
        to += layers->bands->layer_words;
        here = layer_at(layers, z + 1);
        for (int k = 0; k < count; k++)
            before[k] = second[k];
        sums9_of(pass, &ends, known, here, i, second);
        for (int k = 0; k < count; k++) {
            pair[k] = life3d_add_pair(first[k], second[k]);
            store_word(to + k * LANES, apply(pass, form, life3d_add_third(pair[k], before[k]),
                                             load_word(after + (i + k) * LANES)));
        }
        if (++z == layers->last)
            break;
    }
}

/* Rows in pairs, the last perhaps alone. */
ALWAYS void step_word_rows(const struct pass *pass, enum life3d_form form,
                           const struct layers *layers, int64_t first, int64_t last)
{
    bool halves = WORD_LANES > 1 && pass->bits->ends.halves;
    int64_t i = first;

    if (halves && layers->bands->even && layers->bands->rows == 2 && last - first == 2) {
        step_up_layers(pass, form, TWO_ROW_BANDS, layers, 0);
        return;
    }
    for (; i + 1 < last; i += 2)
        if (halves)
            step_up_layers(pass, form, TWO_HALVES, layers, i);
        else
            step_up_layers(pass, form, TWO_ROWS, layers, i);
    if (i < last)
        step_up_layers(pass, form, ONE_ROW, layers, i);
}

/* --- layers ----------------------------------------------------------------------------------- */

/* Each form has functions of its own that are not inlined, because each needs all registers. */
#define FORM(NAME, form)                                                                           \
    static __attribute__((noinline)) void NAME##_rows(                                             \
        const struct pass *pass, const struct layers *layers, int64_t first, int64_t last)         \
    {                                                                                              \
        (void)layers;                                                                              \
        if (pass->bits->ends.end)                                                                  \
            step_rows(pass, form, true, first, last);                                              \
        else                                                                                       \
            step_rows(pass, form, false, first, last);                                             \
    }                                                                                              \
    static __attribute__((noinline)) void NAME##_words(                                            \
        const struct pass *pass, const struct layers *layers, int64_t first, int64_t last)         \
    {                                                                                              \
        step_word_rows(pass, form, layers, first, last);                                           \
    }

FORM(standard, LIFE3D_STANDARD)
FORM(intervals, LIFE3D_INTERVALS)
FORM(table, LIFE3D_TABLE)

/* Rows first ... last - 1 of each of the layers. */
static void step_layers(struct pass *pass, const struct layers *layers, int64_t first, int64_t last)
{
    static void (*const step[][2])(const struct pass *pass, const struct layers *layers,
                                   int64_t first, int64_t last) = {
        [LIFE3D_STANDARD] = {standard_rows, standard_words},
        [LIFE3D_INTERVALS] = {intervals_rows, intervals_words},
        [LIFE3D_TABLE] = {table_rows, table_words},
    };
    const struct bands *bands = layers->bands;
    enum life3d_form form = pass->bits->form;

    if (bands->words == 1) {
        step[form][1](pass, layers, first, last);
        return;
    }
    for (int64_t z = layers->first; z < layers->last; z++) {
        pass->low = layer_at(layers, z - 1);
        pass->here = layer_at(layers, z);
        pass->high = layer_at(layers, z + 1);
        pass->next = bands_row(bands, 0, !layers->now, z, 0);
        step[form][0](pass, layers, first, last);
    }
}

static void step_bands(const struct bands *bands, int worker, int now, int64_t first, int64_t last,
                       uint64_t t)
{
    const struct life3d_bits *bits = bands->context;
    struct pass pass = {.bits = bits,
                        .halo = bands_halo(bands),
                        .n = bands->row_words,
                        .kept = bands_scratch(bands, worker)};
    int64_t rows = bands->rows;
    word not_limits[4][5];

    (void)t; /* the same rule in every generation */
    pass.not_limits = not_limits;
    for (int l = 0; l < 4 && bits->form == LIFE3D_INTERVALS; l++)
        for (int i = 0; i < 5; i++)
            not_limits[l][i] = word_of(bits->not_limits[l][i]);
    while (first < last) {
        int64_t z = first / rows, from = first % rows, whole = (last - first) / rows;
        bool partial = from > 0 || whole == 0;
        int64_t to = rows - from < last - first ? rows : from + last - first;
        struct layers layers = {bands, now, z, z + (partial ? 1 : whole)};

        step_layers(&pass, &layers, from, to);
        for (; z < layers.last && to - from == rows && (bands->words > 1 || !bands->even); z++)
            fill_layer_halo(&pass.halo, !now, z);
        first = partial ? first + to - from : layers.last * rows;
    }
}

const struct bands_ops WORD_NAME(life3d_bitslice) = {
    .lanes = WORD_LANES,
    .halo_rows = 1,
    .torus = life3d_torus,
    .pass = step_bands,
    .fill_halo = bands_fill_halo,
    .scratch_rows = KEPT,
    .context_size = sizeof(struct life3d_bits),
    .prepare = life3d_bits_prepare,
};
