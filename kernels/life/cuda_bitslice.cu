/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of life: a bit a cell, 128 cells a lane, one generation a pass
 * (kernels/moore/cuda_bitslice.cuh). It is also the one-generation kernel of cuda-temporal.
 */
#include "kernels/moore/cuda_bitslice.cuh"
#include "kernels/life/cuda_logic.cuh"

#define KERNELS(Rule, dead) MOORE_BITSLICE_KERNELS("life_cuda_bitslice_step", Rule, dead)
#define LIFE_KERNELS_OF(Rule) {KERNELS(Rule, false), KERNELS(Rule, true)},

const struct moore_bitslice_kernels life_bitslice_kernels[LIFE_LOGICS][2] = {LIFE_KERNELS};

enum ca_status life_cuda_bitslice_plan(struct cuda *cuda, const struct life_cuda_words *words,
                                       struct ca_error *error)
{
    return moore_bitslice_plan(cuda, &words->rule,
                               &life_bitslice_kernels[words->logic][words->rule.dead], words->own,
                               error);
}

static enum ca_status life_bitslice_plan(struct cuda *cuda, struct ca_error *error)
{
    return life_cuda_plan_of_setup(cuda, life_cuda_bitslice_plan, error);
}

CUDA_OPS(life_cuda_bitslice) = MOORE_BITSLICE_OPS(life_bitslice_plan, life_bits_access);
