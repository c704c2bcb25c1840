/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-global of water: two kernels, a thread a cell, all from global memory.
 *
 * A cell's new level depends on its neighbours' best levels, and threads of different blocks can
 * only wait for each other at the end of a kernel. So one kernel writes all best levels and another
 * distributes the water, in blocks of 16 x 16, as in Topa and Mlocek, "GPGPU implementation of
 * cellular automata model of water flow" (PPAM 2011).
 *
 * Five altitudes sorted by insertion would send the threads of a warp different ways; a network of
 * minima and maxima sends them the same. What is left is memory: 12 bytes of a cell move in the
 * first kernel and 20 in the second, which in a lattice larger than the caches has to fetch again
 * what the first one had. Neighbours' values come out of the caches.
 */
#include "kernels/water/levels.cuh"

struct neighbours {
    float north, west, east, south;
};

/* The values of `plane` around cell (x, y) of the piece, number i; `none` beyond the lattice. */
static __device__ __forceinline__ struct neighbours around(const float *__restrict__ plane,
                                                           int64_t i, int x, int y, int64_t w,
                                                           struct grid_chunk piece, float none)
{
    const float *here = plane + i;

    return {y > piece.north ? here[-w] : none, x > piece.west ? here[-1] : none,
            x + 1 < piece.east ? here[1] : none, y + 1 < piece.south ? here[w] : none};
}

__global__ static void water_cuda_global_best(const float *__restrict__ terrain,
                                              const float *__restrict__ level,
                                              float *__restrict__ best, int64_t w,
                                              struct grid_chunk piece)
{
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;

    if (x < piece.w && y < piece.h) {
        struct neighbours l = around(level, i, x, y, w, piece, WATER_NO_LEVEL);

        best[i] = water_best_sorted(terrain[i], level[i], l.north, l.west, l.east, l.south);
    }
}

__global__ static void water_cuda_global_distribute(const float *__restrict__ terrain,
                                                    const float *__restrict__ source,
                                                    const float *__restrict__ best,
                                                    float *__restrict__ level, int64_t w,
                                                    struct grid_chunk piece, enum water_mode mode)
{
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;

    if (x < piece.w && y < piece.h) {
        struct neighbours b = around(best, i, x, y, w, piece, WATER_NO_BEST);

        level[i] = water_level_of_all(terrain[i], level[i], source[i], best[i], b.north, b.west,
                                      b.east, b.south, mode);
    }
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    (void)t; /* the same rule in every generation */
    return water_levels_step(cuda, n, water_cuda_global_best, water_cuda_global_distribute, 0,
                             error);
}

CUDA_OPS(water_cuda_global) = {
    .own_size = sizeof(struct water_levels),
    .plan = water_levels_plan,
    CUDA_CELLS(water_cells),
    .step = step,
};
