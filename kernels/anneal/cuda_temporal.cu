/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-temporal of anneal: several generations in one pass over memory, by warps that sweep
 * down the rows (kernels/moore/cuda_temporal.cuh).
 */
#include "kernels/anneal/cuda_logic.cuh"
#include "kernels/moore/cuda_temporal.cuh"

static const struct moore_temporal_kernels kernels =
    MOORE_TEMPORAL_KERNELS("anneal_cuda_temporal_step", anneal_words, false);

static enum ca_status anneal_temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    return moore_temporal_plan(cuda, &anneal_moore_rule, &kernels, &anneal_bitslice_kernels, NULL,
                               error);
}

CUDA_OPS(anneal_cuda_temporal) = MOORE_TEMPORAL_OPS(anneal_temporal_plan, anneal_bits_access);
