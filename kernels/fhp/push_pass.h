/* SPDX-License-Identifier: MIT */
/*
 * The passes of fhp's backends sse2 and avx, the algorithm of Szkoda, Koza and Tykierko,
 * "Accelerating cellular automata simulations using AVX and CUDA" (arXiv:1208.2428, 2012):
 * particles are pushed, then nodes collide, each everywhere before the other starts. The including
 * file defines PUSH, the bytes of a vector that pushes, as 16 or 32.
 *
 * Pushing: for each direction, a mask picks its particles from the vectors of a row, which are ORed
 * into the row that they go to; those along the row by one node, those up and down to the same
 * column or beside it:
 *
 *     row of `now`    and mask    or    row of `next`: above, the same, below
 *
 * An OR may be repeated, so the last vector of a row overlaps the one before it where the width is
 * no multiple. Rows that two workers share are pushed twice: each worker pushes into its own rows
 * alone, from these and from the row on each side.
 *
 * Collision: node by node, in place, by a table of 256 entries, solid nodes included, of which
 * there is one for each chirality. Vectors do no more here than put the random bit beside its node,
 * and are 128 bits wide, since AVX has no integer instructions beyond.
 */
#ifndef CALAB_KERNELS_FHP_PUSH_PASS_H
#define CALAB_KERNELS_FHP_PUSH_PASS_H

#define VECTOR 16
#include "kernels/fhp/bytes.h"

#ifndef PUSH
#define PUSH 16
#endif

typedef uint8_t push_vector __attribute__((vector_size(PUSH)));

/* --- pushing ---------------------------------------------------------------------------------- */

/* to[0 ... PUSH - 1] = what is there, if it is kept, or from & mask. */
DRAW void push_one(uint8_t *to, const uint8_t *from, uint8_t mask, bool keep)
{
    push_vector there = {0}, particles;

    if (keep)
        memcpy(&there, to, sizeof there);
    memcpy(&particles, from, sizeof particles);
    there |= particles & mask;
    memcpy(to, &there, sizeof there);
}

/* The same for n nodes. */
DRAW void push_nodes(uint8_t *to, const uint8_t *from, int64_t n, uint8_t mask, bool keep)
{
    for (int64_t i = 0; i + PUSH <= n; i += PUSH)
        push_one(to + i, from + i, mask, keep);
    if (n >= PUSH)
        push_one(to + n - PUSH, from + n - PUSH, mask, keep);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = (uint8_t)((keep ? to[i] : 0) | (from[i] & mask));
}

/* Pushes a direction's particles of a row of w nodes, which is periodic, so many columns east. */
DRAW void push_row(uint8_t *to, const uint8_t *from, int64_t w, int direction, int east)
{
    uint8_t mask = (uint8_t)(1 << direction);

    push_nodes(to + (east > 0), from + (east < 0), w - (east != 0), mask, true);
    if (east > 0)
        to[0] |= from[w - 1] & mask;
    if (east < 0)
        to[w - 1] |= from[0] & mask;
}

/* The first pass: from rows first - 1 ... last of `now` into rows first ... last - 1 of `next`. */
static void push(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t)
{
    const struct ca_slab *slab = &stepper->setup.slab;
    const uint8_t *now = stepper->now.plane[0];
    uint8_t *next = stepper->next.plane[0];
    int64_t w = stepper->size.w;

    (void)t;
    for (int64_t y = first - 1; y <= last; y++) {
        int64_t row = slab_layer(slab, y, 0, true);
        const uint8_t *from = now + row * w;
        int east = (int)(slab_global(slab, y, stepper->setup.size.h) % 2), west = east - 1;

        if (y + 1 < last) /* what stays there comes first, in place of the generation before */
            push_nodes(next + (y + 1) * w, now + (y + 1) * w, w, FHP_REST | FHP_SOLID, false);
        if (row < 0) /* beyond the ghost layers */
            continue;
        if (y > first) {
            push_row(next + (y - 1) * w, from, w, FHP_NW, west);
            push_row(next + (y - 1) * w, from, w, FHP_NE, east);
        }
        if (y >= first && y < last) {
            push_row(next + y * w, from, w, FHP_E, 1);
            push_row(next + y * w, from, w, FHP_W, -1);
        }
        if (y + 1 < last) {
            push_row(next + (y + 1) * w, from, w, FHP_SE, east);
            push_row(next + (y + 1) * w, from, w, FHP_SW, west);
        }
    }
}

