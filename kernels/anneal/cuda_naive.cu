/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of anneal: a byte a cell, a thread a cell, all from global memory
 * (kernels/moore/cuda_naive.cuh).
 *
 * The first version that Marzolla's exercise asks for (High Performance Computing, University of
 * Bologna, "ANNEAL cellular automaton" in CUDA): the serial program's three functions become three
 * kernels, two that copy the ghost cells and one that steps, in blocks of 32 x 32.
 */
#include "kernels/anneal/cuda_cells.cuh"
#include "kernels/moore/cuda_naive.cuh"

static enum ca_status anneal_naive_plan(struct cuda *cuda, struct ca_error *error)
{
    static const struct moore_rule rule = {.work = 1};

    (void)error;
    moore_naive_plan(cuda, &rule, "anneal_cuda_naive_step", moore_cuda_naive_step<anneal_square>);
    return CA_OK;
}

CUDA_OPS(anneal_cuda_naive) = MOORE_CELLS_OPS(anneal_naive_plan, anneal_cells_access);
