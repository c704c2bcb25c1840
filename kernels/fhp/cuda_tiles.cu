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
 * The rectangles B cover the lattice without overlap, so neighbouring A's overlap by two rows or
 * columns, and a node of C is one of B in a neighbour. Motion happens within shared memory: after
 * one barrier each thread of B gathers the particles that move towards it, and its own that rests,
 * from A, then collides them by a table that the block has in shared memory too.
 *
 * On a GTX 480 (177 GB/s) the paper measured 1746 million node updates a second, 3493 on two of
 * them, and 1446 on four Xeon E5 with AVX and threads: CPUs that are used to their full compare
 * with GPUs of their time.
 *
 * What the tile wins is six loads of seven from global memory. What it costs: the rim's threads
 * fetch and then idle (of 32 x 16 threads 92, nearly a fifth), rows of A start anywhere within
 * sectors of memory, and all of a block wait for its slowest load. A cache that keeps a block's
 * rows gives cuda-naive most of the gain for nothing; the draws are the same in both.
 */
#include "kernels/fhp/nodes.cuh"

/*
 * The node at column x and a row of the slab, both from -1 on. Where the last tiles reach further
 * than what B needs, any node will do.
 */
static __device__ __forceinline__ uint8_t fetch(const struct fhp_generation &generation, int64_t x,
                                                int64_t row, const uint8_t *__restrict__ now)
{
    if (row < 0 || row >= generation.h)
        row = row < 0 ? generation.h - 1 : 0;
    return now[row * generation.row + min(x, generation.w) + 1];
}

__global__ static void __launch_bounds__(1024, cuda_resident(1024, 2))
    fhp_cuda_tiles_step(struct fhp_generation generation, const fhp_outcomes *__restrict__ global,
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
    for (int64_t first = (int64_t)blockIdx.y * rows; first < generation.h;
         first += (int64_t)gridDim.y * rows) {
        int64_t row = first + threadIdx.y - 1;

        a[thread] = fetch(generation, x, row, now);
        __syncthreads();
        if (inside && x < generation.w && row < generation.h) {
            const uint8_t *here = a + thread;
            uint8_t node = fhp_arrive(here - blockDim.x, here, here + blockDim.x, row);

            fhp_put(next + row * generation.row + x + 1, x, generation.w,
                    fhp_scatter(generation, table, node, x, row));
        }
        __syncthreads(); /* the next tile comes to the same place */
    }
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    dim3 a = cuda_block(cuda), b(a.x - 2, a.y - 2);

    return fhp_nodes_step(cuda, t, n, fhp_cuda_tiles_step, cuda_grid_of(cuda->size, b), a,
                          (size_t)a.x * a.y, error);
}

CUDA_OPS(fhp_cuda_tiles) = {
    .own_size = sizeof(struct fhp_nodes),
    .plan = fhp_nodes_plan,
    CUDA_CELLS(fhp_bytes),
    .step = step,
};
