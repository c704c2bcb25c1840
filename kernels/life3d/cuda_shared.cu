/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared of life3d: cuda-naive with a block's own cells in shared memory.
 *
 * The course report's better kernel: 0.952 s in kernels and 1.210 s in all for 10,000 generations
 * of 32 x 32 x 32 cells on a GTX 850M, where the plain one took 1.263 s and 2.176 s. Each thread
 * brings its cell; a neighbour that lies in the block is then read from the tile, one that does not
 * from global memory:
 *
 *       . . . . . .        o  a cell of the block: in the tile
 *       . o o o o .        .  a neighbour of the block: global memory, in each thread that wants it
 *       . o o o o .
 *       . . . . . .        (8 x 8 x 8 is the block; drawn is 4 x 2)
 *
 * Without a halo there is one load a thread and no index to divide. But of the 512 cells of an
 * 8 x 8 x 8 block 296 are at its surface and take both ways, some of them in every warp; and where
 * global loads go through a first cache, it has caught most of what the tile saves.
 */
#include "kernels/life3d/ints.cuh"

/* Those of the cells around this thread's that are in its block's tile. */
static __device__ __forceinline__ uint32_t in_tile(const struct cuda_position &spot)
{
    dim3 last(blockDim.x - 1, blockDim.y - 1, blockDim.z - 1);

    return life3d_without(threadIdx.x == 0, threadIdx.x == last.x || spot.x.after == 0,
                          threadIdx.y == 0, threadIdx.y == last.y || spot.y.after == 0,
                          threadIdx.z == 0, threadIdx.z == last.z || spot.z.after == 0);
}

template <bool closed>
static __global__ void __launch_bounds__(LIFE3D_THREADS)
    life3d_cuda_shared_step(const int32_t *__restrict__ now, int32_t *__restrict__ next,
                            const struct life3d_space space)
{
    __shared__ int32_t tile[LIFE3D_THREADS];
    int row = (int)blockDim.x, layer = (int)(blockDim.x * blockDim.y);
    int32_t *mine = tile + threadIdx.z * layer + threadIdx.y * row + threadIdx.x;

    cuda_grid_stride(space.size, [&](const struct cuda_position &spot) {
        struct life3d_steps steps = life3d_steps_of(space.size, spot);
        uint32_t near = in_tile(spot), present = life3d_present<closed>(space, spot);
        const int32_t *here = now + spot.at;
        int n = 0;

        if (spot.inside)
            *mine = *here;
        __syncthreads();
        if (spot.inside) {
#pragma unroll
            for (int i = 0; i < 27; i++) {
                if (i == LIFE3D_SELF)
                    continue;
                if (near >> i & 1)
                    n += mine[(i / 9 - 1) * layer + (i / 3 % 3 - 1) * row + i % 3 - 1];
                else
                    n += life3d_around<closed>(here, present, steps, i);
            }
            next[spot.at] = life3d_next(space.rule, *mine, n);
        }
        __syncthreads(); /* all have read before the next box of cells comes */
    });
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    return life3d_ints_plan(cuda, life3d_cuda_shared_step<true>, life3d_cuda_shared_step<false>,
                            error);
}

CUDA_OPS(life3d_cuda_shared) = LIFE3D_INTS(plan);
