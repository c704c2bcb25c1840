/* SPDX-License-Identifier: MIT */
/*
 * Backend sse2 of fhp: 16 nodes a vector, with what every x86-64 has.
 *
 * Seven loads and masks move 16 nodes. SSE2 has no byte look-up, so collisions go through the table
 * one by one, with the chirality in place of the solid bit. These are the bottleneck, two loads and
 * a store a node. Solid nodes are blended in afterwards.
 */
#define VECTOR 16
#include "kernels/fhp/bytes_pass.h"

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

/* fhp_bounce for a vector. */
DRAW vector bounce(vector node)
{
    vector low = (vector)_mm_slli_epi16((__m128i)(node & 7), 3);
    vector high = (vector)_mm_srli_epi16((__m128i)node, 3);

    return low | (high & 7) | (node & (uint8_t)(FHP_REST | FHP_SOLID));
}

DRAW void collide(const struct bytes_row *row, int64_t at, const uint64_t chirality[DRAW_WORDS],
                  uint8_t next[DRAW_CELLS])
{
    const uint8_t *table = row->fhp->table.next[0];
    uint8_t moved[DRAW_CELLS], found[DRAW_CELLS];

    for (int i = 0; i < VECTORS; i++) {
        vector node = bytes_move(row, at + i * VECTOR);

        bytes_store(moved + i * VECTOR, node);
        bytes_store(found + i * VECTOR, (node & FHP_PARTICLES) | (expand(chirality, i) & 128));
    }
    for (int i = 0; i < DRAW_CELLS; i++)
        found[i] = table[found[i]];
    for (int i = 0; i < VECTORS; i++) {
        vector node = bytes_load(moved + i * VECTOR);
        vector solid = (vector)_mm_cmplt_epi8((__m128i)node, _mm_setzero_si128());

        bytes_store(next + i * VECTOR,
                    (bytes_load(found + i * VECTOR) & ~solid) | (bounce(node) & solid));
    }
}

static void pass(const struct byte_stepper *stepper, int64_t first, int64_t last, uint64_t t)
{
    bytes_pass(stepper, first, last, t,
               &(const struct bytes_ops){.collide = collide, .expand = expand, .collect = collect});
}

const struct byte_ops fhp_sse2 = {
    .passes = 1,
    .pass = {pass},
    .vector_bits = 8 * VECTOR,
    .context_size = sizeof(struct fhp_bytes),
    .prepare = bytes_prepare,
};
