/* SPDX-License-Identifier: MIT */
/* This file packs, unpacks and counts rows. Words are little-endian, as bytes are. */
#include "core/model/bit_row.h"

#include <string.h>

#define EVERY_BYTE UINT64_C(0x0101010101010101)

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

void ca_bit_row_pack(uint64_t *row, const uint8_t *cells, int bit, int64_t w)
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

void ca_bit_row_unpack(uint8_t *cells, const uint64_t *row, int bit, int64_t w)
{
    int64_t x = 0;

    for (; x + 64 <= w; x += 64)
        for (int i = 0; i < 8; i++)
            unpack8(cells + x + 8 * i, row[x / 64] >> 8 * i, bit);
    for (; x < w; x++)
        cells[x] = (uint8_t)((bit ? cells[x] : 0) | (row[x / 64] >> (x % 64) & 1) << bit);
}

int64_t ca_bit_row_ones(const uint64_t *row, const uint64_t *among, int64_t first, int64_t last)
{
    int64_t k = first / 64, end = (last - 1) / 64, ones;

    ones = ca_ones(row[k] & among[k] & ca_bit_row_mask(k, first, last));
    if (k == end)
        return ones;
    for (k++; k < end; k++)
        ones += ca_ones(row[k] & among[k]);
    return ones + ca_ones(row[end] & among[end] & ca_bit_row_mask(end, first, last));
}
