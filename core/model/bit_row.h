/* SPDX-License-Identifier: MIT */
/* A row of cells as words: bit b of each byte, 64 cells a word, cell x at bit x mod 64 of word
 * x div 64. */
#ifndef CALAB_CORE_MODEL_BIT_ROW_H
#define CALAB_CORE_MODEL_BIT_ROW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline int64_t ca_bit_row_words(int64_t w) { return (w + 63) / 64; }

/* Packs bit `bit` of w bytes; bits beyond cell w - 1 are 0. */
void ca_bit_row_pack(uint64_t *row, const uint8_t *cells, int bit, int64_t w);
/* Unpacks it. Bit 0 overwrites the bytes with 0 or 1; any other bit has to be clear in them. */
void ca_bit_row_unpack(uint8_t *cells, const uint64_t *row, int bit, int64_t w);

/* Counts, of the cells first ... last - 1, one at least, those that both rows have set. */
int64_t ca_bit_row_ones(const uint64_t *row, const uint64_t *among, int64_t first, int64_t last);

/* The baseline of x86-64 has no instruction that counts ones; this, unlike a call, is vectorised.
 */
static inline int64_t ca_ones(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int64_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* Those of the cells first ... last - 1 of a row that are in word k, which has some of them. */
static inline uint64_t ca_bit_row_mask(int64_t k, int64_t first, int64_t last)
{
    uint64_t mask = ~UINT64_C(0);

    if (last - 64 * k < 64)
        mask = (UINT64_C(1) << (last - 64 * k)) - 1;
    if (first > 64 * k)
        mask &= mask << (first - 64 * k);
    return mask;
}

#ifdef __cplusplus
}
#endif
#endif
