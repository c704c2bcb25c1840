/* SPDX-License-Identifier: MIT */
/* Owns the memory of bit rows. */
#include "kernels/cpu/bit_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/bit_row.h"

struct bit_rows bit_rows_layout(int64_t w, int64_t rows)
{
    int64_t words = (w + 63) / 64;
    int64_t stride =
        BIT_ROWS_VECTOR + (words + BIT_ROWS_VECTOR - 1) / BIT_ROWS_VECTOR * BIT_ROWS_VECTOR;

    if (stride % 64 == 0) /* else the rows of a column would share few sets of the caches */
        stride += BIT_ROWS_VECTOR;
    return (struct bit_rows){.w = w, .rows = rows, .words = words, .stride = stride};
}

int64_t bit_rows_bytes(const struct bit_rows *plane)
{
    return (plane->rows * plane->stride + BIT_ROWS_VECTOR) * (int64_t)sizeof(uint64_t);
}

enum ca_status bit_rows_alloc(struct bit_rows *plane, int64_t w, int64_t rows,
                              struct ca_error *error)
{
    size_t bytes;
    void *memory = NULL;

    *plane = bit_rows_layout(w, rows);
    bytes = (size_t)bit_rows_bytes(plane);
    if (posix_memalign(&memory, BIT_ROWS_VECTOR * sizeof(uint64_t), bytes) != 0)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a plane of %zu bytes", bytes);
    memset(memory, 0, bytes);
    plane->word = (uint64_t *)memory + BIT_ROWS_VECTOR;
    return CA_OK;
}

void bit_rows_free(struct bit_rows *plane)
{
    if (plane->word)
        free(plane->word - BIT_ROWS_VECTOR);
    *plane = (struct bit_rows){0};
}

void bit_rows_load_bit(const struct bit_rows *plane, const uint8_t *cells, int bit, int64_t first,
                       int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        ca_bit_row_pack(bit_rows_at(plane, first + i), cells + i * plane->w, bit, plane->w);
}

void bit_rows_store_bit(const struct bit_rows *plane, uint8_t *cells, int bit, int64_t first,
                        int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        ca_bit_row_unpack(cells + i * plane->w, bit_rows_at(plane, first + i), bit, plane->w);
}
