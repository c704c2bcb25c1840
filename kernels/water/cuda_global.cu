/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-global of water: two kernels a generation, a thread a cell, all from global memory.
 *
 * A cell's new level depends on its neighbours' best levels, and threads of different blocks can
 * wait for each other only at the end of a kernel. Therefore one kernel writes all best levels and
 * a second one distributes the water, in blocks of 16 x 16 threads, as in Topa and Mlocek, "GPGPU
 * implementation of cellular automata model of water flow" (PPAM 2011).
 *
 * Sorting five altitudes by insertion would make the threads of a warp diverge, so a network of
 * minima and maxima sorts. That leaves memory as the bottleneck: a cell moves 12 bytes in the first
 * kernel and 20 in the second, which in a lattice larger than the L2 cache fetches again what the
 * first one read. Neighbours' values come from the caches.
 */
#include "kernels/water/cuda_global.cuh"

__global__ static void water_cuda_global_best(const float *__restrict__ terrain,
                                              const float *__restrict__ level,
                                              float *__restrict__ best, int64_t w,
                                              struct grid_chunk chunk)
{
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;

    if (x < chunk.w && y < chunk.h) {
        struct water_around l = water_around_of(level, i, x, y, w, chunk, WATER_NO_LEVEL);

        best[i] = water_best_sorted(terrain[i], level[i], l.north, l.west, l.east, l.south);
    }
}

__global__ static void water_cuda_global_distribute(const float *__restrict__ terrain,
                                                    const float *__restrict__ source,
                                                    const float *__restrict__ best,
                                                    float *__restrict__ level, int64_t w,
                                                    struct grid_chunk chunk, enum water_mode mode)
{
    water_global_distribute(terrain, source, best, level, w, chunk, mode);
}

static const struct water_cell_kernels kernels = {
    water_cuda_global_best, water_cuda_global_distribute, "water_cuda_global_best",
    "water_cuda_global_distribute"};

static enum ca_status water_global_plan(struct cuda *cuda, struct ca_error *error)
{
    return water_cells_plan(cuda, &kernels, "two kernels, a cell a thread", 0, error);
}

CUDA_OPS(water_cuda_global) = WATER_CELLS_OPS(water_global_plan);
