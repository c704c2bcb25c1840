/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-overlapped of anneal: overlapped tiles that stay in registers for several
 * generations (kernels/moore/cuda_overlapped.cuh).
 */
#include "kernels/anneal/cuda_logic.cuh"
#include "kernels/moore/cuda_overlapped.cuh"

static const struct moore_overlapped_kernels kernels =
    MOORE_OVERLAPPED_KERNELS("anneal_cuda_overlapped_step", anneal_words, false);

static enum ca_status anneal_overlapped_plan(struct cuda *cuda, struct ca_error *error)
{
    return moore_overlapped_plan(cuda, &anneal_moore_rule, &kernels, NULL, error);
}

CUDA_OPS(anneal_cuda_overlapped) = MOORE_OVERLAPPED_OPS(anneal_overlapped_plan, anneal_bits_access);
