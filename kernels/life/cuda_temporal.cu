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

static enum ca_status life_temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    enum life_logic logic;
    struct moore_rule rule;

    CA_TRY(life_cuda_words_rule(cuda, &rule, &logic, error));
    return moore_temporal_plan(cuda, &rule, &kernels[logic][rule.dead],
                               &life_bitslice_kernels[logic][rule.dead], life_own_rule(cuda, logic),
                               error);
}

CUDA_OPS(life_cuda_temporal) = MOORE_TEMPORAL_OPS(life_temporal_plan, life_bits_access);
