// SPDX-License-Identifier: MIT
/*
 * Backends cuda-bitslice, cuda-temporal and cuda-overlapped of a model in a file: life's kernels of
 * the rule that the file's function has been evaluated for (bits.c). A rule that is compiled in is
 * as fast as life's; another is looked up, or stepped by its own circuit. No compiler is needed.
 */
#include "kernels/file/rungs.h"
#include "kernels/life/cuda_rule.cuh"
#include "kernels/moore/cuda_bitslice.cuh"
#include "kernels/moore/cuda_overlapped.cuh"
#include "kernels/moore/cuda_temporal.cuh"

static enum ca_status plan_rule(struct cuda *cuda, life_cuda_plan *plan, struct ca_error *error)
{
    struct life_cuda_words words;
    struct life_rule rule;

    CA_TRY(file_bits_rule(&cuda->setup, &rule, error));
    life_cuda_words_make(&words, &rule, !file_bits_torus(&cuda->setup));
    return plan(cuda, &words, error);
}

static enum ca_status bitslice_plan(struct cuda *cuda, struct ca_error *error)
{
    return plan_rule(cuda, life_cuda_bitslice_plan, error);
}

static enum ca_status temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    return plan_rule(cuda, life_cuda_temporal_plan, error);
}

static enum ca_status overlapped_plan(struct cuda *cuda, struct ca_error *error)
{
    return plan_rule(cuda, life_cuda_overlapped_plan, error);
}

CUDA_OPS(file_cuda_bitslice) = MOORE_BITSLICE_OPS(bitslice_plan, life_bits_access);
CUDA_OPS(file_cuda_temporal) = MOORE_TEMPORAL_OPS(temporal_plan, life_bits_access);
CUDA_OPS(file_cuda_overlapped) = MOORE_OVERLAPPED_OPS(overlapped_plan, life_bits_access);
