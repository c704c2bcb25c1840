/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of anneal: a byte a cell, a thread a cell, all from global memory.
 *
 * The first version that Marzolla's exercise asks for (High Performance Computing, University of
 * Bologna, "ANNEAL cellular automaton" in CUDA): the serial program's three functions become three
 * kernels, two that copy the ghost cells and one that steps, in blocks of 32 x 32.
 *
 * A block's 34 x 34 cells are fetched once and then found in the first cache by the other threads
 * that also ask for them, so that little more moves through memory than the two bytes a cell that
 * must. But a thread issues nine loads and some forty instructions for its one cell, and its block
 * of 1024 threads makes room for the next only when the last of them is done: a GPU's memory could
 * carry several times what this kernel asks of it.
 */
#include "kernels/anneal/ghosts.cuh"

__global__ static void anneal_cuda_naive_step(const uint8_t *__restrict__ now,
                                              uint8_t *__restrict__ next, int64_t stride,
                                              unsigned w, unsigned h)
{
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t at = y * stride + x; /* of the cell's upper left neighbour */
    const uint8_t *above = now + at, *here = above + stride, *below = here + stride;

    if (x < w && y < h)
        next[at + stride + 1] =
            (uint8_t)anneal_rule(above[0] + above[1] + above[2] + here[0] + here[1] + here[2] +
                                 below[0] + below[1] + below[2]);
}

static enum ca_status step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    (void)t; /* the same rule in every generation */
    return anneal_ghosts_step(cuda, n, anneal_cuda_naive_step, 0, error);
}

CUDA_OPS(anneal_cuda_naive) = {
    .own_size = sizeof(struct anneal_ghosts),
    .plan = anneal_ghosts_plan,
    CUDA_CELLS(anneal_cells),
    .step = step,
};
