/* SPDX-License-Identifier: MIT */
/*
 * The walk over banded bit planes that the CPU's bit-sliced backends of life3d share, written over
 * `word`: see kernels/common/bands.h for the layout. It makes life3d_pass.
 *
 * Nine cells are added up once and used for three of the cells in their middle. Rows of several
 * words: for a row of a layer the three cells above each other in z are added first, from three
 * rows in memory, then those with their left and right neighbours. The nines are kept for two rows
 * more, 4 words for one of the lattice, which stay in the first cache for rows of up to some 2,000
 * cells:
 *
 *     row i - 1   nines kept   ]
 *     row i       nines kept   ]  result i
 *     row i + 1   nines made   ]
 *
 * Rows of one word, or several in a word: neighbours in x take more operations there, so they come
 * first, when there is one cell to move and not the two bits of a sum; then y. Such layers are
 * small, and the nines of two layers are kept.
 */
#ifndef CALAB_KERNELS_LIFE3D_BITSLICE_PASS_H
#define CALAB_KERNELS_LIFE3D_BITSLICE_PASS_H

#include "kernels/common/bands_word.h"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/bitslice.h"

#define KEPT 4 /* words of a nine */

struct life3d_walk {
    const struct life3d_bits *bits;
    struct bands_turn turn;
    const uint64_t *low, *here, *high; /* row 0 of the three layers */
    uint64_t *next;
    int64_t n;         /* words from row to row */
    uint64_t *kept[3]; /* nines: of two rows, or of three layers */
    const word (*not_limits)[5];
};

/* Three cells in z. */
ALWAYS struct life3d_sum column_at(const struct life3d_walk *walk, int64_t at)
{
    return life3d_add(load_word(walk->low + at), load_word(walk->here + at),
                      load_word(walk->high + at));
}

ALWAYS struct life3d_nine nine_of(struct life3d_sum before, struct life3d_sum here,
                                  struct life3d_sum after)
{
    struct life3d_sum left = {word_left_of(before.low, here.low, 1),
                              word_left_of(before.high, here.high, 1)};
    struct life3d_sum right = {word_right_of(here.low, after.low, 1),
                               word_right_of(here.high, after.high, 1)};

    return life3d_add_columns(left, here, right);
}

ALWAYS word apply(const struct life3d_walk *walk, enum life3d_form form, struct life3d_count count,
                  word live)
{
    switch (form) {
    case LIFE3D_STANDARD:
        return life3d_standard(count, live);
    case LIFE3D_INTERVALS:
        return life3d_intervals(count, live, walk->not_limits);
    default:
        return life3d_table(count, live, walk->bits);
    }
}

ALWAYS struct life3d_nine kept_at(const uint64_t *kept)
{
    struct life3d_nine nine = {{load_word(kept), load_word(kept + LANES)},
                               {load_word(kept + 2 * LANES), load_word(kept + 3 * LANES)}};

    return nine;
}

ALWAYS void keep_at(uint64_t *kept, struct life3d_nine nine)
{
    store_word(kept, nine.l.low);
    store_word(kept + LANES, nine.l.high);
    store_word(kept + 2 * LANES, nine.h.low);
    store_word(kept + 3 * LANES, nine.h.high);
}

/* --- rows of several words -------------------------------------------------------------------- */

/* The nine at word k of row i + 1 is known: kept, and the result of row i there. */
ALWAYS void finish_word(const struct life3d_walk *walk, enum life3d_form form, bool result,
                        int64_t row, int64_t at, struct life3d_nine nine)
{
    uint64_t *above = walk->kept[0] + KEPT * at;
    const uint64_t *here = walk->kept[1] + KEPT * at;

    if (result)
        store_word(walk->next + row + at,
                   apply(walk, form, life3d_add_nines(kept_at(above), kept_at(here), nine),
                         load_word(walk->here + row + at)));
    keep_at(above, nine);
}

ALWAYS word last_of(const struct life3d_ends *ends, word last, word first)
{
    return (last & ends->valid) | (first << ends->end & ends->own);
}

/*
 * Row i + 1 added up at `new_row`; with `result`, row i's result at `row`. The row's last word is
 * needed first, as what stands before word 0, and is made ready for its turn.
 */
ALWAYS void walk_row(struct life3d_walk *walk, const struct life3d_ends *ends,
                     enum life3d_form form, bool result, int64_t row, int64_t new_row)
{
    int64_t end = walk->n - LANES;
    struct life3d_sum first = column_at(walk, new_row), last = column_at(walk, new_row + end);
    struct life3d_sum before, here = first, after;
    int turn = ends->end ? 64 - ends->end : 0;
    uint64_t torus = ends->own | ends->beyond, *above = walk->kept[0];

