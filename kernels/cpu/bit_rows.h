/* SPDX-License-Identifier: MIT */
/*
 * Bit rows: a plane of cells that are 0 or 1, 64 to a word, for all bit-sliced backends.
 *
 * Cell x of a row is bit x mod 64 of the row's word x div 64. Each row is followed and preceded by
 * a padding of its own, which holds the cells -1 and W, the neighbours beyond the row's ends:
 *
 *     word     -8 ... -1        0            n - 1       n ...
 *            |  .  .  g|c c c ... c|  ...  |c c g - - -|- - -      n = ceil(W / 64)
 *     cell           -1 0                     W-1 W
 *
 * So a kernel takes the neighbours of all words alike, one bit over and the word next to it, and
 * whether the row closes to a torus is settled when it is finished, by bit_rows_wrap. Bits beyond
 * cell W mean nothing. Rows start at 64 bytes and may be read and written in vectors of up to 8
 * words: those from 0 to n rounded up to 8 belong to the row alone.
 */
#ifndef CALAB_KERNELS_CPU_BIT_ROWS_H
#define CALAB_KERNELS_CPU_BIT_ROWS_H

#include <stdint.h>

#include "core/base/error.h"

#define BIT_ROWS_VECTOR 8 /* words of the widest vector; also the padding before each row */

struct bit_rows {
    int64_t w, rows;
    int64_t words;  /* of a row's cells */
    int64_t stride; /* words from row to row */
    uint64_t *word; /* word 0 of row 0 */
};

/* All zero. CA_NO_DEVICE without memory. */
enum ca_status bit_rows_alloc(struct bit_rows *bits, int64_t w, int64_t rows,
                              struct ca_error *error);
void bit_rows_free(struct bit_rows *bits); /* takes {0} */

static inline uint64_t *bit_rows_row(const struct bit_rows *bits, int64_t row)
{
    return bits->word + row * bits->stride;
}

/*
 * Bit `bit` of each byte of rows of bytes in and out. Loading does not set the cells -1 and W.
 * Storing bit 0 sets the whole byte, to 0 or 1; storing another adds it to a byte without it.
 */
void bit_rows_load_bit(const struct bit_rows *bits, const uint8_t *cells, int bit, int64_t first,
                       int64_t rows);
void bit_rows_store_bit(const struct bit_rows *bits, uint8_t *cells, int bit, int64_t first,
                        int64_t rows);

/* Bytes that are 0 or 1. */
static inline void bit_rows_load(const struct bit_rows *bits, const uint8_t *cells, int64_t first,
                                 int64_t rows)
{
    bit_rows_load_bit(bits, cells, 0, first, rows);
}

static inline void bit_rows_store(const struct bit_rows *bits, uint8_t *cells, int64_t first,
                                  int64_t rows)
{
    bit_rows_store_bit(bits, cells, 0, first, rows);
}

/* Cells -1 and W of a row become cells W - 1 and 0 (torus), or 0. */
static inline void bit_rows_wrap(const struct bit_rows *bits, uint64_t *row, int torus)
{
    int64_t last = bits->w - 1;
    uint64_t low = torus ? row[last / 64] >> (last % 64) & 1 : 0, high = torus ? row[0] & 1 : 0;
    uint64_t *end = &row[bits->w / 64];

    row[-1] = low << 63;
    *end = (*end & ~(~UINT64_C(0) << bits->w % 64)) | high << bits->w % 64;
}

#endif
