/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of a rule of nine cells: a byte a cell, a thread a cell, all from global
 * memory. Two kernels copy the ghost cells and one steps, in blocks of 32 x 32.
 *
 * A block's 34 x 34 cells are fetched once, and the other threads that ask for them find them in
 * L1, so that memory moves little more than the two bytes a cell that it must. But a thread issues
 * nine loads and some forty instructions for its one cell, and a block of 1024 threads gives way to
 * the next only when the last of them is done: a GPU's memory could carry several times what this
 * kernel asks of it.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_NAIVE_CUH
#define CALAB_KERNELS_MOORE_CUDA_NAIVE_CUH

#include "kernels/moore/cuda_cells.cuh"

template <class Rule>
__global__ void moore_cuda_naive_step(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                                      int64_t stride, unsigned w, unsigned h,
                                      struct moore_parameters parameters)
{
    unsigned x = grid_chunk_x(), y = grid_chunk_y();
    int64_t at = y * stride + x; /* of the cell's upper left neighbour */
    const uint8_t *above = now + at, *centre = above + stride, *below = centre + stride;

    if (x < w && y < h)
        next[at + stride + 1] = Rule(parameters).next(above, centre, below);
}

/* The rest of a backend's plan. */
static inline void moore_naive_plan(struct cuda *cuda, const struct moore_rule *rule,
                                    const char *name, moore_cells_kernel *kernel)
{
    moore_cells_plan(cuda, rule, name, kernel, 0);
    cuda_plan_variant(cuda, "a cell a thread");
}

#endif
