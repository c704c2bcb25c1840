/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared of anneal: the block's cells in a tile of shared memory.
 *
 * The second version that Marzolla's exercise asks for (see cuda_naive.cu). A block of 32 x 32
 * threads fills a tile of 34 x 34 cells: each thread loads its own; those of the first row also the
 * row above and the row below the block, those of the first column the columns left and right of
 * it, and the thread in the corner the four corners:
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
#include "kernels/anneal/cuda_cells.cuh"

/* `tile` has rows of `pitch`; `from` is the extended domain at the tile's first cell. */
static __device__ __forceinline__ void load_tile(uint8_t *tile, unsigned pitch, unsigned columns,
                                                 unsigned rows, const uint8_t *__restrict__ from,
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

static __device__ __forceinline__ int live_in_row(const uint8_t *row)
{
    return row[0] + row[1] + row[2];
}

__global__ static void anneal_cuda_shared_step(const uint8_t *__restrict__ now,
                                               uint8_t *__restrict__ next, int64_t stride,
                                               unsigned w, unsigned h)
{
    extern __shared__ uint8_t tile[];
    unsigned x = threadIdx.x, y = threadIdx.y, x0 = blockIdx.x * blockDim.x;
    unsigned y0 = blockIdx.y * blockDim.y, pitch = blockDim.x + 2;
    unsigned columns = min(blockDim.x, w - x0), rows = min(blockDim.y, h - y0);
    int64_t first = y0 * stride + x0;
    const uint8_t *above = tile + y * pitch + x;

    load_tile(tile, pitch, columns, rows, now + first, stride);
    __syncthreads();
    if (x < columns && y < rows)
        next[first + (y + 1) * stride + x + 1] = (uint8_t)anneal_rule(
            live_in_row(above) + live_in_row(above + pitch) + live_in_row(above + 2 * pitch));
}

static enum ca_status anneal_shared_plan(struct cuda *cuda, struct ca_error *error)
{
    dim3 block = cuda_block(cuda);
    unsigned columns = block.x + 2, rows = block.y + 2;

    (void)error;
    anneal_cells_plan(cuda, "anneal_cuda_shared_step", anneal_cuda_shared_step, columns * rows);
    cuda_plan_variant(cuda, "tile of %ux%u cells", columns, rows);
    return CA_OK;
}

CUDA_OPS(anneal_cuda_shared) = ANNEAL_CELLS_OPS(anneal_shared_plan);
