/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-fused of water: both halves of a step in one walk over memory, one generation a
 * pass.
 *
 * A warp that goes down the rows of its strip has the best levels of three rows in registers, which
 * is what new levels need. So no best level goes to memory, and a cell moves twelve bytes: terrain
 * and level in, new level out; four more where there are sources. Memory binds; meanwhile some
 * 60 instructions a cell are issued on sm_90, without a division or a branch.
 *
 * All sizes take this path. Rows and columns at the lattice's edges, and rows with sources, go
 * through the same with more instructions.
 */
#include "kernels/water/sweep.cuh"

static water_sweep_kernel *const kernels[] = {NULL, water_sweep_pass<1>};

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    return water_sweep_plan(cuda, kernels, 1, 1, ca_int(&cuda->setup.options, "rows"), error);
}

CUDA_OPS(water_cuda_fused) = WATER_SWEEP_RULE(struct water_sweeps, plan, water_sweep_step);
