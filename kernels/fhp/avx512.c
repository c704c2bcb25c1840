/* SPDX-License-Identifier: MIT */
/*
 * Backend avx512 of fhp: 64 nodes a vector, a whole collision table in two registers.
 *
 * A permutation of the bytes of two registers looks 64 nodes up among 128 entries by seven bits, so
 * the solid bit is ignored. Mask registers select among three of them, for the two chiralities and
 * bounce-back, and 64 random bits are such a mask without conversion. Bound by motion: seven loads,
 * of which six straddle cache lines.
 */
#define VECTOR 64
#include "kernels/fhp/bytes_pass.h"

DRAW vector expand(const uint64_t bits[DRAW_WORDS], int i)
{
    return (vector)_mm512_movm_epi8(bits[i]);
}

DRAW void collect(uint64_t bits[DRAW_WORDS], int i, vector bytes)
{
    bits[i] = _mm512_movepi8_mask((__m512i)bytes);
}

DRAW __m512i look_up(const uint8_t table[128], __m512i node)
{
    return _mm512_permutex2var_epi8(_mm512_loadu_si512(table), node,
                                    _mm512_loadu_si512(table + VECTOR));
}

DRAW void collide(const struct bytes_row *row, int64_t at, const uint64_t chirality[DRAW_WORDS],
                  uint8_t next[DRAW_CELLS])
{
    const struct fhp_bytes *fhp = row->fhp;

    for (int i = 0; i < VECTORS; i++) {
        __m512i moved = (__m512i)bytes_move(row, at + i * VECTOR);
        __m512i bounced = look_up(fhp->next[0] + FHP_SOLID, moved);
        __m512i found = _mm512_mask_blend_epi8(chirality[i], look_up(fhp->next[0], moved),
                                               look_up(fhp->next[1], moved));

        found = _mm512_mask_blend_epi8(_mm512_movepi8_mask(moved), found, bounced);
        bytes_store(next + i * VECTOR, (vector)found);
    }
}

static void fhp_avx512_pass(const struct byte_stepper *stepper, int64_t first, int64_t last,
                            uint64_t t)
{
    bytes_pass(stepper, first, last, t,
               &(const struct bytes_ops){.collide = collide, .bits = {expand, collect}});
}

const struct byte_ops fhp_avx512 = {
    .passes = 1,
    .pass = {fhp_avx512_pass},
    .vector_bits = 8 * VECTOR,
    .context_size = sizeof(struct fhp_bytes),
    .prepare = bytes_prepare,
};
