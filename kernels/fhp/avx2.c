/* SPDX-License-Identifier: MIT */
/*
 * Backend avx2 of fhp: 32 nodes a vector, collisions by byte shuffles.
 *
 * A shuffle looks up one of 16 entries by the low four bits of a byte, and gives 0 where its
 * highest bit is set. So the table of 128 is divided into eight parts, and part j holds the
 * exclusive or of entries 16 j ... with the 16 entries before. Each part is looked up with node -
 * 16 j, which is negative for nodes below, and the exclusive or of all results is the entry. Bound
 * by the eight shuffles for each chirality.
 */
#define VECTOR 32
#include "kernels/fhp/bytes_pass.h"

struct avx2_context {
    struct fhp_bytes fhp;
    uint8_t part[2][8][VECTOR]; /* [chirality], the 16 entries twice */
};

/* Expands the bits of 32 nodes to their bytes. */
DRAW vector expand(const uint64_t bits[DRAW_WORDS], int i)
{
    const __m256i from = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                          2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const vector bit = (vector)_mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i bytes = _mm256_set1_epi32((int)(uint32_t)(bits[i / 2] >> (i % 2 * 32)));

    return (vector)(((vector)_mm256_shuffle_epi8(bytes, from) & bit) == bit);
}

DRAW void collect(uint64_t bits[DRAW_WORDS], int i, vector bytes)
{
    uint64_t word = i % 2 ? bits[i / 2] : 0;

    bits[i / 2] = word | (uint64_t)(uint32_t)_mm256_movemask_epi8((__m256i)bytes) << (i % 2 * 32);
}

/* fhp_bounce for a vector. */
DRAW vector bounce(vector node)
{
    vector low = (vector)_mm256_slli_epi16((__m256i)(node & 7), 3);
    vector high = (vector)_mm256_srli_epi16((__m256i)node, 3);

    return low | (high & 7) | (node & (uint8_t)(FHP_REST | FHP_SOLID));
}

DRAW void collide(const struct bytes_row *row, int64_t at, const uint64_t chirality[DRAW_WORDS],
                  uint8_t next[DRAW_CELLS])
{
    const struct avx2_context *context = (const struct avx2_context *)row->fhp;

    for (int i = 0; i < VECTORS; i++) {
        vector moved = bytes_move(row, at + i * VECTOR), which = moved & FHP_PARTICLES;
        __m256i found[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};

        for (int j = 0; j < 8; j++, which -= 16)
            for (int c = 0; c < 2; c++)
                found[c] = _mm256_xor_si256(
                    found[c],
                    _mm256_shuffle_epi8((__m256i)bytes_load(context->part[c][j]), (__m256i)which));
        found[0] = _mm256_blendv_epi8(found[0], found[1], (__m256i)expand(chirality, i));
        found[0] = _mm256_blendv_epi8(found[0], (__m256i)bounce(moved), (__m256i)moved);
        bytes_store(next + i * VECTOR, (vector)found[0]);
    }
}

static void fhp_avx2_pass(const struct byte_stepper *stepper, int64_t first, int64_t last,
                          uint64_t t)
{
    bytes_pass(stepper, first, last, t,
               &(const struct bytes_ops){.collide = collide, .bits = {expand, collect}});
}

static void fhp_avx2_prepare(const struct ca_setup *setup, void *self)
{
    struct avx2_context *context = self;

    bytes_prepare(setup, &context->fhp);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 8 * VECTOR; i++) {
            int j = i / VECTOR, entry = 16 * j + i % 16;
            const uint8_t *next = context->fhp.next[c];

            context->part[c][j][i % VECTOR] =
                (uint8_t)(next[entry] ^ (j > 0 ? next[entry - 16] : 0));
        }
}

const struct byte_ops fhp_avx2 = {
    .passes = 1,
    .pass = {fhp_avx2_pass},
    .vector_bits = 8 * VECTOR,
    .context_size = sizeof(struct avx2_context),
    .prepare = fhp_avx2_prepare,
};