    before.low = last.low << turn & torus;
    before.high = last.high << turn & torus;
    last.low = last_of(ends, last.low, first.low);
    last.high = last_of(ends, last.high, first.high);
    for (int64_t at = 0; at < end; at += LANES) {
        if (at + LANES < end)
            after = column_at(walk, new_row + at + LANES);
        else
            after = last;
        finish_word(walk, form, result, row, at, nine_of(before, here, after));
        before = here;
        here = after;
    }
    after.low = first.low & ends->beyond;
    after.high = first.high & ends->beyond;
    finish_word(walk, form, result, row, end, nine_of(before, here, after));
    walk->kept[0] = walk->kept[1];
    walk->kept[1] = above;
}

ALWAYS void walk_rows(const struct life3d_walk *of, enum life3d_form form, int64_t first,
                      int64_t last)
{
    struct life3d_walk walk = *of;
    struct life3d_ends ends = of->bits->ends;

    walk_row(&walk, &ends, form, false, 0, (first - 1) * walk.n);
    walk_row(&walk, &ends, form, false, 0, first * walk.n);
    for (int64_t i = first; i < last; i++)
        walk_row(&walk, &ends, form, true, i * walk.n, (i + 1) * walk.n);
}

/* --- rows of one word, or several rows in a word ---------------------------------------------- */

/* Each half of 32 cells turned by one cell: rows of 32 that are closed. */
#if WORD_LANES > 1
typedef uint32_t word_halves __attribute__((vector_size(8 * WORD_LANES)));

ALWAYS struct life3d_sum turned_row_of(word here)
{
    word_halves halves = (word_halves)here;

    return life3d_add((word)(halves << 1 | halves >> 31), here, (word)(halves >> 1 | halves << 31));
}
#endif

/* Three cells in x. */
ALWAYS struct life3d_sum row_of(const struct life3d_ends *ends, word here)
{
    word left, right;

#if WORD_LANES > 1
    if (ends->halves)
        return turned_row_of(here);
#endif
    left = (here << 1 & ends->keep_left) | (here >> ends->side & ends->wrap_left);
    right = (here >> 1 & ends->keep_right) | (here << ends->side & ends->wrap_right);
    return life3d_add(left, here, right);
}

/* Rows before the first and after the last: of even bands they are made here, where needed. */
ALWAYS word word_before(const struct bands_turn *turn, const uint64_t *row, int64_t first)
{
    const struct bands *bands = turn->bands;

    if (first == 0 && bands->even)
        return turn_up(turn, load_word(row + (bands->rows - 1) * LANES));
    return load_word(row + (first - 1) * LANES);
}

ALWAYS word word_after(const struct bands_turn *turn, const uint64_t *row, int64_t last)
{
    const struct bands *bands = turn->bands;

    if (last == bands->rows && bands->even)
        return turn_down(turn, load_word(row));
    return load_word(row + last * LANES);
}

/*
 * The nines of rows first ... last - 1 of layer `high`, kept; with `result`, the rows' results from
 * those and the two layers kept before.
 */
ALWAYS void walk_words(const struct life3d_walk *walk, enum life3d_form form, bool result,
                       int64_t first, int64_t last)
{
    struct life3d_ends ends = walk->bits->ends;
    const uint64_t *low = walk->kept[0], *here = walk->kept[1], *live = walk->here;
    const uint64_t *row = walk->high;
    uint64_t *high = walk->kept[2], *next = walk->next;
    word end = word_after(&walk->turn, row, last);
    struct life3d_sum above = row_of(&ends, word_before(&walk->turn, row, first));
    struct life3d_sum middle = row_of(&ends, load_word(row + first * LANES));

    for (int64_t at = first * LANES; at < last * LANES; at += LANES) {
        word after = at + LANES < last * LANES ? load_word(row + at + LANES) : end;
        struct life3d_sum below = row_of(&ends, after);
        struct life3d_nine nine = life3d_add_columns(above, middle, below);

        if (result)
            store_word(next + at, apply(walk, form,
                                        life3d_add_nines(kept_at(low + KEPT * at),
                                                         kept_at(here + KEPT * at), nine),
                                        load_word(live + at)));
        keep_at(high + KEPT * at, nine);
        above = middle;
        middle = below;
    }
}

/* --- layers ----------------------------------------------------------------------------------- */

