/* SPDX-License-Identifier: MIT */
/*
 * The walk over banded bit planes that the CPU's bit-sliced backends of life3d share, written over
 * `word`: see kernels/cpu/bands.h for the layout. It makes life3d_pass.
 *
 * Nine cells are added up once and used for three of the cells in their middle, and two nines next
 * to each other are added up once for the two results that need both:
 *
 *     nine before   ]
 *     first         ]   ]   result of the first:  before + (first + second)
 *     second        ]   ]   result of the second: (first + second) + after
 *     after             ]
 *
 * So nines come in pairs, and what is kept from one pair to the next are the last nine and the
 * pair's sum, of which two words are the same.
 *
 * Rows of several words: for two rows of a layer three cells in z are added first, then those with
 * their neighbours in x; pairs are of neighbours in y, and 8 words are kept for one of the lattice,
 * which stay in the first cache for rows of up to some 2,000 cells.
 *
 * Rows of one word, or several in a word: neighbours in x take more operations there, so they come
 * first, when there is one cell to move and not two bits of a sum; then y. Pairs are of neighbours
 * in z, two rows are walked up at a time, and nothing is kept in memory.
 */
#ifndef CALAB_KERNELS_LIFE3D_BITSLICE_PASS_H
#define CALAB_KERNELS_LIFE3D_BITSLICE_PASS_H

#include "kernels/cpu/bands_word.h"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/bitslice.h"

#define KEPT 8 /* words of a pair and its second nine */

struct life3d_walk {
    const struct life3d_bits *bits;
    struct bands_next_copy turn;
    const uint64_t *low, *here, *high; /* row 0 of the three layers */
    uint64_t *next;
    int64_t n;      /* words from row to row */
    uint64_t *kept; /* of a row */
    const word (*not_limits)[5];
};

/* What a walk knows of the last two nines. */
struct life3d_state {
    struct life3d_pair pair;
    struct life3d_nine nine;
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

ALWAYS word apply(const struct life3d_walk *walk, enum life3d_form form, struct life3d_parts parts,
                  word live)
{
    switch (form) {
    case LIFE3D_STANDARD:
        return life3d_standard(parts, live);
    case LIFE3D_INTERVALS:
        return life3d_intervals(life3d_count(parts), live, walk->not_limits);
    default:
        return life3d_table(life3d_count(parts), live, walk->bits);
    }
}

ALWAYS struct life3d_state kept_at(const uint64_t *kept)
{
    struct life3d_state state;
    word words[KEPT];

    for (int i = 0; i < KEPT; i++)
        words[i] = load_word(kept + i * LANES);
    state.nine = (struct life3d_nine){{words[0], words[1]}, {words[2], words[3]}};
    state.pair =
        (struct life3d_pair){{words[4], words[0]}, {words[5], words[2]}, words[6], words[7]};
    return state;
}

ALWAYS void keep_at(uint64_t *kept, struct life3d_state state)
{
    const word words[KEPT] = {state.nine.l.low,  state.nine.l.high,  state.nine.h.low,
                              state.nine.h.high, state.pair.ones[0], state.pair.twos[0],
                              state.pair.four,   state.pair.eight};

    for (int i = 0; i < KEPT; i++)
        store_word(kept + i * LANES, words[i]);
}

/* --- rows of several words -------------------------------------------------------------------- */

/*
 * The nines of two rows are known at a word: kept, and the results of the row before them and of
 * the first of them; of as many as there are `results`.
 */
ALWAYS void finish_word(const struct life3d_walk *walk, enum life3d_form form, int results,
                        int64_t row, int64_t at, struct life3d_nine first,
                        struct life3d_nine second)
{
    struct life3d_state state = kept_at(walk->kept + KEPT * at), next;

