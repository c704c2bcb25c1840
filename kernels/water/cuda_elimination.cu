/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-elimination of water: the two kernels of cuda-global, with best levels by
 * elimination (kernels/water/elimination.h), which is how Topa and Mlocek state the algorithm first
 * (PPAM 2011).
 *
 * The threads of a warp take as many rounds as the one that eliminates most often, one to five, and
 * each round ends in a division. Memory traffic is that of cuda-global, where a network sorts
 * without branches and divides once: the difference between the two is what the rounds cost.
 */
#include "kernels/water/cuda_global.cuh"
#include "kernels/water/elimination.h"

__global__ static void water_cuda_elimination_best(const float *__restrict__ terrain,
                                                   const float *__restrict__ level,
                                                   float *__restrict__ best, int64_t w,
                                                   struct grid_chunk chunk)
{
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;

    if (x < chunk.w && y < chunk.h) {
        struct water_around l = water_around_of(level, i, x, y, w, chunk, 0);
        float neighbours[WATER_NEIGHBOURS] = {l.north, l.west, l.east, l.south};
        unsigned exist = ((int)y > chunk.north) | ((int)x > chunk.west) << 1 |
                         ((int)x + 1 < chunk.east) << 2 | ((int)y + 1 < chunk.south) << 3;

        best[i] = water_eliminate(terrain[i], level[i], neighbours, exist);
    }
}

__global__ static void water_cuda_elimination_distribute(const float *__restrict__ terrain,
                                                         const float *__restrict__ source,
                                                         const float *__restrict__ best,
                                                         float *__restrict__ level, int64_t w,
                                                         struct grid_chunk chunk,
                                                         enum water_mode mode)
{
    water_global_distribute(terrain, source, best, level, w, chunk, mode);
}

static const struct water_cell_kernels kernels = {
    water_cuda_elimination_best, water_cuda_elimination_distribute, "water_cuda_elimination_best",
    "water_cuda_elimination_distribute"};

static enum ca_status water_elimination_plan(struct cuda *cuda, struct ca_error *error)
{
    return water_cells_plan(cuda, &kernels, "two kernels, levels by elimination", 0, error);
}

CUDA_OPS(water_cuda_elimination) = WATER_CELLS_OPS(water_elimination_plan);
