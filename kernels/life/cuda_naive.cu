/* SPDX-License-Identifier: MIT */
/* Backend cuda-naive of life: a byte a cell, a thread a cell, all from global memory
 * (kernels/moore/cuda_naive.cuh). */
#include "kernels/life/cuda_cells.cuh"
#include "kernels/moore/cuda_naive.cuh"

static enum ca_status life_naive_plan(struct cuda *cuda, struct ca_error *error)
{
    enum life_logic logic;
    struct moore_rule rule;

    CA_TRY(life_cuda_cells_rule(cuda, &rule, &logic, error));
    moore_naive_plan(cuda, &rule, "life_cuda_naive_step",
                     logic == LIFE_TABLE ? moore_cuda_naive_step<life_looked_up_cell>
                                         : moore_cuda_naive_step<life_counted_cell>);
    return CA_OK;
}

CUDA_OPS(life_cuda_naive) = MOORE_CELLS_OPS(life_naive_plan, life_cells_access);