    next.pair = life3d_add_pair(first, second);
    next.nine = second;
    if (results > 0)
        store_word(walk->next + row + at, apply(walk, form, life3d_add_third(state.pair, first),
                                                load_word(walk->here + row + at)));
    if (results > 1)
        store_word(walk->next + row + walk->n + at,
                   apply(walk, form, life3d_add_third(next.pair, state.nine),
                         load_word(walk->here + row + walk->n + at)));
    if (results != 1)
        keep_at(walk->kept + KEPT * at, next);
}

/* The columns of a row on its way: at the word before, here, and of its ends. */
struct life3d_row {
    struct life3d_sum before, here, first, last;
};

ALWAYS word last_of(const struct life3d_ends *ends, word last, word first)
{
    return (last & ends->valid) | (first << ends->end & ends->own);
}

/*
 * The row's last word is needed first, as what stands before word 0, and is made ready for its
 * turn; `part`: not all bits of it are cells.
 */
ALWAYS struct life3d_row enter_row(const struct life3d_walk *walk, const struct life3d_ends *ends,
                                   bool part, int64_t start)
{
    struct life3d_row row;
    int turn = 64 - ends->end;

    row.here = row.first = column_at(walk, start);
    row.before = row.last = column_at(walk, start + walk->n - LANES);
    if (part) {
        row.before.low = row.last.low << turn & ends->own;
        row.before.high = row.last.high << turn & ends->own;
        row.last.low = last_of(ends, row.last.low, row.first.low);
        row.last.high = last_of(ends, row.last.high, row.first.high);
        row.first.low = row.first.high = word_of(0);
    } else {
        row.before.low &= ends->beyond;
        row.before.high &= ends->beyond;
        row.first.low &= ends->beyond;
        row.first.high &= ends->beyond;
    }
    return row;
}

ALWAYS struct life3d_nine next_nine(struct life3d_row *row, struct life3d_sum after)
{
    struct life3d_nine nine = nine_of(row->before, row->here, after);

    row->before = row->here;
    row->here = after;
    return nine;
}

/* Rows added up at `first` and `second`; as many results, at `row` and the row after it. */
ALWAYS void walk_pair(const struct life3d_walk *walk, const struct life3d_ends *ends,
                      enum life3d_form form, bool part, int results, int64_t row, int64_t first,
                      int64_t second)
{
    struct life3d_row a = enter_row(walk, ends, part, first);
    struct life3d_row b = enter_row(walk, ends, part, second);
    struct life3d_nine nine;
    int64_t at = 0;

    for (; at < walk->n - 2 * LANES; at += LANES) {
        nine = next_nine(&a, column_at(walk, first + at + LANES));
        finish_word(walk, form, results, row, at, nine,
                    next_nine(&b, column_at(walk, second + at + LANES)));
    }
    nine = next_nine(&a, a.last);
    finish_word(walk, form, results, row, at, nine, next_nine(&b, b.last));
    nine = next_nine(&a, a.first);
    finish_word(walk, form, results, row, at + LANES, nine, next_nine(&b, b.first));
}

ALWAYS void walk_rows(const struct life3d_walk *of, enum life3d_form form, bool part, int64_t first,
                      int64_t last)
{
    struct life3d_walk walk = *of;
    struct life3d_ends ends = of->bits->ends;
    int64_t n = walk.n, i = first;

    walk_pair(&walk, &ends, form, part, 0, 0, (first - 1) * n, first * n);
    for (; i + 1 < last; i += 2)
        walk_pair(&walk, &ends, form, part, 2, i * n, (i + 1) * n, (i + 2) * n);
    if (i < last)
        walk_pair(&walk, &ends, form, part, 1, i * n, (i + 1) * n, (i + 1) * n);
}

/* --- rows of one word, or several rows in a word ---------------------------------------------- */

/* How much of the layout a loop knows beforehand. */
enum life3d_known {
    ONE_ROW,
    TWO_ROWS,
    TWO_HALVES, /* rows of 32 cells that are closed, two in a word */
    TWINS,      /* and bands of two rows that come out even */
};

#if WORD_LANES > 1
typedef uint32_t word_halves __attribute__((vector_size(8 * WORD_LANES)));

/* Each half of 32 cells turned by one cell. */
ALWAYS struct life3d_sum turned_row_of(word here)
{
    word_halves halves = (word_halves)here;

    return life3d_add((word)(halves << 1 | halves >> 31), here, (word)(halves >> 1 | halves << 31));
}

/* The halves moved up or down by one, around the end: what turn_up and turn_down are to these. */
ALWAYS word halves_up(word a)
{
    const word_halves halves = (word_halves)a;
#if WORD_LANES == 8
    return (word)__builtin_shufflevector(halves, halves, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                         12, 13, 14);
#else
    return (word)__builtin_shufflevector(halves, halves, 7, 0, 1, 2, 3, 4, 5, 6);
#endif
}

ALWAYS word halves_down(word a)
{
    const word_halves halves = (word_halves)a;
#if WORD_LANES == 8
    return (word)__builtin_shufflevector(halves, halves, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                                         14, 15, 0);
#else
    return (word)__builtin_shufflevector(halves, halves, 1, 2, 3, 4, 5, 6, 7, 0);
#endif
}

/* The nines of both rows of a layer of twins. */
ALWAYS void twin_nines_of(const uint64_t *layer, struct life3d_nine nine[2])
{
    struct life3d_sum a = turned_row_of(load_word(layer));
    struct life3d_sum b = turned_row_of(load_word(layer + LANES));
    struct life3d_sum before = {halves_up(b.low), halves_up(b.high)};
    struct life3d_sum after = {halves_down(a.low), halves_down(a.high)};

    nine[0] = life3d_add_columns(before, a, b);
    nine[1] = life3d_add_columns(a, b, after);
}
#endif

/* Three cells in x. */
ALWAYS struct life3d_sum row_of(const struct life3d_ends *ends, enum life3d_known known, word here)
{
    word left, right;

#if WORD_LANES > 1
    if (known >= TWO_HALVES)
        return turned_row_of(here);
#endif
    (void)known;
    left = (here << 1 & ends->keep_left) | (here >> ends->side & ends->wrap_left);
    right = (here >> 1 & ends->keep_right) | (here << ends->side & ends->wrap_right);
    return life3d_add(left, here, right);
}

/* Rows before the first and after the last: of even bands they are made here, where needed. */
ALWAYS word word_before(const struct bands_next_copy *turn, const uint64_t *row, int64_t first)
{
    const struct bands *bands = turn->bands;

    if (first == 0 && bands->even)
        return turn_up(turn, load_word(row + (bands->rows - 1) * LANES));
    return load_word(row + (first - 1) * LANES);
}

ALWAYS word word_after(const struct bands_next_copy *turn, const uint64_t *row, int64_t last)
{
    const struct bands *bands = turn->bands;

    if (last == bands->rows && bands->even)
        return turn_down(turn, load_word(row));
    return load_word(row + last * LANES);
}

/* The nines of rows i and i + 1 of a layer, or of row i alone. */
ALWAYS void nines_of(const struct life3d_walk *walk, const struct life3d_ends *ends,
                     enum life3d_known known, const uint64_t *layer, int64_t i,
                     struct life3d_nine nine[2])
{
    const uint64_t *row = layer + i * LANES;
    const int more = known != ONE_ROW;
    struct life3d_sum before, here, after;

#if WORD_LANES > 1
    if (known == TWINS) {
        twin_nines_of(layer, nine);
        return;
    }
#endif
    before = row_of(ends, known, word_before(&walk->turn, layer, i));
    here = row_of(ends, known, load_word(row));
    if (more) {
        after = row_of(ends, known, load_word(row + LANES));
        nine[0] = life3d_add_columns(before, here, after);
        before = here;
        here = after;
    }
    after = row_of(ends, known, word_after(&walk->turn, layer, i + 1 + more));
    nine[more] = life3d_add_columns(before, here, after);
}

struct life3d_layers {
    const struct bands *bands;
    int now;
    int64_t first, last;
};

ALWAYS const uint64_t *layer_at(const struct life3d_layers *of, int64_t z)
{
    const struct bands *bands = of->bands;

    return bands_row(bands, 0, of->now, slab_layer(&bands->setup.slab, z, 0, bands->torus), 0);
}

/* Rows i and i + 1 of the layers first ... last - 1, or row i alone. */
ALWAYS void walk_layers(const struct life3d_walk *walk, enum life3d_form form,
                        enum life3d_known known, const struct life3d_layers *layers, int64_t i)
{
    const int count = known == ONE_ROW ? 1 : 2;
    struct life3d_ends ends = walk->bits->ends;
    struct life3d_nine first[2], second[2], before[2];
    struct life3d_pair pair[2];
    int64_t z = layers->first;
    const uint64_t *here = layer_at(layers, z), *after;