ALWAYS const uint64_t *layer_at(const struct bands *bands, int now, int64_t z, int64_t offset)
{
    return bands_row(bands, 0, now, plain_layer(&bands->setup.slab, z, offset, bands->torus), 0);
}

/* A function for each of the forms, since each takes all registers that there are. */
#define FORM(NAME, form)                                                                           \
    static __attribute__((noinline)) void NAME##_rows(const struct life3d_walk *walk,              \
                                                      int64_t first, int64_t last)                 \
    {                                                                                              \
        walk_rows(walk, form, first, last);                                                        \
    }                                                                                              \
    static __attribute__((noinline)) void NAME##_words(const struct life3d_walk *of,               \
                                                       int64_t first, int64_t last)                \
    {                                                                                              \
        struct life3d_walk walk = *of;                                                             \
        walk_words(&walk, form, true, first, last);                                                \
    }

FORM(standard, LIFE3D_STANDARD)
FORM(intervals, LIFE3D_INTERVALS)
FORM(table, LIFE3D_TABLE)

static void keep_layer(struct life3d_walk *walk, const uint64_t *layer, int64_t first, int64_t last)
{
    walk->high = layer;
    walk_words(walk, LIFE3D_STANDARD, false, first, last);
}

static void turn_kept(struct life3d_walk *walk)
{
    uint64_t *oldest = walk->kept[0];

    walk->kept[0] = walk->kept[1];
    walk->kept[1] = walk->kept[2];
    walk->kept[2] = oldest;
}

/* What the results of rows first ... last - 1 of layer z take, `follows` the same of z - 1. */
static void enter_layer(const struct bands *bands, struct life3d_walk *walk, int now, int64_t z,
                        int64_t first, int64_t last, bool follows)
{
    walk->low = layer_at(bands, now, z, -1);
    walk->here = layer_at(bands, now, z, 0);
    walk->next = bands_row(bands, 0, !now, z, 0);
    if (bands->words == 1 && !follows) {
        keep_layer(walk, walk->low, first, last);
        turn_kept(walk);
        keep_layer(walk, walk->here, first, last);
        turn_kept(walk);
    }
    walk->high = layer_at(bands, now, z, 1);
}

static void step_layer(const struct bands *bands, const struct life3d_walk *walk, int64_t first,
                       int64_t last)
{
    static void (*const step[][2])(const struct life3d_walk *walk, int64_t first, int64_t last) = {
        [LIFE3D_STANDARD] = {standard_rows, standard_words},
        [LIFE3D_INTERVALS] = {intervals_rows, intervals_words},
        [LIFE3D_TABLE] = {table_rows, table_words},
    };

    step[walk->bits->form][bands->words == 1](walk, first, last);
}

static void life3d_pass(const struct bands *bands, int member, int now, int64_t first, int64_t last,
                        uint64_t t)
{
    const struct life3d_bits *bits = bands->context;
    struct life3d_walk walk = {.bits = bits, .turn = bands_turn(bands), .n = bands->row_words};
    int64_t kept = KEPT * bands->row_words * (bands->words == 1 ? bands->rows : 1);
    bool follows = false;
    word not_limits[4][5];

    (void)t; /* the same rule in every generation */
    for (int i = 0; i < 3; i++)
        walk.kept[i] = bands_scratch(bands, member) + i * kept;
    walk.not_limits = not_limits;
    for (int l = 0; l < 4 && bits->form == LIFE3D_INTERVALS; l++)
        for (int i = 0; i < 5; i++)
            not_limits[l][i] = word_of(bits->not_limits[l][i]);
    for (int64_t z = first / bands->rows, from = first % bands->rows; first < last; z++, from = 0) {
        int64_t to = bands->rows - from < last - first ? bands->rows : from + last - first;

        enter_layer(bands, &walk, now, z, from, to, follows);
        step_layer(bands, &walk, from, to);
        follows = to - from == bands->rows;
        if (follows && (bands->words > 1 || !bands->even))
            close_layer(&walk.turn, !now, z);
        turn_kept(&walk);
        first += to - from;
    }
}

/* Rows of scratch that a member needs. */
static int64_t life3d_scratch(const struct bands *bands)
{
    return 3 * KEPT * (bands->words == 1 ? bands->rows : 1);
}

/* What the backend of this width is to its stepper. */
static const struct bands_rule life3d_sliced_rule = {
    .lanes = WORD_LANES,
    .ghosts = 1,
    .torus = life3d_bits_torus,
    .pass = life3d_pass,
    .close = bands_close,
    .scratch = life3d_scratch,
    .context_size = sizeof(struct life3d_bits),
    .prepare = life3d_bits_prepare,
};

#endif
