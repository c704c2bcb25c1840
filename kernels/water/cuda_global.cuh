/* SPDX-License-Identifier: MIT */
/* The backends cuda-global and cuda-elimination share neighbours from global memory, and the second
 * kernel. */
#ifndef CALAB_KERNELS_WATER_CUDA_GLOBAL_CUH
#define CALAB_KERNELS_WATER_CUDA_GLOBAL_CUH

#include "kernels/water/cuda_cells.cuh"

struct water_around {
    float north, west, east, south;
};

/* The values of `plane` around cell i, which is (x, y) of the chunk; `none` outside the lattice. */
static __device__ __forceinline__ struct water_around
water_around_of(const float *__restrict__ plane, int64_t i, int x, int y, int64_t w,
                struct grid_chunk chunk, float none)
{
    const float *cell = plane + i;

    return {y > chunk.north ? cell[-w] : none, x > chunk.west ? cell[-1] : none,
            x + 1 < chunk.east ? cell[1] : none, y + 1 < chunk.south ? cell[w] : none};
}

/* The new level of the thread's cell. */
static __device__ __forceinline__ void
water_global_distribute(const float *__restrict__ terrain, const float *__restrict__ source,
                        const float *__restrict__ best, float *__restrict__ level, int64_t w,
                        struct grid_chunk chunk, enum water_mode mode)
{
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;

    if (x < chunk.w && y < chunk.h) {
        struct water_around b = water_around_of(best, i, x, y, w, chunk, WATER_NO_BEST);

        level[i] = water_level_of_all(terrain[i], level[i], source[i], best[i], b.north, b.west,
                                      b.east, b.south, mode);
    }
}

#endif
