/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-temporal of life: several generations in one pass over memory, by warps that sweep
 * down the rows (kernels/moore/cuda_temporal.cuh).
 */
#include "kernels/moore/cuda_temporal.cuh"
#include "kernels/life/cuda_logic.cuh"

#define KERNELS(Rule, dead) MOORE_TEMPORAL_KERNELS("life_cuda_temporal_step", Rule, dead)
#define LIFE_KERNELS_OF(Rule) {KERNELS(Rule, false), KERNELS(Rule, true)},

static const struct moore_temporal_kernels kernels[LIFE_LOGICS][2] = {LIFE_KERNELS};

enum ca_status life_cuda_temporal_plan(struct cuda *cuda, const struct life_cuda_words *words,
                                       struct ca_error *error)
{
    return moore_temporal_plan(cuda, &words->rule, &kernels[words->logic][words->rule.dead],
                               &life_bitslice_kernels[words->logic][words->rule.dead], words->own,
                               error);
}

static enum ca_status life_temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    return life_cuda_plan_of_setup(cuda, life_cuda_temporal_plan, error);
}

CUDA_OPS(life_cuda_temporal) = MOORE_TEMPORAL_OPS(life_temporal_plan, life_bits_access);
