/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-tiles of fhp: overlapping rectangles in shared memory, after Szkoda, Koza and
 * Tykierko, "Accelerating cellular automata simulations using AVX and CUDA" (arXiv:1208.2428,
 * 2012).
 *
 * Three rectangles lie within each other:
 *
 *     ┌─────────────────────┐ C  A and a rim of one node, an array of bytes in shared memory
 *     │ ┌─────────────────┐ │
 *     │ │ A ┌─────────┐   │ │ A  what the block loads, a node a thread: 32 x 16 by default
 *     │ │   │    B    │   │ │
 *     │ │   └─────────┘   │ │ B  A less one node on each side: all that arrives there comes from
 *     │ └─────────────────┘ │    within A, so the block collides these nodes and saves them
 *     └─────────────────────┘
 *
 * Each thread pushes the particles of its node to the neighbours' bytes in C. Its rim catches those
 * that leave A, so that no thread asks where its node lies; it is written and never looked at. In
 * one direction no two particles go to the same node. So a direction is one OR a thread without
 * atomic operations, and a barrier stands between two directions. What has come together in B
 * then collides, by a table that is in shared memory too.
 *
 * The rectangles B cover the lattice without overlap, so neighbouring rectangles A overlap by two
 * rows or columns, and a node of A outside B belongs to the B of a neighbour.
 *
 * On a GTX 480 (177 GB/s) the paper measured 1746 million node updates a second, 3493 on two of
 * them, and 1446 on four Xeon E5 with AVX and threads: fully used CPUs compare with GPUs of their
 * time.
 *
 * The tile saves six of seven loads from global memory. It costs the threads outside B, which load
 * and push alone (92 of 32 x 16, nearly a fifth), rows of A that start anywhere within sectors of
 * memory, and seven barriers, at the first of which the block waits for its slowest load. Where a
 * cache keeps a block's rows, cuda-naive has most of the gain without these costs; the draws are
 * the same.
 */

#include "kernels/fhp/cuda_cells.cuh"

/*
 * The node at column x and a row of the slab, both from -1 on. Where the last tiles reach further
 * than B needs, any node will do.
 */
static __device__ __forceinline__ uint8_t fhp_cuda_tiles_load(const struct fhp_cells_params &params,
                                                              int64_t x, int64_t row,
                                                              const uint8_t *__restrict__ now)
{
    if (row < 0 || row >= params.h)
        row = row < 0 ? params.h - 1 : 0;
    return now[row * params.row + min(x, params.w) + 1];
}

/* Pushes the particles of a node at `here` in C, `width` bytes a row; all threads of the block. */
static __device__ __forceinline__ void fhp_cuda_tiles_push(uint8_t *here, int width, uint8_t node,
                                                           int64_t row)
{
    int west = (int)(row & 1) - 1, east = west + 1; /* columns of the neighbours up and down */
    const int to[FHP_DIRECTIONS] = {-width + west, -width + east, 1,
                                    width + east,  width + west,  -1};

    *here = node & (FHP_REST | FHP_SOLID);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < FHP_DIRECTIONS; i++) {
        here[to[i]] |= node & 1 << i;
        __syncthreads();
    }
}

__global__ static void __launch_bounds__(1024, cuda_resident(1024, 2))
    fhp_cuda_tiles_step(struct fhp_cells_params params, const fhp_outcomes *__restrict__ global,
                        const uint8_t *__restrict__ now, uint8_t *__restrict__ next)
{
    __shared__ fhp_outcomes table[FHP_STATES];
    extern __shared__ uint8_t c[];
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    unsigned width = blockDim.x - 2, rows = blockDim.y - 2; /* of B */
    bool inside = threadIdx.x - 1 < width && threadIdx.y - 1 < rows;
    int64_t x = (int64_t)blockIdx.x * width + threadIdx.x - 1;
    uint8_t *here = c + (threadIdx.y + 1) * (blockDim.x + 2) + threadIdx.x + 1;

    for (unsigned i = thread; i < FHP_STATES; i += threads)
        table[i] = global[i];
    for (unsigned i = thread; i < (blockDim.x + 2) * (blockDim.y + 2); i += threads)
        c[i] = 0; /* the rim needs any value, and keeps what it catches */
    __syncthreads();
    for (int64_t first = (int64_t)blockIdx.y * rows; first < params.h;
         first += (int64_t)gridDim.y * rows) {
        int64_t row = first + threadIdx.y - 1;

        fhp_cuda_tiles_push(here, (int)blockDim.x + 2, fhp_cuda_tiles_load(params, x, row, now),
                            row);
        if (inside && x < params.w && row < params.h)
            fhp_write_node(next + row * params.row + x + 1, x, params.w,
                           fhp_scatter(params, table, *here, x, row));
    }
}

/* Bytes of C around an A. */
static size_t array_bytes(dim3 a) { return (size_t)(a.x + 2) * (a.y + 2); }

static enum ca_status fhp_tiles_plan(struct cuda *cuda, struct ca_error *error)
{
    dim3 a = cuda_block(cuda), b(a.x - 2, a.y - 2);
    struct fhp_cells_launch launch = {"fhp_cuda_tiles_step", fhp_cuda_tiles_step,
                                      FHP_STATES * sizeof(fhp_outcomes), array_bytes(a)};

    CA_TRY(fhp_cells_plan(cuda, &launch, cuda_grid_of(cuda->size, b), a, error));
    cuda_plan_variant(cuda, "rectangles of %ux%u nodes", a.x, a.y);
    return CA_OK;
}

CUDA_OPS(fhp_cuda_tiles) = FHP_CELLS_OPS(fhp_tiles_plan);