    nines_of(walk, &ends, known, layer_at(layers, z - 1), i, first);
    nines_of(walk, &ends, known, here, i, second);
    for (int k = 0; k < count; k++)
        pair[k] = life3d_add_pair(first[k], second[k]);
    for (;;) {
        uint64_t *to = bands_row(layers->bands, 0, !layers->now, z, i);

        after = layer_at(layers, z + 1);
        nines_of(walk, &ends, known, after, i, first);
        for (int k = 0; k < count; k++)
            store_word(to + k * LANES, apply(walk, form, life3d_add_third(pair[k], first[k]),
                                             load_word(here + (i + k) * LANES)));
        if (++z == layers->last)
            break;
        to += layers->bands->layer_words;
        here = layer_at(layers, z + 1);
        for (int k = 0; k < count; k++)
            before[k] = second[k];
        nines_of(walk, &ends, known, here, i, second);
        for (int k = 0; k < count; k++) {
            pair[k] = life3d_add_pair(first[k], second[k]);
            store_word(to + k * LANES, apply(walk, form, life3d_add_third(pair[k], before[k]),
                                             load_word(after + (i + k) * LANES)));
        }
        if (++z == layers->last)
            break;
    }
}

/* Rows in pairs, the last perhaps alone. */
ALWAYS void walk_words(const struct life3d_walk *walk, enum life3d_form form,
                       const struct life3d_layers *layers, int64_t first, int64_t last)
{
    bool halves = WORD_LANES > 1 && walk->bits->ends.halves;
    int64_t i = first;

    if (halves && layers->bands->even && layers->bands->rows == 2 && last - first == 2) {
        walk_layers(walk, form, TWINS, layers, 0);
        return;
    }
    for (; i + 1 < last; i += 2)
        if (halves)
            walk_layers(walk, form, TWO_HALVES, layers, i);
        else
            walk_layers(walk, form, TWO_ROWS, layers, i);
    if (i < last)
        walk_layers(walk, form, ONE_ROW, layers, i);
}

/* --- layers ----------------------------------------------------------------------------------- */

/* A function for each of the forms, since each takes all registers that there are. */
#define FORM(NAME, form)                                                                           \
    static __attribute__((noinline)) void NAME##_rows(const struct life3d_walk *walk,              \
                                                      const struct life3d_layers *layers,          \
                                                      int64_t first, int64_t last)                 \
    {                                                                                              \
        (void)layers;                                                                              \
        if (walk->bits->ends.end)                                                                  \
            walk_rows(walk, form, true, first, last);                                              \
        else                                                                                       \
            walk_rows(walk, form, false, first, last);                                             \
    }                                                                                              \
    static __attribute__((noinline)) void NAME##_words(const struct life3d_walk *walk,             \
                                                       const struct life3d_layers *layers,         \
                                                       int64_t first, int64_t last)                \
    {                                                                                              \
        walk_words(walk, form, layers, first, last);                                               \
    }

