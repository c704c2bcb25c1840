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

static enum ca_status life_bitslice_plan(struct cuda *cuda, struct ca_error *error)
{
    enum life_logic logic;
    struct moore_rule rule;

    CA_TRY(life_cuda_words_rule(cuda, &rule, &logic, error));
    return moore_bitslice_plan(cuda, &rule, &life_bitslice_kernels[logic][rule.dead],
                               life_own_rule(cuda, logic), error);
}

CUDA_OPS(life_cuda_bitslice) = MOORE_BITSLICE_OPS(life_bitslice_plan, life_bits_access);
