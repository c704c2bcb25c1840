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

#ifdef __cplusplus
}
#endif
#endif
