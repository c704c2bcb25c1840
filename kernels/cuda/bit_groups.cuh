/* SPDX-License-Identifier: MIT */
/*
 * A group is 128 cells of a row, one bit each, in the four words that a lane loads by one
 * instruction: cell x of a group is bit x div 4 of word x mod 4. So a cell's neighbours are at the
 * same bit of the adjacent words, and only at a group's ends are words shifted to take in a bit of
 * the adjacent group:
 *
 *     word  0  1  2  3 | 0  1  2  3 |          bit
 *     cell  0  1  2  3 | .              ...     0        left of word 0: word 3, one bit up, with
 *           4  5  6  7 |                ...     1          the last bit of the group before
 *           .          |                                right of word 3: word 0, one bit down
 *          124 . . 127 | .              ...    31
 */
#ifndef CALAB_KERNELS_CUDA_BIT_GROUPS_CUH
#define CALAB_KERNELS_CUDA_BIT_GROUPS_CUH

#include "kernels/cuda/device.cuh"

#define GROUP_CELLS 128 /* cells */

struct cuda_group {
    uint32_t word[4];
};

static __device__ __forceinline__ struct cuda_group cuda_group_of(uint4 from)
{
    return {{from.x, from.y, from.z, from.w}};
}

static __device__ __forceinline__ uint4 cuda_group_words(const struct cuda_group &group)
{
    return make_uint4(group.word[0], group.word[1], group.word[2], group.word[3]);
}

static __host__ __device__ __forceinline__ int64_t cuda_groups(int64_t w)
{
    return (w + GROUP_CELLS - 1) / GROUP_CELLS;
}

/* --- natural order --------------------------------------------------------------------------- */

/* The bits whose index has digit I 0 and digit J 1. */
template <int I, int J> static __host__ __device__ constexpr uint64_t cuda_digits_mask()
{
    uint64_t mask = 0;

    for (int bit = 0; bit < 64; bit++)
        if (!(bit >> I & 1) && bit >> J & 1)
            mask |= (uint64_t)1 << bit;
    return mask;
}

/* Moves each bit to the index with binary digits I > J exchanged. */
template <int I, int J> static __device__ __forceinline__ uint64_t cuda_exchange_digits(uint64_t x)
{
    constexpr int by = (1 << I) - (1 << J);
    constexpr uint64_t mask = cuda_digits_mask<I, J>();
    uint64_t differ = (x >> by ^ x) & mask;

    return x ^ differ ^ differ << by;
}

/* 64 cells in the order of their columns from half `half` of a group, and back. Cell 4 a + j is bit
 * a of the half's word j: the digits of its index are rotated by two. */
static __device__ __forceinline__ uint64_t cuda_group_get_half(const struct cuda_group &group,
                                                               int half)
{
    uint64_t x = 0;

#pragma unroll
    for (int j = 0; j < 4; j++)
        x |= (uint64_t)(group.word[j] >> 16 * half & 0xffff) << 16 * j;
    x = cuda_exchange_digits<2, 0>(x);
    x = cuda_exchange_digits<3, 1>(x);
    x = cuda_exchange_digits<4, 0>(x);
    return cuda_exchange_digits<5, 1>(x);
}

/* Writes them to the half's 16 bits of each word of the group at `to`. */
static __device__ __forceinline__ void cuda_group_put_half(uint4 *to, int half, uint64_t x)
{
    uint16_t *halves = (uint16_t *)to; /* GPUs are little-endian */

    x = cuda_exchange_digits<5, 1>(x);
    x = cuda_exchange_digits<4, 0>(x);
    x = cuda_exchange_digits<3, 1>(x);
    x = cuda_exchange_digits<2, 0>(x);
#pragma unroll
    for (int j = 0; j < 4; j++)
        halves[2 * j + half] = (uint16_t)(x >> 16 * j);
}

/* A mask of the group's cells that lie in a row of w cells. */
static __device__ __forceinline__ struct cuda_group cuda_group_inside(int64_t group, int64_t w)
{
    int64_t cells = w - group * GROUP_CELLS;
    struct cuda_group inside;

#pragma unroll
    for (int j = 0; j < 4; j++) {
        int64_t bits = (cells - j + 3) / 4;

        inside.word[j] = bits >= 32 ? 0xffffffffu : bits > 0 ? (1u << bits) - 1 : 0;
    }
    return inside;
}

/* --- the order of draws ---------------------------------------------------------------------- */

/* Moves the bits of x to the positions with binary digits i > j exchanged; `by` is 2^i - 2^j. */
static __device__ __forceinline__ uint32_t cuda_exchange(uint32_t x, int by, uint32_t mask)
{
    uint32_t differ = (x >> by ^ x) & mask;

    return x ^ differ ^ differ << by;
}

/* The group of 128 random bits, which draws return in the order of the cells (philox.cuh). */
static __device__ __forceinline__ struct cuda_group cuda_group_in_order(uint4 drawn)
{
    const uint32_t cells[4] = {drawn.x, drawn.y, drawn.z, drawn.w};
    struct cuda_group group = {};

#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t x = cells[i];

        /* Cell 4 a + j to bit 8 j + a, the position's digits a2 a1 a0 j1 j0 to j1 j0 a2 a1 a0. */
        x = cuda_exchange(x, 14, 0x0000cccc);
        x = cuda_exchange(x, 7, 0x00aa00aa);
        x = cuda_exchange(x, 2, 0x0c0c0c0c);
        x = cuda_exchange(x, 1, 0x22222222);
#pragma unroll
        for (int j = 0; j < 4; j++)
            group.word[j] |= (x >> 8 * j & 0xff) << 8 * i;
    }
    return group;
}

#endif
