/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared of water: the same two kernels over tiles of shared memory.
 *
 * As in Topa and Mlocek, "Using shared memory as a cache in high performance cellular automata
 * water flow simulations" (Computer Science 14 (3), 385-401, 2013), to be compared with the version
 * that uses global memory alone.
 *
 * A block of 16 x 16 threads keeps its cells and those around it in a tile of 18 rows of 19 floats:
 * an odd distance between rows, so that cells of a column lie in different banks. Each thread loads
 * its own cell, and the first four rows of threads load one side of the border each:
 *
 *     . 0 0 0 .    0: threads (i, 0), north     2: threads (i, 2), east
 *     1 o o o 2    1: threads (i, 1), west      3: threads (i, 3), south
 *     1 o o o 2
 *     . 3 3 3 .    the corners are no cell's neighbours
 *
 * A value is read from global memory once a block in place of five times. Where caches hold global
 * memory, they do that anyway, and the tile costs a barrier in each kernel. The bytes that move
 * stay the same: best levels still go through memory from one kernel to the next.
 */
#include "kernels/water/levels.cuh"

static __device__ __forceinline__ int tile_pitch() { return blockDim.x + 3; }

/*
 * The thread's place in a tile of the block's cells of `plane` and of those around them, `none`
 * beyond the lattice. All threads of the block come here.
 */
static __device__ __forceinline__ const float *load_tile(const float *__restrict__ plane, int64_t w,
                                                         struct grid_chunk piece, float none)
{
    extern __shared__ float tile[];
    int i = threadIdx.x, j = threadIdx.y, width = blockDim.x, height = blockDim.y;
    int x0 = blockIdx.x * width, y0 = blockIdx.y * height, pitch = tile_pitch();
    const float *first = plane + y0 * w + x0;
    float *here = tile + (j + 1) * pitch + i + 1;
    bool across = j == 0 || j == 3; /* the side is a row, else a column */
    int x = across ? i : j == 1 ? -1 : width, y = !across ? i : j == 0 ? -1 : height;

    *here = x0 + i < piece.east && y0 + j < piece.south ? first[j * w + i] : none;
    if (j < 4 && (across || i < height)) {
        bool exists = x0 + x >= piece.west && x0 + x < piece.east && y0 + y >= piece.north &&
                      y0 + y < piece.south;

        tile[(y + 1) * pitch + x + 1] = exists ? first[y * w + x] : none;
    }
    __syncthreads();
    return here;
}

__global__ static void water_cuda_shared_best(const float *__restrict__ terrain,
                                              const float *__restrict__ level,
                                              float *__restrict__ best, int64_t w,
                                              struct grid_chunk piece)
{
    const float *l = load_tile(level, w, piece, WATER_NO_LEVEL);
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;
    int row = tile_pitch();

    if (x < piece.w && y < piece.h)
        best[i] = water_best_sorted(terrain[i], l[0], l[-row], l[-1], l[1], l[row]);
}

__global__ static void water_cuda_shared_distribute(const float *__restrict__ terrain,
                                                    const float *__restrict__ source,
                                                    const float *__restrict__ best,
                                                    float *__restrict__ level, int64_t w,
                                                    struct grid_chunk piece, enum water_mode mode)
{
    const float *b = load_tile(best, w, piece, WATER_NO_BEST);
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t i = y * w + x;
    int row = tile_pitch();

    if (x < piece.w && y < piece.h)
        level[i] = water_level_of_all(terrain[i], level[i], source[i], b[0], b[-row], b[-1], b[1],
                                      b[row], mode);
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    dim3 block = cuda_block(cuda);
    size_t shared = (block.x + 3) * (block.y + 2) * sizeof(float);

    (void)t; /* the same rule in every generation */
    return water_levels_step(cuda, n, water_cuda_shared_best, water_cuda_shared_distribute, shared,
                             error);
}

CUDA_OPS(water_cuda_shared) = {
    .own_size = sizeof(struct water_levels),
    .plan = water_levels_plan,
    CUDA_CELLS(water_cells),
    .step = step,
};
