/* SPDX-License-Identifier: MIT */
/* Owns the memory of bit rows, and packing and unpacking. Words are little-endian, as bytes are. */
#include "kernels/cpu/bit_rows.h"

#include <stdlib.h>
#include <string.h>

#define EVERY_BYTE UINT64_C(0x0101010101010101)

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

/* Packs bit `bit` of eight bytes: the product brings that of byte i to bit 56 + i. */
static inline uint64_t pack8(const uint8_t *cells, int bit)
{
    uint64_t bytes;

    memcpy(&bytes, cells, sizeof bytes);
    return (bytes >> bit & EVERY_BYTE) * UINT64_C(0x0102040810204080) >> 56;
}

/* Unpacks them: byte i keeps bit i alone, and the addition carries any bit that is set to bit 7. */
static inline void unpack8(uint8_t *cells, uint64_t eight, int bit)
{
    uint64_t bytes = (eight & 0xff) * EVERY_BYTE & UINT64_C(0x8040201008040201), others = 0;

    bytes = (bytes + 0x7f * EVERY_BYTE) >> 7 & EVERY_BYTE;
    if (bit)
        memcpy(&others, cells, sizeof others);
    bytes = others | bytes << bit;
    memcpy(cells, &bytes, sizeof bytes);
}

static void pack_row(uint64_t *row, const uint8_t *cells, int bit, int64_t w)
{
    int64_t x = 0;

    for (; x + 64 <= w; x += 64) {
        uint64_t word = 0;

        for (int i = 0; i < 8; i++)
            word |= pack8(cells + x + 8 * i, bit) << 8 * i;
        row[x / 64] = word;
    }
    if (x < w) {
        uint64_t word = 0;

        for (int64_t i = x; i < w; i++)
            word |= (uint64_t)(cells[i] >> bit & 1) << (i - x);
        row[x / 64] = word;
    }
}

static void unpack_row(uint8_t *cells, const uint64_t *row, int bit, int64_t w)
{
    int64_t x = 0;

    for (; x + 64 <= w; x += 64)
        for (int i = 0; i < 8; i++)
            unpack8(cells + x + 8 * i, row[x / 64] >> 8 * i, bit);
    for (; x < w; x++)
        cells[x] = (uint8_t)((bit ? cells[x] : 0) | (row[x / 64] >> (x % 64) & 1) << bit);
}

void bit_rows_load_bit(const struct bit_rows *plane, const uint8_t *cells, int bit, int64_t first,
                       int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        pack_row(bit_rows_at(plane, first + i), cells + i * plane->w, bit, plane->w);
}

void bit_rows_store_bit(const struct bit_rows *plane, uint8_t *cells, int bit, int64_t first,
                        int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        unpack_row(cells + i * plane->w, bit_rows_at(plane, first + i), bit, plane->w);
}