/* --- collision -------------------------------------------------------------------------------- */

/* Expands the bits of 16 nodes to their bytes: each byte takes the byte that holds its bit. */
DRAW vector expand(const uint64_t bits[DRAW_WORDS], int i)
{
    const vector bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    __m128i bytes = _mm_cvtsi32_si128((int)(bits[i / 4] >> (i % 4 * 16) & 0xffff));

    bytes = _mm_unpacklo_epi8(bytes, bytes);
    bytes = _mm_shufflelo_epi16(bytes, _MM_SHUFFLE(1, 1, 0, 0));
    bytes = _mm_shuffle_epi32(bytes, _MM_SHUFFLE(1, 1, 0, 0));
    return (vector)(((vector)bytes & bit) == bit);
}

DRAW void collect(uint64_t bits[DRAW_WORDS], int i, vector bytes)
{
    uint64_t word = i % 4 ? bits[i / 4] : 0;

    bits[i / 4] = word | (uint64_t)(uint32_t)_mm_movemask_epi8((__m128i)bytes) << (i % 4 * 16);
}

DRAW void collide_block(const struct fhp_bytes *fhp, const uint64_t chirality[DRAW_WORDS],
                        uint8_t node[DRAW_CELLS])
{
    const uint8_t *table = (const uint8_t *)fhp->next;
    uint16_t entry[DRAW_CELLS]; /* node + 256 * chirality */

    for (int i = 0; i < VECTORS; i++) {
        __m128i nodes = (__m128i)bytes_load(node + i * VECTOR);
        __m128i sides = (__m128i)(expand(chirality, i) & 1);

        _mm_storeu_si128((__m128i *)(entry + i * VECTOR), _mm_unpacklo_epi8(nodes, sides));
        _mm_storeu_si128((__m128i *)(entry + i * VECTOR + VECTOR / 2),
                         _mm_unpackhi_epi8(nodes, sides));
    }
#pragma GCC unroll 16
    for (int i = 0; i < DRAW_CELLS; i++)
        node[i] = table[entry[i]];
}

/* Collides, bounces and forces the n nodes of a row of `next` from column x on, n <= DRAW_CELLS. */
DRAW void collide_nodes(const struct fhp_bytes *fhp, const struct draw_row *draw, uint8_t *row,
                        int64_t x, int64_t n)
{
    struct draw_place place = draw_place(draw, x);
    uint8_t part[DRAW_CELLS] = {0}, *node = n == DRAW_CELLS ? row + x : part;
    uint64_t chirality[DRAW_WORDS];

    if (node == part)
        memcpy(part, row + x, (size_t)n);
    draw_bits(&place, FHP_STREAM_CHIRALITY, chirality);
    collide_block(fhp, chirality, node);
    if (fhp->force)
        bytes_force(&place, fhp->force, node, &(const struct bytes_bits){expand, collect});
    if (node == part)
        memcpy(row + x, part, (size_t)n);
}

/* The second pass. */
static void collide(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t)
{
    struct draw_step step = draw_step(stepper->setup.seed, t);
    int64_t w = stepper->size.w;

    for (int64_t y = first; y < last; y++) {
        int64_t global = slab_global(&stepper->setup.slab, y, stepper->setup.size.h);
        struct draw_row draw = draw_row(&step, (uint64_t)global, 0);
        uint8_t *row = (uint8_t *)stepper->next.plane[0] + y * w;
        int64_t x = 0;

        for (; x + DRAW_CELLS <= w; x += DRAW_CELLS)
            collide_nodes(stepper->context, &draw, row, x, DRAW_CELLS);
        if (x < w)
            collide_nodes(stepper->context, &draw, row, x, w - x);
    }
}

#endif
