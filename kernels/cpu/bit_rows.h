/* SPDX-License-Identifier: MIT */
/*
 * Bit rows: a plane of cells that are 0 or 1, 64 to a word, for all bit-sliced backends.
 *
 * Cell x of a row is bit x mod 64 of the row's word x div 64. Padding before and behind each row
 * holds the cells -1 and W, the neighbours beyond the row's ends:
 *
 *     word     -8 ... -1        0            n - 1       n ...
 *            |  .  .  g|c c c ... c|  ...  |c c g - - -|- - -      n = ceil(W / 64)
 *     cell           -1 0                     W-1 W
 *
 * So a kernel takes the neighbours of all words alike, one bit over and from the next word, and
 * bit_rows_wrap makes this halo once a row is finished. Bits beyond cell W have no meaning. Rows
 * start at 64 bytes and may be read and written in vectors of up to 8 words: words 0 to n, rounded
 * up to 8, belong to the row alone.
 */
#ifndef CALAB_KERNELS_CPU_BIT_ROWS_H
#define CALAB_KERNELS_CPU_BIT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

#define BIT_ROWS_VECTOR 8 /* words of the widest vector; also the padding before each row */

struct bit_rows {
    int64_t w, rows;
    int64_t words;  /* that hold a row's cells */
    int64_t stride; /* words from row to row */
    bool dead;      /* cells -1 and W are empty; else rows are periodic */
    uint64_t *word; /* word 0 of row 0 */
};

/* The layout of `rows` rows of w cells, without memory, and the bytes that alloc takes for it. */
struct bit_rows bit_rows_layout(int64_t w, int64_t rows);
int64_t bit_rows_bytes(const struct bit_rows *plane);

/* Rows in that layout, all cells 0. CA_NO_MEMORY. */
enum ca_status bit_rows_alloc(struct bit_rows *plane, int64_t w, int64_t rows,
                              struct ca_error *error);
void bit_rows_free(struct bit_rows *plane); /* takes {0} */

static inline uint64_t *bit_rows_at(const struct bit_rows *plane, int64_t row)
{
    return plane->word + row * plane->stride;
}

/* Sets the cells -1 and W of a finished row, its halo. */
static inline void bit_rows_wrap(const struct bit_rows *plane, uint64_t *row)
{
    int64_t last = plane->w - 1;
    uint64_t low = row[last / 64] >> (last % 64) & 1, high = row[0] & 1;
    uint64_t *end = &row[plane->w / 64];

    if (plane->dead)
        low = high = 0;
    row[-1] = low << 63;
    *end = (*end & ~(~UINT64_C(0) << plane->w % 64)) | high << plane->w % 64;
}

#endif
