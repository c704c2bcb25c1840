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
 *
 * A warp converts a group at a time from and to cells of a byte.
 */
#ifndef CALAB_KERNELS_CUDA_BIT_GROUPS_CUH
#define CALAB_KERNELS_CUDA_BIT_GROUPS_CUH

#include "kernels/cuda/stepper.cuh"

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

/* --- load and store -------------------------------------------------------------------------- */

/* Calls put(row, group, words) for all groups of rows of w cells; bits beyond a row's end are 0. */
template <class Put>
__global__ void cuda_put_groups(Put put, const uint8_t *cells, int64_t w, int64_t rows)
{
    int lane = threadIdx.x % 32;
    int64_t groups = cuda_groups(w), warps = (int64_t)gridDim.x * blockDim.x / 32;

    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < rows * groups;
         i += warps) {
        int64_t row = i / groups, group = i % groups, x = group * GROUP_CELLS + 4 * lane;
        struct cuda_group bits;

#pragma unroll
        for (int j = 0; j < 4; j++)
            bits.word[j] = __ballot_sync(0xffffffff, x + j < w && cells[row * w + x + j]);
        if (lane == 0)
            put(row, group, bits);
    }
}

/* The inverse of cuda_put_groups; get(row, group) returns the words. */
template <class Get>
__global__ void cuda_get_groups(Get get, uint8_t *cells, int64_t w, int64_t rows)
{
    int lane = threadIdx.x % 32;
    int64_t groups = cuda_groups(w), warps = (int64_t)gridDim.x * blockDim.x / 32;

    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < rows * groups;
         i += warps) {
        int64_t row = i / groups, group = i % groups, x = group * GROUP_CELLS + 4 * lane;
        struct cuda_group bits = get(row, group);

#pragma unroll
        for (int j = 0; j < 4; j++)
            if (x + j < w)
                cells[row * w + x + j] = bits.word[j] >> lane & 1;
    }
}

/* The grid of either kernel, in blocks of 256 threads. */
static inline dim3 cuda_groups_grid(int64_t w, int64_t rows)
{
    return cuda_line(rows * cuda_groups(w) * 32);
}

/* The cell at column x, whose group is given. */
static __device__ __forceinline__ uint8_t cuda_group_cell(const struct cuda_group &group, int64_t x)
{
    uint32_t low = x & 1 ? group.word[1] : group.word[0];
    uint32_t high = x & 1 ? group.word[3] : group.word[2];

    return (x & 2 ? high : low) >> (x % GROUP_CELLS / 4) & 1;
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
