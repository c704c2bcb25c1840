/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-blocked of water: cuda-fused, two generations a pass.
 *
 * New levels of the first generation are the row that arrives for the second, without a way through
 * memory. So a cell moves six bytes a generation and arithmetic binds: 57 instructions a cell on
 * sm_90, of which 25 are minima, maxima, comparisons and the like, which a multiprocessor does at
 * half the pace of additions. So flows take additions alone where they can.
 *
 * What is computed twice: the four rows before and after each piece of a strip, and the columns of
 * the first and the last of a warp's 32 lanes. A third generation would need another lane at each
 * end and registers that halve the number of warps.
 *
 * A lattice so small that its pieces have few rows is faster by one generation a pass, which is
 * then what `generations` 0 chooses. All sizes take this path, as in cuda-fused.
 */
#include "kernels/water/sweep.cuh"

static water_sweep_kernel *const kernels[] = {NULL, water_sweep_pass<1>, water_sweep_pass<2>};

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    const struct ca_values *options = &cuda->setup.options;

    return water_sweep_plan(cuda, kernels, SWEEP_GENERATIONS_MAX,
                            (int)ca_int(options, "generations"), ca_int(options, "rows"), error);
}

static const struct cuda_rule rule = WATER_SWEEP_RULE(plan);

enum ca_status water_cuda_blocked_create(void **self, const struct ca_setup *setup,
                                         struct ca_error *error)
{
    return cuda_create(self, setup, &rule, error);
}
