/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of anneal: a bit a cell, 128 cells a lane, one generation a pass
 * (kernels/moore/cuda_bitslice.cuh). It is also the one-generation kernel of cuda-temporal.
 */
#include "kernels/anneal/cuda_logic.cuh"
#include "kernels/moore/cuda_bitslice.cuh"

const struct moore_bitslice_kernels anneal_bitslice_kernels =
    MOORE_BITSLICE_KERNELS("anneal_cuda_bitslice_step", anneal_words, false);

static enum ca_status anneal_bitslice_plan(struct cuda *cuda, struct ca_error *error)
{
    return moore_bitslice_plan(cuda, &anneal_moore_rule, &anneal_bitslice_kernels, NULL, error);
}

CUDA_OPS(anneal_cuda_bitslice) = MOORE_BITSLICE_OPS(anneal_bitslice_plan, anneal_bits_access);
