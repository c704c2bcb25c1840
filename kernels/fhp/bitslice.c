/* SPDX-License-Identifier: MIT */
/*
 * Backends bitslice, bitslice-avx2 and bitslice-avx512 of fhp: 128, 256 and 512 nodes at a time,
 * from this one source over `word` (kernels/cpu/word.h). The narrowest is two words, which every
 * x86-64 and many other processors have as a vector.
 *
 * All three are bound by logic: some 120 operations for a vector of nodes, and 50 more for a vector
 * of random bits. With AVX-512 the ternary operations leave about 70 for 512 nodes; with forcing
 * the random bits are the bottleneck there: ten multiplications, which only half of the units
 * execute, for each stream and 1024 nodes.
 *
 * Bit planes 0 ... 5 hold the particles of a direction, 6 those at rest, 7 the solid nodes. The
 * particles that arrive at row y come from one row of each plane, shifted by a cell or not:
 *
 *     plane            0 NW   1 NE   2 E    3 SE   4 SW   5 W
 *     from row         y + 1  y + 1  y      y - 1  y - 1  y
 *     y even, from x   .      left   left   left   .      right      right: of the cell at x + 1
 *     y odd,  from x   right  .      left   .      right  right      left:  of the cell at x - 1
 *
 * Random bits are drawn in blocks of as many cells as one vector of Philox counters serves; see
 * kernels/cpu/philox.h. Memory moves 15 bits for a node and pass.
 */
#ifndef WORD_LANES
#define WORD_LANES 2
#endif
#include "kernels/cpu/philox.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/fhp/bitslice.h"
#include "kernels/fhp/fhp.h"

struct context {
    uint32_t p_force;
    enum fhp_collisions set;
};

#define GENERATIONS_MAX 64 /* of one pass, as GENERATIONS_OPTION allows */
#define SEGMENT 128        /* words of a row segment: whole blocks of every vector */

/* A row to be stepped, the rows around it and the one to write; plane p is p * `plane` words on. */
struct row {
    const uint64_t *above, *here, *below, *solid;
    uint64_t *to;
    int64_t plane, words;
    uint32_t force; /* probability of forcing in 65536ths */
    struct draw_row draw;
};

FHP_INLINE word load_left(const uint64_t *at) { return word_left(at, load_word(at)); }
FHP_INLINE word load_right(const uint64_t *at) { return word_right(at, load_word(at)); }

FHP_INLINE void arriving_nodes(const struct row *row, bool odd, int64_t at, struct fhp_bits *node)
{
    const uint64_t *above = row->above + at, *here = row->here + at, *below = row->below + at;
    int64_t plane = row->plane;

    node->move[0] = odd ? load_right(below) : load_word(below);
    node->move[1] = odd ? load_word(below + plane) : load_left(below + plane);
    node->move[2] = load_left(here + 2 * plane);
    node->move[3] = odd ? load_word(above + 3 * plane) : load_left(above + 3 * plane);
    node->move[4] = odd ? load_right(above + 4 * plane) : load_word(above + 4 * plane);
    node->move[5] = load_right(here + 5 * plane);
    node->rest = load_word(here + 6 * plane);
}

FHP_INLINE bool any_set(word a)
{
#if WORD_LANES == 8
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a) != 0;
#elif WORD_LANES == 4
    return !_mm256_testz_si256((__m256i)a, (__m256i)a);
#else
    uint64_t any = 0, part[LANES];

    store_word(part, a);
    for (int i = 0; i < LANES; i++)
        any |= part[i];
    return any != 0;
#endif
}

FHP_INLINE void store_nodes(const struct row *row, int64_t at, const struct fhp_bits *node)
{
    for (int p = 0; p < 6; p++)
        store_word(row->to + p * row->plane + at, node->move[p]);
    store_word(row->to + 6 * row->plane + at, node->rest);
}

/*
 * Bounces the particles at solid nodes back, in a word that is stored already. Most words have no
 * solid nodes, so what arrived is loaded again here and takes no registers elsewhere.
 */
static __attribute__((noinline)) void bounce_solid(const struct row *row, bool odd, int64_t at)
{
    struct fhp_bits moved, node;

    for (int p = 0; p < 6; p++)
        node.move[p] = load_word(row->to + p * row->plane + at);
    node.rest = load_word(row->to + 6 * row->plane + at);
    arriving_nodes(row, odd, at, &moved);
    fhp_bits_bounce(&node, &moved, load_word(row->solid + at));
    store_nodes(row, at, &node);
}

