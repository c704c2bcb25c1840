/* SPDX-License-Identifier: MIT */
/*
 * The plans of fhp's bit-sliced CUDA backends share the unit of their costs (kernels/cuda/cost.h),
 * which is a generation of a row of 32 groups of 128 nodes, that a warp takes; and memory.
 */
#ifndef CALAB_KERNELS_FHP_CUDA_PLAN_CUH
#define CALAB_KERNELS_FHP_CUDA_PLAN_CUH

#include "core/model/registry.h"
#include "kernels/cuda/cost.h"
#include "kernels/cuda/stepper.cuh"

static inline struct cuda_unit fhp_row(const struct cuda *cuda, const struct cuda_cost *cost)
{
    const struct ca_values *params = &cuda->setup.params;
    const struct ca_param *collisions = &params->table[ca_values_find(params, "collisions")];
    const char *set = collisions->choices[ca_choice(params, "collisions")];

    return cuda_unit_of(cost, 1, cuda_cost_of_rule("fhp", set), ca_event_draws(params));
}

/* Cycles that memory takes to read one buffer of `bytes` and to write the other. */
static inline double fhp_memory_cycles(const struct cuda *cuda, const struct cuda_cost *cost,
                                       double bytes)
{
    return cuda_cycles_of_memory(cost, &cuda->facts, 2 * bytes, 2 * bytes, 0, 1);
}

#endif
