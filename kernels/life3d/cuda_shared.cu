/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared of life3d: cuda-naive with the block's own cells in shared memory.
 *
 * It is the course report's better kernel: 0.952 s in kernels and 1.210 s in all for 10,000
 * generations of 32 x 32 x 32 cells on a GTX 850M, where the naive kernel took 1.263 s and 2.176 s.
 * Each thread loads its cell into the tile. A neighbour inside the block is then read from the
 * tile, one outside it from global memory:
 *
 *       . . . . . .        o  a cell of the block: in the tile
 *       . o o o o .        .  a neighbour of the block: in global memory, loaded by each thread
 *       . o o o o .           that needs it
 *       . . . . . .        (the block is 8 x 8 x 8 cells, the drawing 4 x 2)
 *
 * Without a halo a thread fills the tile with one load and no division of an index. But 296 of the
 * 512 cells of an 8 x 8 x 8 block lie on its surface and need both kinds of loads, some of them in
 * every warp; and an L1 cache has already caught most of the traffic that the tile saves.
 */
#include "kernels/life3d/cuda_cells.cuh"

/* The neighbours of this thread's cell that are in the tile. */
static __device__ __forceinline__ uint32_t in_tile(const struct cuda_position &position)
{
    dim3 last(blockDim.x - 1, blockDim.y - 1, blockDim.z - 1);

    return life3d_without(threadIdx.x == 0, threadIdx.x == last.x || position.x.after == 0,
                          threadIdx.y == 0, threadIdx.y == last.y || position.y.after == 0,
                          threadIdx.z == 0, threadIdx.z == last.z || position.z.after == 0);
}

template <bool closed>
static __global__ void __launch_bounds__(LIFE3D_THREADS)
    life3d_cuda_shared_step(const int32_t *__restrict__ now, int32_t *__restrict__ next,
                            const struct life3d_space space)
{
    __shared__ int32_t tile[LIFE3D_THREADS];
    int row = (int)blockDim.x, layer = (int)(blockDim.x * blockDim.y);
    int32_t *tile_cell = tile + threadIdx.z * layer + threadIdx.y * row + threadIdx.x;

    cuda_grid_stride(space.size, [&](const struct cuda_position &position) {
        struct life3d_offsets offsets = life3d_offsets_of(space.size, position);
        uint32_t within = in_tile(position), present = life3d_present<closed>(space, position);
        const int32_t *cell = now + position.at;
        int n = 0;

        if (position.inside)
            *tile_cell = *cell;
        __syncthreads();
        if (position.inside) {
#pragma unroll
            for (int i = 0; i < 27; i++) {
                if (i == LIFE3D_CENTRE)
                    continue;
                if (within >> i & 1)
                    n += tile_cell[(i / 9 - 1) * layer + (i / 3 % 3 - 1) * row + i % 3 - 1];
                else
                    n += life3d_neighbour<closed>(cell, present, offsets, i);
            }
            next[position.at] = life3d_next(space.rule, *tile_cell, n);
        }
        __syncthreads(); /* the tile must not be overwritten before all threads have read it */
    });
}

static enum ca_status life3d_shared_plan(struct cuda *cuda, struct ca_error *error)
{
    return life3d_cells_plan(cuda,
                             {"life3d_cuda_shared_step", life3d_cuda_shared_step<true>,
                              life3d_cuda_shared_step<false>, LIFE3D_THREADS * sizeof(int32_t)},
                             error);
}

CUDA_OPS(life3d_cuda_shared) = LIFE3D_CELLS_OPS(life3d_shared_plan);
