/* SPDX-License-Identifier: MIT */
/* This file allocates bit rows. */
#include "kernels/cpu/bit_rows.h"

#include "core/base/memory.h"
#include "kernels/cpu/parallel_rows.h"

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
    uint64_t *memory;

    *plane = bit_rows_layout(w, rows);
    bytes = (size_t)bit_rows_bytes(plane);
    memory = ca_zeroed(bytes);
    if (!memory)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a plane of %zu bytes", bytes);
    plane->word = memory + BIT_ROWS_VECTOR;
    return parallel_touch(memory, bytes, error);
}

void bit_rows_free(struct bit_rows *plane)
{
    if (plane->word)
        ca_release(plane->word - BIT_ROWS_VECTOR, (size_t)bit_rows_bytes(plane));
    *plane = (struct bit_rows){0};
}
