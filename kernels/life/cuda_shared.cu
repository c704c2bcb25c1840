/* SPDX-License-Identifier: MIT */
/* Backend cuda-shared of life: the block's cells in a tile of shared memory
 * (kernels/moore/cuda_shared.cuh). */
#include "kernels/life/cuda_cells.cuh"
#include "kernels/moore/cuda_shared.cuh"

static enum ca_status life_shared_plan(struct cuda *cuda, struct ca_error *error)
{
    enum life_logic logic;
    struct moore_rule rule;

    CA_TRY(life_cuda_cells_rule(cuda, &rule, &logic, error));
    moore_shared_plan(cuda, &rule, "life_cuda_shared_step",
                      logic == LIFE_TABLE ? moore_cuda_shared_step<life_looked_up_cell>
                                          : moore_cuda_shared_step<life_counted_cell>);
    return CA_OK;
}

CUDA_OPS(life_cuda_shared) = MOORE_CELLS_OPS(life_shared_plan, life_cells_access);
