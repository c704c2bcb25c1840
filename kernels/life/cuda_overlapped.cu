/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-overlapped of life: overlapped tiles that stay in registers for several generations
 * (kernels/moore/cuda_overlapped.cuh).
 */
#include "kernels/moore/cuda_overlapped.cuh"
#include "kernels/life/cuda_logic.cuh"

#define KERNELS(Rule, dead) MOORE_OVERLAPPED_KERNELS("life_cuda_overlapped_step", Rule, dead)
#define LIFE_KERNELS_OF(Rule) {KERNELS(Rule, false), KERNELS(Rule, true)},

static const struct moore_overlapped_kernels kernels[LIFE_LOGICS][2] = {LIFE_KERNELS};

enum ca_status life_cuda_overlapped_plan(struct cuda *cuda, const struct life_cuda_words *words,
                                         struct ca_error *error)
{
    return moore_overlapped_plan(cuda, &words->rule, &kernels[words->logic][words->rule.dead],
                                 words->own, error);
}

static enum ca_status life_overlapped_plan(struct cuda *cuda, struct ca_error *error)
{
    return life_cuda_plan_of_setup(cuda, life_cuda_overlapped_plan, error);
}

CUDA_OPS(life_cuda_overlapped) = MOORE_OVERLAPPED_OPS(life_overlapped_plan, life_bits_access);