/* Words first ... last - 1 of the row; sets `among` to the nodes that forcing may turn. */
FHP_INLINE void step_segment(const struct row *of, enum fhp_bits_set set, bool odd, int64_t first,
                             int64_t last, const uint64_t *chirality, uint64_t *restrict among)
{
    const struct row row = *of;

    for (int64_t at = first; at < last; at += LANES) {
        word solid = load_word(row.solid + at);
        struct fhp_bits node;

        arriving_nodes(&row, odd, at, &node);
        fhp_bits_collide(set, &node, load_word(chirality + at - first));
        store_nodes(&row, at, &node);
        store_word(among + at - first, node.move[5] & ~node.move[2] & ~solid);
        if (__builtin_expect(any_set(solid), false))
            bounce_solid(of, odd, at);
    }
    /* Clears the rest of the last block. */
    store_word(among + (last - first + LANES - 1) / LANES * LANES, (word){0});
}

static void draw_segment(const struct draw_row *row, int64_t first, int64_t last,
                         uint64_t *chirality)
{
    for (int64_t at = first; at < last; at += DRAW_WORDS) {
        struct draw_place place = draw_place(row, 64 * at);

        draw_bits(&place, FHP_STREAM_CHIRALITY, chirality + at - first);
    }
}

static void force_segment(const struct row *row, int64_t first, int64_t last, const uint64_t *among)
{
    uint64_t *west = row->to + 5 * row->plane, *east = row->to + 2 * row->plane;
    uint64_t turned[DRAW_WORDS];

    for (int64_t at = first; at < last; at += DRAW_WORDS) {
        struct draw_place place = draw_place(&row->draw, 64 * at);

        if (!draw_event(&place, FHP_STREAM_FORCING, row->force, among + at - first, turned))
            continue;
        for (int64_t i = at; i < at + DRAW_WORDS && i < last; i += LANES) {
            word change = load_word(turned + i - at);

            store_word(west + i, load_word(west + i) ^ change);
            store_word(east + i, load_word(east + i) ^ change);
        }
    }
}

/* The row goes in segments, so that draws, logic and forcing each have all registers. */
FHP_INLINE void step_row(const struct row *row, enum fhp_bits_set set, bool odd)
{
    uint64_t chirality[SEGMENT], among[SEGMENT + LANES];

    for (int64_t first = 0; first < row->words; first += SEGMENT) {
        int64_t last = row->words - first < SEGMENT ? row->words : first + SEGMENT;

        draw_segment(&row->draw, first, last, chirality);
        step_segment(row, set, odd, first, last, chirality, among);
        if (row->force)
            force_segment(row, first, last, among);
    }
}

/* Sets cells -1 and W of all planes of a finished row, as bit_rows_wrap does for one. */
static inline void wrap_row(const struct bit_rows *rows, uint64_t *row, int64_t plane)
{
    int64_t last = rows->w - 1, end = rows->w / 64;
    int low = (int)(last % 64), high = (int)(rows->w % 64);
    uint64_t below = ~(~UINT64_C(0) << high);

    for (int p = 0; p < 7; p++, row += plane) {
        row[-1] = row[last / 64] >> low << 63;
        row[end] = (row[end] & below) | (row[0] & 1) << high;
    }
}

/* A pass of a worker's band through n generations. */
struct pass {
    const struct bit_stepper *stepper;
    uint64_t *scratch; /* the last rows of each generation between the first and the last */
    int64_t plane;     /* words from plane to plane */
    int n;
    struct draw_step step[GENERATIONS_MAX];
};

static uint64_t *kept_row(const struct pass *pass, int generation, int64_t y)
{
    return pass->scratch +
           ((generation - 1) * FHP_KEPT_ROWS + (y & (FHP_KEPT_ROWS - 1))) * 7 * pass->plane;
}

/* Row y, which may lie beyond the slab's ends, after `generation` of the pass's generations. */
static const uint64_t *fhp_bitslice_row_at(const struct pass *pass, int generation, int64_t y)
{
    int64_t layer = slab_layer(&pass->stepper->setup.slab, y, 0, true);

    if (generation == 0 || layer < 0)
        return bit_row(pass->stepper, 0, layer);
    return kept_row(pass, generation, y);
}

