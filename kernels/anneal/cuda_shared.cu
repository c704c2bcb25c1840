/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-shared of anneal: the block's cells in a tile of shared memory
 * (kernels/moore/cuda_shared.cuh). The second version that Marzolla's exercise asks for (see
 * cuda_naive.cu).
 */
#include "kernels/anneal/cuda_cells.cuh"
#include "kernels/moore/cuda_shared.cuh"

static enum ca_status anneal_shared_plan(struct cuda *cuda, struct ca_error *error)
{
    static const struct moore_rule rule = {.work = 1};

    (void)error;
    moore_shared_plan(cuda, &rule, "anneal_cuda_shared_step",
                      moore_cuda_shared_step<anneal_square>);
    return CA_OK;
}

CUDA_OPS(anneal_cuda_shared) = MOORE_CELLS_OPS(anneal_shared_plan, anneal_cells_access);