FORM(standard, LIFE3D_STANDARD)
FORM(intervals, LIFE3D_INTERVALS)
FORM(table, LIFE3D_TABLE)

/* Rows first ... last - 1 of each of the layers. */
static void step_layers(struct life3d_walk *walk, const struct life3d_layers *layers, int64_t first,
                        int64_t last)
{
    static void (*const step[][2])(const struct life3d_walk *walk,
                                   const struct life3d_layers *layers, int64_t first,
                                   int64_t last) = {
        [LIFE3D_STANDARD] = {standard_rows, standard_words},
        [LIFE3D_INTERVALS] = {intervals_rows, intervals_words},
        [LIFE3D_TABLE] = {table_rows, table_words},
    };
    const struct bands *bands = layers->bands;
    enum life3d_form form = walk->bits->form;

    if (bands->words == 1) {
        step[form][1](walk, layers, first, last);
        return;
    }
    for (int64_t z = layers->first; z < layers->last; z++) {
        walk->low = layer_at(layers, z - 1);
        walk->here = layer_at(layers, z);
        walk->high = layer_at(layers, z + 1);
        walk->next = bands_row(bands, 0, !layers->now, z, 0);
        step[form][0](walk, layers, first, last);
    }
}

static void life3d_pass(const struct bands *bands, int member, int now, int64_t first, int64_t last,
                        uint64_t t)
{
    const struct life3d_bits *bits = bands->context;
    struct life3d_walk walk = {.bits = bits,
                               .turn = bands_next_copy(bands),
                               .n = bands->row_words,
                               .kept = bands_scratch(bands, member)};
    int64_t rows = bands->rows;
    word not_limits[4][5];

    (void)t; /* the same rule in every generation */
    walk.not_limits = not_limits;
    for (int l = 0; l < 4 && bits->form == LIFE3D_INTERVALS; l++)
        for (int i = 0; i < 5; i++)
            not_limits[l][i] = word_of(bits->not_limits[l][i]);
    while (first < last) {
        int64_t z = first / rows, from = first % rows, whole = (last - first) / rows;
        bool part = from > 0 || whole == 0;
        int64_t to = rows - from < last - first ? rows : from + last - first;
        struct life3d_layers layers = {bands, now, z, z + (part ? 1 : whole)};

        step_layers(&walk, &layers, from, to);
        for (; z < layers.last && to - from == rows && (bands->words > 1 || !bands->even); z++)
            close_layer(&walk.turn, !now, z);
        first = part ? first + to - from : layers.last * rows;
    }
}

/* Rows of each member's scratch. */
static int64_t life3d_scratch(const struct bands *bands) { return bands ? KEPT : 0; }

/* What the backend of this width is to its stepper. */
#define LIFE3D_BANDS                                                                               \
    {                                                                                              \
        .lanes = WORD_LANES, .ghosts = 1, .torus = life3d_torus, .pass = life3d_pass,              \
        .close = bands_fill_halo, .scratch = life3d_scratch,                                       \
        .context_size = sizeof(struct life3d_bits), .prepare = life3d_bits_prepare,                \
    }

#endif
