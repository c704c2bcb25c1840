/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-temporal of water: the sweep of cuda-fused with two generations a pass.
 *
 * New levels of the first generation are the row that arrives for the second, and never go to
 * memory. A cell therefore moves 6 bytes a generation, and arithmetic is the bottleneck: 57
 * instructions a cell on sm_90, of which 25 are minima, maxima, comparisons and the like, which a
 * multiprocessor executes at half the rate of additions. Flows use additions alone where they can.
 *
 * Two kinds of cells are computed twice: the four rows before and after the rows that a warp
 * stores, and the columns of the first and the last of its 32 lanes. A third generation would need
 * another lane at each end, and so many registers that half as many warps fit.
 *
 * All sizes take this kernel. A single generation at the end of a call goes through that of
 * cuda-fused.
 */
#include "kernels/water/cuda_sweep.cuh"

__global__ static void WATER_SWEEP_BOUNDS(2) water_cuda_temporal_step(struct water_lattice lattice)
{
    water_sweep<2>(lattice);
}

static const struct water_sweep_launch passes[] = {
    {water_cuda_fused_step, "water_cuda_fused_step"},
    {water_cuda_temporal_step, "water_cuda_temporal_step"},
};

static enum ca_status water_temporal_plan(struct cuda *cuda, struct ca_error *error)
{
    return water_sweep_plan(cuda, passes, 2, error);
}

CUDA_OPS(water_cuda_temporal) = WATER_GROUPS_OPS(struct water_sweep_state, water_temporal_plan,
                                                 water_sweep_pass);
