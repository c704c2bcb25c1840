/* SPDX-License-Identifier: MIT */
/*
 * The walk over bit rows that the CPU's bit-sliced backends of fhp share, written over `word`. It
 * makes fhp_bits_create, all but the name of the backends' own.
 *
 * Bit plane 0 ... 5 holds the particles of a direction, 6 those at rest, 7 the solid nodes. What
 * arrives at row y is one row of each plane, moved by a cell or not:
 *
 *     plane            0 NW   1 NE   2 E    3 SE   4 SW   5 W
 *     from row         y + 1  y + 1  y      y - 1  y - 1  y
 *     y even, from x   .      left   left   left   .      right      right: of the cell at x + 1
 *     y odd,  from x   right  .      left   .      right  right      left:  of the cell at x - 1
 *
 * Random bits are drawn in blocks of as many cells as one vector of Philox counters serves; see
 * kernels/cpu/philox.h. Logic and draws bind as long as memory, which is asked for 15 bits a
 * node and pass, is a cache.
 */
#ifndef CALAB_KERNELS_FHP_BITSLICE_PASS_H
#define CALAB_KERNELS_FHP_BITSLICE_PASS_H

#include "core/base/random.h"
#include "kernels/cpu/philox.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/bit_stepper.h"
#include "kernels/fhp/bitslice.h"
#include "kernels/fhp/fhp.h"

struct fhp_bits_context {
    uint32_t p_force;
    enum fhp_collisions set;
};

#define GENERATIONS_MAX 64 /* of one pass, as GENERATIONS_OPTION allows */
#define KEPT 4             /* rows of each: three are read and one is written */
#define STRETCH 128        /* words, whole blocks of every vector */

/* A row to be stepped: where its planes and those around it stand, plane p at + p * plane. */
struct fhp_bits_row {
    const uint64_t *above, *here, *below, *solid;
    uint64_t *to;
    int64_t plane, words;
    uint32_t force; /* probability of forcing in 65536ths */
    struct draw_row draw;
};

FHP_INLINE word fhp_left(const uint64_t *at) { return word_left(at, load_word(at)); }
FHP_INLINE word fhp_right(const uint64_t *at) { return word_right(at, load_word(at)); }

FHP_INLINE void fhp_arrive(const struct fhp_bits_row *row, bool odd, int64_t at,
                           struct fhp_bits *node)
{
    const uint64_t *above = row->above + at, *here = row->here + at, *below = row->below + at;
    int64_t plane = row->plane;

    node->move[0] = odd ? fhp_right(below) : load_word(below);
    node->move[1] = odd ? load_word(below + plane) : fhp_left(below + plane);
    node->move[2] = fhp_left(here + 2 * plane);
    node->move[3] = odd ? load_word(above + 3 * plane) : fhp_left(above + 3 * plane);
    node->move[4] = odd ? fhp_right(above + 4 * plane) : load_word(above + 4 * plane);
    node->move[5] = fhp_right(here + 5 * plane);
    node->rest = load_word(here + 6 * plane);
}

FHP_INLINE bool fhp_any(word a)
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

FHP_INLINE void fhp_store_nodes(const struct fhp_bits_row *row, int64_t at,
                                const struct fhp_bits *node)
{
    for (int p = 0; p < 6; p++)
        store_word(row->to + p * row->plane + at, node->move[p]);
    store_word(row->to + 6 * row->plane + at, node->rest);
}

/*
 * Solid nodes put in among the stored ones. Apart from the others, which are most of a lattice:
 * what arrives is fetched again, rather than kept in registers all the time.
 */
static __attribute__((noinline)) void fhp_put_solid(const struct fhp_bits_row *row, bool odd,
                                                    int64_t at)
{
    struct fhp_bits moved, node;

    for (int p = 0; p < 6; p++)
        node.move[p] = load_word(row->to + p * row->plane + at);
    node.rest = load_word(row->to + 6 * row->plane + at);
    fhp_arrive(row, odd, at, &moved);
    fhp_bits_bounce(&node, &moved, load_word(row->solid + at));
    fhp_store_nodes(row, at, &node);
}

