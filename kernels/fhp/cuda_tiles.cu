/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-tiles of fhp: overlapping rectangles in shared memory, after Szkoda, Koza and
 * Tykierko, "Accelerating cellular automata simulations using AVX and CUDA" (arXiv:1208.2428,
 * 2012).
 *
 * A block of threads is a rectangle A of nodes, a node a thread:
 *
 *     ┌─────────────────┐ A  fetched into shared memory
 *     │ C ┌─────────┐   │
 *     │   │    B    │   │ B  A less one node on each side: everything that arrives there comes
 *     │   └─────────┘   │    from within A, so it can be moved, collided and written
 *     └─────────────────┘ C  the rim of A: only read, for the step of B
 *
 * The rectangles B cover the lattice without overlap, so neighbouring rectangles A overlap by two
 * rows or columns, and a node of C belongs to the B of a neighbour. Motion happens within shared
 * memory: after one barrier each thread of B gathers the particles that move towards its node, and
 * the one that rests there, from A, and collides them by a table that is in shared memory too.
 *
 * On a GTX 480 (177 GB/s) the paper measured 1746 million node updates a second, 3493 on two of
 * them, and 1446 on four Xeon E5 with AVX and threads: fully used CPUs compare with GPUs of their
 * time.
 *
 * The tile saves six of seven loads from global memory. It costs the threads of the rim, which
 * fetch and then idle (92 of 32 x 16, nearly a fifth), rows of A that start anywhere within sectors
 * of memory, and a barrier at which the block waits for its slowest load. Where a cache keeps a
 * block's rows, cuda-naive has most of the gain without these costs; the draws are the same.
 */
#include <stdio.h>

#include "kernels/fhp/cuda_cells.cuh"

/*
 * The node at column x and a row of the slab, both from -1 on. Where the last tiles reach further
 * than B needs, any node will do.
 */
static __device__ __forceinline__ uint8_t fhp_cuda_tiles_fetch(
    const struct fhp_cells_params &params, int64_t x, int64_t row, const uint8_t *__restrict__ now)
{
    if (row < 0 || row >= params.h)
        row = row < 0 ? params.h - 1 : 0;
    return now[row * params.row + min(x, params.w) + 1];
}

__global__ static void __launch_bounds__(1024, cuda_resident(1024, 2))
    fhp_cuda_tiles_step(struct fhp_cells_params params, const fhp_outcomes *__restrict__ global,
                        const uint8_t *__restrict__ now, uint8_t *__restrict__ next)
{
    __shared__ fhp_outcomes table[FHP_STATES];
    extern __shared__ uint8_t a[];
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    unsigned width = blockDim.x - 2, rows = blockDim.y - 2; /* of B */
    bool inside = threadIdx.x - 1 < width && threadIdx.y - 1 < rows;
    int64_t x = (int64_t)blockIdx.x * width + threadIdx.x - 1;

    for (unsigned i = thread; i < FHP_STATES; i += threads)
        table[i] = global[i];
    for (int64_t first = (int64_t)blockIdx.y * rows; first < params.h;
         first += (int64_t)gridDim.y * rows) {
        int64_t row = first + threadIdx.y - 1;

        a[thread] = fhp_cuda_tiles_fetch(params, x, row, now);
        __syncthreads();
        if (inside && x < params.w && row < params.h) {
            const uint8_t *here = a + thread;
            uint8_t node = fhp_arrive(here - blockDim.x, here, here + blockDim.x, row);

            fhp_write_node(next + row * params.row + x + 1, x, params.w,
                           fhp_scatter(params, table, node, x, row));
        }
        __syncthreads(); /* the next tile overwrites this one */
    }
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    dim3 a = cuda_block(cuda), b(a.x - 2, a.y - 2);

    (void)error;
    fhp_cells_plan(cuda, cuda_grid_of(cuda->size, b), a,
                   FHP_STATES * sizeof(fhp_outcomes) + (size_t)a.x * a.y);
    cuda_plan_variant(cuda, "rectangles of %ux%u nodes", a.x, a.y);
    return CA_OK;
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    dim3 a = cuda_block(cuda);

    return fhp_cells_step(cuda, t, n, "fhp_cuda_tiles_step", fhp_cuda_tiles_step, (size_t)a.x * a.y,
                          error);
}

CUDA_OPS(fhp_cuda_tiles) = {
    .state_size = sizeof(struct fhp_cells_state),
    .plan = plan,
    .access = &fhp_cells_access,
    .step = step,
};
