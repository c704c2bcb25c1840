/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared of a rule of nine cells: the block's cells in a tile of shared memory.
 *
 * A block of 32 x 32 threads fills a tile of 34 x 34 cells: each thread loads its own; those of the
 * first row also the row above and the row below the block, those of the first column the columns
 * left and right of it, and the thread in the corner the four corners:
 *
 *     c t t t c     c: thread (0, 0)
 *     l o o o r     t, b: threads (x, 0)
 *     l o o o r     l, r: threads (0, y)
 *     c b b b c     o: each thread its own
 *
 * At the ragged end of the lattice the block has fewer rows or columns, and the border lies right
 * behind the last of them. Threads without a cell skip the work but not the barrier.
 *
 * Each cell is loaded from global memory once a block in place of nine times. That is a large gain
 * where every global load goes to memory. Where L1 caches them, it holds the same cells as the
 * tile: the nine loads of a cell come from shared memory instead, and the price is a barrier and
 * three branches that few threads take.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_SHARED_CUH
#define CALAB_KERNELS_MOORE_CUDA_SHARED_CUH

#include "kernels/moore/cuda_cells.cuh"

/* `tile` has rows of `pitch`; `from` is the extended domain at the tile's first cell. */
static __device__ __forceinline__ void moore_load_tile(uint8_t *tile, unsigned pitch,
                                                       unsigned columns, unsigned rows,
                                                       const uint8_t *__restrict__ from,
                                                       int64_t stride)
{
    unsigned x = threadIdx.x, y = threadIdx.y;
    const uint8_t *centre = from + (y + 1) * stride, *last = from + (rows + 1) * stride;
    uint8_t *tile_centre = tile + (y + 1) * pitch, *tile_last = tile + (rows + 1) * pitch;

    if (x >= columns || y >= rows)
        return;
    tile_centre[x + 1] = centre[x + 1];
    if (y == 0) {
        tile[x + 1] = from[x + 1];
        tile_last[x + 1] = last[x + 1];
    }
    if (x == 0) {
        tile_centre[0] = centre[0];
        tile_centre[columns + 1] = centre[columns + 1];
    }
    if (x == 0 && y == 0) {
        tile[0] = from[0];
        tile[columns + 1] = from[columns + 1];
        tile_last[0] = last[0];
        tile_last[columns + 1] = last[columns + 1];
    }
}

template <class Rule>
__global__ void moore_cuda_shared_step(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                                       int64_t stride, unsigned w, unsigned h,
                                       struct moore_parameters parameters)
{
    extern __shared__ uint8_t tile[];
    unsigned x = threadIdx.x, y = threadIdx.y, x0 = blockIdx.x * blockDim.x;
    unsigned y0 = blockIdx.y * blockDim.y, pitch = blockDim.x + 2;
    unsigned columns = min(blockDim.x, w - x0), rows = min(blockDim.y, h - y0);
    int64_t first = y0 * stride + x0;
    const uint8_t *above = tile + y * pitch + x;

    moore_load_tile(tile, pitch, columns, rows, now + first, stride);
    __syncthreads();
    if (x < columns && y < rows)
        next[first + (y + 1) * stride + x + 1] =
            Rule(parameters).next(above, above + pitch, above + 2 * pitch);
}

/* The rest of a backend's plan. */
static inline void moore_shared_plan(struct cuda *cuda, const struct moore_rule *rule,
                                     const char *name, moore_cells_kernel *kernel)
{
    dim3 block = cuda_block(cuda);
    unsigned columns = block.x + 2, rows = block.y + 2;

    moore_cells_plan(cuda, rule, name, kernel, columns * rows);
    cuda_plan_variant(cuda, "tile of %ux%u cells", columns, rows);
}

#endif