/* Words first ... last - 1 of the row; to among the nodes that forcing may turn. */
FHP_INLINE void fhp_step_stretch(const struct fhp_bits_row *of, enum fhp_bits_set set, bool odd,
                                 int64_t first, int64_t last, const uint64_t *chirality,
                                 uint64_t *restrict among)
{
    const struct fhp_bits_row row = *of;

    for (int64_t at = first; at < last; at += LANES) {
        word solid = load_word(row.solid + at);
        struct fhp_bits node;

        fhp_arrive(&row, odd, at, &node);
        fhp_bits_collide(set, &node, load_word(chirality + at - first));
        fhp_store_nodes(&row, at, &node);
        store_word(among + at - first, node.move[5] & ~node.move[2] & ~solid);
        if (__builtin_expect(fhp_any(solid), false))
            fhp_put_solid(of, odd, at);
    }
    /* The rest of the last block. */
    store_word(among + (last - first + LANES - 1) / LANES * LANES, (word){0});
}

static void fhp_draw_stretch(const struct draw_row *row, int64_t first, int64_t last,
                             uint64_t *chirality)
{
    for (int64_t at = first; at < last; at += DRAW_WORDS) {
        struct draw_place place = draw_place(row, 64 * at);

        draw_bits(&place, CA_STREAM_FHP_CHIRALITY, chirality + at - first);
    }
}

static void fhp_force_stretch(const struct fhp_bits_row *row, int64_t first, int64_t last,
                              const uint64_t *among)
{
    uint64_t *west = row->to + 5 * row->plane, *east = row->to + 2 * row->plane;
    uint64_t turned[DRAW_WORDS];

    for (int64_t at = first; at < last; at += DRAW_WORDS) {
        struct draw_place place = draw_place(&row->draw, 64 * at);

        if (!draw_event(&place, CA_STREAM_FHP_FORCING, row->force, among + at - first, turned))
            continue;
        for (int64_t i = at; i < at + DRAW_WORDS && i < last; i += LANES) {
            word change = load_word(turned + i - at);

            store_word(west + i, load_word(west + i) ^ change);
            store_word(east + i, load_word(east + i) ^ change);
        }
    }
}

/* In stretches, so that draws, logic and forcing each have the registers to themselves. */
FHP_INLINE void fhp_step_row(const struct fhp_bits_row *row, enum fhp_bits_set set, bool odd)
{
    uint64_t chirality[STRETCH], among[STRETCH + LANES];

    for (int64_t first = 0; first < row->words; first += STRETCH) {
        int64_t last = row->words - first < STRETCH ? row->words : first + STRETCH;

        fhp_draw_stretch(&row->draw, first, last, chirality);
        fhp_step_stretch(row, set, odd, first, last, chirality, among);
        if (row->force)
            fhp_force_stretch(row, first, last, among);
    }
}

/* Cells -1 and W of all planes of a finished row, as bit_rows_wrap does for one. */
static inline void fhp_close_row(const struct bit_rows *bits, uint64_t *row, int64_t plane)
{
    int64_t last = bits->w - 1, end = bits->w / 64;
    int low = (int)(last % 64), high = (int)(bits->w % 64);
    uint64_t below = ~(~UINT64_C(0) << high);

    for (int p = 0; p < 7; p++, row += plane) {
        row[-1] = row[last / 64] >> low << 63;
        row[end] = (row[end] & below) | (row[0] & 1) << high;
    }
}

/* A member's way through n generations of its band. */
struct fhp_walk {
    const struct bit_stepper *stepper;
    uint64_t *scratch; /* KEPT rows of each generation between the first and the last */
    int64_t plane;     /* words from plane to plane */
    int n;
    struct draw_step step[GENERATIONS_MAX];
};

static uint64_t *fhp_kept_row(const struct fhp_walk *walk, int generation, int64_t y)
{
    return walk->scratch + ((generation - 1) * KEPT + (y & (KEPT - 1))) * 7 * walk->plane;
}

/* Row y, which may lie beyond the slab's ends, after `generation` of the pass's generations. */
static const uint64_t *fhp_row_of(const struct fhp_walk *walk, int generation, int64_t y)
{
    int64_t layer = slab_layer(&walk->stepper->setup.slab, y, 0, true);

    if (generation == 0 || layer < 0)
        return bit_row(walk->stepper, 0, layer);
    return fhp_kept_row(walk, generation, y);
}

