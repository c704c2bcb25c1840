/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-fused of water: both halves of a step in one pass over memory, one generation a
 * pass.
 *
 * A warp streams down the rows of its segment and keeps the best levels of three rows in registers,
 * which is what new levels need (cuda_sweep.cuh). No best level goes to memory, and a cell moves 12
 * bytes: terrain and level in, new level out; 4 more where there are sources. Memory is the
 * bottleneck, beside some 60 instructions a cell on sm_90, without a division or a branch.
 *
 * All sizes take this kernel. Rows and columns at the edges of the lattice, and rows with sources,
 * take more instructions.
 */
#include "kernels/water/cuda_sweep.cuh"

__global__ void WATER_SWEEP_BOUNDS(1) water_cuda_fused_step(struct water_lattice lattice)
{
    water_sweep<1>(lattice);
}

static const struct water_sweep_launch passes[] = {
    {water_cuda_fused_step, "water_cuda_fused_step"}};

static enum ca_status water_fused_plan(struct cuda *cuda, struct ca_error *error)
{
    return water_sweep_plan(cuda, passes, 1, error);
}

CUDA_OPS(water_cuda_fused) = WATER_GROUPS_OPS(struct water_sweep_state, water_fused_plan,
                                              water_sweep_pass);
