/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared of water: the two kernels of cuda-global over tiles in shared memory.
 *
 * It follows Topa and Mlocek, "Using shared memory as a cache in high performance cellular automata
 * water flow simulations" (Computer Science 14 (3), 385-401, 2013), who compare it with the version
 * that uses global memory alone.
 *
 * A block of 16 x 16 threads keeps its cells and their halo in a tile of 18 rows of 19 floats. The
 * odd pitch puts the cells of a column into different banks. Each thread loads its own cell, and
 * the first four rows of threads load one side of the halo each:
 *
 *     . 0 0 0 .    0: threads (i, 0), north     2: threads (i, 2), west
 *     2 o o o 3    1: threads (i, 1), south     3: threads (i, 3), east
 *     2 o o o 3
 *     . 1 1 1 .    the corners are no cell's neighbours
 *
 * Two rows of 16 threads are a warp. The first warp therefore takes the rows, whose loads coalesce,
 * and the second the columns, a transaction for each cell; no warp does both. So it is in blocks
 * with 16 columns and more; narrower ones have four sides in a warp.
 *
 * A block reads a value from global memory once instead of five times. Where global memory is
 * cached, the cache saves these reads as well, and the tile costs a barrier in each kernel. Memory
 * traffic stays the same, because best levels still go through memory from one kernel to the next.
 */
#include "kernels/water/cuda_cells.cuh"

#include <stdio.h>

static __device__ __forceinline__ int tile_pitch() { return blockDim.x + 3; }

/*
 * Loads the block's cells of `plane` and their halo into the tile, `none` outside the lattice, and
 * returns the address of the thread's cell in it. All threads of the block must call it.
 */
static __device__ __forceinline__ const float *load_tile(const float *__restrict__ plane, int64_t w,
                                                         struct grid_chunk chunk, float none)
{
    extern __shared__ float tile[];
    int i = threadIdx.x, j = threadIdx.y, width = blockDim.x, height = blockDim.y;
    int x0 = blockIdx.x * width, y0 = blockIdx.y * height, pitch = tile_pitch();
    const float *first = plane + y0 * w + x0;
    float *cell = tile + (j + 1) * pitch + i + 1;
    bool row = j < 2; /* the side of the halo is a row, not a column */
    int x = row ? i : j == 2 ? -1 : width, y = !row ? i : j == 0 ? -1 : height;

    *cell = x0 + i < chunk.east && y0 + j < chunk.south ? first[j * w + i] : none;
    if (j < 4 && (row || i < height)) {
        bool in_lattice = x0 + x >= chunk.west && x0 + x < chunk.east && y0 + y >= chunk.north &&
                          y0 + y < chunk.south;

        tile[(y + 1) * pitch + x + 1] = in_lattice ? first[y * w + x] : none;
    }
    __syncthreads();
    return cell;
}

__global__ static void water_cuda_shared_best(const float *__restrict__ terrain,
                                              const float *__restrict__ level,
                                              float *__restrict__ best, int64_t w,
                                              struct grid_chunk chunk)
{
    const float *l = load_tile(level, w, chunk, WATER_NO_LEVEL);
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;
    int row = tile_pitch();

    if (x < chunk.w && y < chunk.h)
        best[i] = water_best_sorted(terrain[i], l[0], l[-row], l[-1], l[1], l[row]);
}

__global__ static void water_cuda_shared_distribute(const float *__restrict__ terrain,
                                                    const float *__restrict__ source,
                                                    const float *__restrict__ best,
                                                    float *__restrict__ level, int64_t w,
                                                    struct grid_chunk chunk, enum water_mode mode)
{
    const float *b = load_tile(best, w, chunk, WATER_NO_BEST);
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;
    int row = tile_pitch();

    if (x < chunk.w && y < chunk.h)
        level[i] = water_level_of_all(terrain[i], level[i], source[i], b[0], b[-row], b[-1], b[1],
                                      b[row], mode);
}

static const struct water_cell_kernels kernels = {
    water_cuda_shared_best, water_cuda_shared_distribute, "water_cuda_shared_best",
    "water_cuda_shared_distribute"};

static enum ca_status water_shared_plan(struct cuda *cuda, struct ca_error *error)
{
    dim3 block = cuda_block(cuda);
    unsigned rows = block.y + 2, pitch = block.x + 3;
    char variant[sizeof cuda->plan.variant];

    snprintf(variant, sizeof variant, "two kernels, a tile of %u rows of %u floats", rows, pitch);
    return water_cells_plan(cuda, &kernels, variant, rows * pitch * sizeof(float), error);
}

CUDA_OPS(water_cuda_shared) = WATER_CELLS_OPS(water_shared_plan);