/* Row y's step to `generation`. */
FHP_INLINE void fhp_walk_row(const struct fhp_walk *walk, int generation, int64_t y,
                             enum fhp_bits_set set)
{
    const struct bit_stepper *stepper = walk->stepper;
    int64_t layer = slab_layer(&stepper->setup.slab, y, 0, true);
    int64_t global = slab_global(&stepper->setup.slab, y, stepper->setup.size.h);
    struct fhp_bits_row row = {.above = fhp_row_of(walk, generation - 1, y - 1),
                               .here = fhp_row_of(walk, generation - 1, y),
                               .below = fhp_row_of(walk, generation - 1, y + 1),
                               .solid = bit_row(stepper, 7, layer),
                               .to = generation < walk->n ? fhp_kept_row(walk, generation, y)
                                                          : bit_rows_row(&stepper->next[0], y),
                               .plane = walk->plane,
                               .words = stepper->now[0].words,
                               .force =
                                   ((const struct fhp_bits_context *)stepper->context)->p_force,
                               .draw = draw_row(&walk->step[generation - 1], (uint64_t)global, 0)};

    if (layer < 0)
        return; /* beyond a ghost: stays empty */
    if (global % 2)
        fhp_step_row(&row, set, true);
    else
        fhp_step_row(&row, set, false);
    fhp_close_row(&stepper->now[0], row.to, row.plane);
}

/*
 * Several generations in one pass: a row is stepped to generation g as soon as the row after it is
 * at g - 1, so what lies between the first and the last generation is a few rows in the second
 * cache. At the ends of a band rows are stepped by both members, one more for each generation.
 *
 *     row     first   ...    top - 2   top - 1   top
 *     steps                     3         2       1      then all one row on
 */
FHP_INLINE void fhp_bits_pass(const struct bit_stepper *stepper, int64_t first, int64_t last,
                              uint64_t t, int n, void *scratch, enum fhp_bits_set set)
{
    struct fhp_walk walk = {.stepper = stepper, .plane = stepper->memory[0].stride, .n = n};

    if (n > 1) {
        memset(scratch, 0, stepper->scratch_bytes);
        walk.scratch = (uint64_t *)scratch + BIT_ROWS_VECTOR;
    }
    for (int g = 0; g < n; g++)
        walk.step[g] = draw_step(stepper->setup.seed, t + (uint64_t)g);
    for (int64_t top = first - n + 1; top < last + n - 1; top++)
        for (int g = 1; g <= n; g++) {
            int64_t y = top - g + 1;

            if (y >= first - (n - g) && y < last + (n - g))
                fhp_walk_row(&walk, g, y, set);
        }
}

#define FHP_PASS(name, set)                                                                        \
    static void name(const struct bit_stepper *stepper, int64_t first, int64_t last, uint64_t t,   \
                     int n, void *scratch)                                                         \
    {                                                                                              \
        fhp_bits_pass(stepper, first, last, t, n, scratch, set);                                   \
    }

FHP_PASS(pass_1, FHP_BITS_1)
FHP_PASS(pass_2, FHP_BITS_2)
FHP_PASS(pass_3, FHP_BITS_3)

/*
 * One generation as long as both copies stay in the second caches; beyond them as many as keep
 * their rows in half of one, up to 8.
 */
static void fhp_bits_plan(struct bit_stepper *stepper, int wanted)
{
    const int64_t cache = INT64_C(1) << 20;
    int64_t plane = stepper->memory[0].stride * (int64_t)sizeof(uint64_t);
    int64_t rows = ca_rows(stepper->size), members = thread_pool_size(stepper->thread_pool);
    int64_t most = cache / 2 / (7 * KEPT * plane) + 1, generations = wanted;

    if (wanted == 0) {
        generations = most < 8 ? most : 8;
        if (15 * plane * rows <= cache * members || rows < 32 * members)
            generations = 1;
    }
    stepper->generations = (int)generations;
    if (generations > 1)
        stepper->scratch_bytes =
            (size_t)((generations - 1) * 7 * KEPT * plane) + 2 * BIT_ROWS_VECTOR * sizeof(uint64_t);
}

static void fhp_bits_prepare(const struct ca_setup *setup, void *context)
{
    struct fhp_bits_context *bits = context;

    bits->p_force = ca_probability(&setup->params, "p_force");
    bits->set = (enum fhp_collisions)ca_choice(&setup->params, "collisions");
}

static void pass_by_set(const struct bit_stepper *stepper, int64_t first, int64_t last, uint64_t t,
                        int n, void *scratch)
{
    switch (((const struct fhp_bits_context *)stepper->context)->set) {
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

#define FHP_BIT_OPS                                                                                \
    {                                                                                              \
        .blocked = pass_by_set, .plan = fhp_bits_plan, .bits = 8, .fixed = 1,                      \
        .context_size = sizeof(struct fhp_bits_context), .prepare = fhp_bits_prepare               \
    }

#endif