/* Steps row y to `generation`. */
FHP_INLINE void step_row_to(const struct pass *pass, int generation, int64_t y,
                            enum fhp_bits_set set)
{
    const struct bit_stepper *stepper = pass->stepper;
    int64_t layer = slab_layer(&stepper->setup.slab, y, 0, true);
    int64_t global = slab_global(&stepper->setup.slab, y, stepper->setup.size.h);
    struct row row = {.above = fhp_bitslice_row_at(pass, generation - 1, y - 1),
                      .here = fhp_bitslice_row_at(pass, generation - 1, y),
                      .below = fhp_bitslice_row_at(pass, generation - 1, y + 1),
                      .solid = bit_row(stepper, 7, layer),
                      .to = generation < pass->n ? kept_row(pass, generation, y)
                                                 : bit_rows_at(&stepper->next[0], y),
                      .plane = pass->plane,
                      .words = stepper->now[0].words,
                      .force = ((const struct context *)stepper->context)->p_force,
                      .draw = draw_row(&pass->step[generation - 1], (uint64_t)global, 0)};

    if (layer < 0)
        return; /* beyond the ghost layers: stays empty */
    if (global % 2)
        step_row(&row, set, true);
    else
        step_row(&row, set, false);
    wrap_row(&stepper->now[0], row.to, row.plane);
}

/*
 * Several generations in one pass: a row is stepped to generation g as soon as the row after it is
 * at g - 1, so a few rows of each generation between the first and the last stay in L2. At the ends
 * of a band two workers step the same rows, one more for each generation.
 *
 *     row     first   ...    top - 2   top - 1   top
 *     steps                     3         2       1      then all one row on
 */
FHP_INLINE void step_band(const struct bit_stepper *stepper, int64_t first, int64_t last,
                          uint64_t t, int n, void *scratch, enum fhp_bits_set set)
{
    struct pass pass = {.stepper = stepper, .plane = stepper->memory[0].stride, .n = n};

    if (n > 1) {
        memset(scratch, 0, stepper->scratch_bytes);
        pass.scratch = (uint64_t *)scratch + BIT_ROWS_VECTOR;
    }
    for (int g = 0; g < n; g++)
        pass.step[g] = draw_step(stepper->setup.seed, t + (uint64_t)g);
    for (int64_t top = first - n + 1; top < last + n - 1; top++)
        for (int g = 1; g <= n; g++) {
            int64_t y = top - g + 1;

            if (y >= first - (n - g) && y < last + (n - g))
                step_row_to(&pass, g, y, set);
        }
}

#define FHP_PASS(name, set)                                                                        \
    static void name(const struct bit_stepper *stepper, int64_t first, int64_t last, uint64_t t,   \
                     int n, void *scratch)                                                         \
    {                                                                                              \
        step_band(stepper, first, last, t, n, scratch, set);                                       \
    }

FHP_PASS(pass_1, FHP_BITS_1)
FHP_PASS(pass_2, FHP_BITS_2)
FHP_PASS(pass_3, FHP_BITS_3)

static void prepare(const struct ca_setup *setup, void *context)
{
    struct context *made = context;

    made->p_force = ca_probability(&setup->params, "p_force");
    made->set = (enum fhp_collisions)ca_choice(&setup->params, "collisions");
}

static void pass_by_set(const struct bit_stepper *stepper, int64_t first, int64_t last, uint64_t t,
                        int n, void *scratch)
{
    switch (((const struct context *)stepper->context)->set) {
    case FHP_1:
        pass_1(stepper, first, last, t, n, scratch);
        break;
    case FHP_2:
        pass_2(stepper, first, last, t, n, scratch);
        break;
    case FHP_3:
        pass_3(stepper, first, last, t, n, scratch);
        break;
    }
}

const struct bit_ops WORD_NAME(fhp_bitslice) = {
    .lanes = WORD_LANES,
    .pass = pass_by_set,
    .plan = fhp_bitslice_plan,
    .bits = 8,
    .fixed = 1,
    .context_size = sizeof(struct context),
    .prepare = prepare,
};
