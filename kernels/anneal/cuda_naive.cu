/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of anneal: a byte a cell, a thread a cell, all from global memory.
 *
 * The first version that Marzolla's exercise asks for (High Performance Computing, University of
 * Bologna, "ANNEAL cellular automaton" in CUDA): the serial program's three functions become three
 * kernels, two that copy the ghost cells and one that steps, in blocks of 32 x 32.
 *
 * A block's 34 x 34 cells are fetched once, and the other threads that ask for them find them in
 * L1, so that memory moves little more than the two bytes a cell that it must. But a thread issues
 * nine loads and some forty instructions for its one cell, and a block of 1024 threads gives way to
 * the next only when the last of them is done: a GPU's memory could carry several times what this
 * kernel asks of it.
 */
#include "kernels/anneal/cuda_cells.cuh"

__global__ static void anneal_cuda_naive_step(const uint8_t *__restrict__ now,
                                              uint8_t *__restrict__ next, int64_t stride,
                                              unsigned w, unsigned h)
{
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t at = y * stride + x; /* of the cell's upper left neighbour */
    const uint8_t *above = now + at, *centre = above + stride, *below = centre + stride;

    if (x < w && y < h)
        next[at + stride + 1] =
            (uint8_t)anneal_rule(above[0] + above[1] + above[2] + centre[0] + centre[1] +
                                 centre[2] + below[0] + below[1] + below[2]);
}

static enum ca_status anneal_naive_plan(struct cuda *cuda, struct ca_error *error)
{
    (void)error;
    anneal_cells_plan(cuda, "anneal_cuda_naive_step", anneal_cuda_naive_step, 0);
    cuda_plan_variant(cuda, "a cell a thread");
    return CA_OK;
}

CUDA_OPS(anneal_cuda_naive) = ANNEAL_CELLS_OPS(anneal_naive_plan);
