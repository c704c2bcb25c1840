/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of fhp: a byte a node, a node a thread, all from global memory.
 *
 * The plain form of the lattice gas on a GPU, beside which cuda-tiles has to show what its tiles
 * bring. A thread gathers from its six neighbours the particles that move towards it, and its own
 * that rests; then it collides them by table, or throws them back, and writes one byte. So it
 * pulls: no two threads write the same node, and motion and collision need no barrier between them.
 *
 * A node is fetched from memory once and found in the caches by the other six that ask for it. What
 * limits it is instructions: addresses and seven loads for seven bits, a look-up, and, where one
 * node of a warp's 32 needs it, a random draw of seven rounds that all of them wait for. With
 * forcing there are further draws for each candidate, until the first bit that decides.
 */
#include "kernels/fhp/nodes.cuh"

__global__ static void __launch_bounds__(1024, cuda_resident(1024, 2))
    fhp_cuda_naive_step(struct fhp_generation generation, const fhp_outcomes *__restrict__ table,
                        const uint8_t *__restrict__ now, uint8_t *__restrict__ next)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, h = generation.h;

    if (x >= generation.w)
        return;
    for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; row < h;
         row += (int64_t)gridDim.y * blockDim.y) {
        int64_t at = row * generation.row + x + 1;
        const uint8_t *here = now + at;
        const uint8_t *above = here + (row > 0 ? -generation.row : generation.all_rows);
        const uint8_t *below = here + (row < h - 1 ? generation.row : -generation.all_rows);
        uint8_t node = fhp_arrive(above, here, below, row);

        fhp_put(next + at, x, generation.w, fhp_scatter(generation, table, node, x, row));
    }
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    dim3 block = cuda_block(cuda);

    return fhp_nodes_step(cuda, t, n, fhp_cuda_naive_step, cuda_grid_of(cuda->size, block), block,
                          0, error);
}

CUDA_OPS(fhp_cuda_naive) = {
    .own_size = sizeof(struct fhp_nodes),
    .plan = fhp_nodes_plan,
    CUDA_CELLS(fhp_bytes),
    .step = step,
};
