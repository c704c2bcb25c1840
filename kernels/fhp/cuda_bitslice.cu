/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of fhp: a bit a particle, 128 nodes a thread, one generation a pass.
 *
 * On bit planes the collision table becomes 41 LOP3 operations (fhp2) for 32 nodes, and each plane
 * is read once, from the row that its particles come from, so neither a tile nor a barrier is
 * needed. The neighbouring words of a group come by shuffle. One Philox call serves the 128 nodes
 * of a thread, and the draws of a node share much of their work. Solid nodes are tested by a vote
 * of the warp, so that a warp without them pays one instruction.
 *
 * Memory is the limit: 8 bits of a node are read and 7 written, and logic, draws and forcing take
 * no longer than that.
 *
 * Every width is taken. Where a row is not a multiple of 128 nodes, the thread of its last group
 * puts the row's first node behind its last one.
 */
#include "kernels/cuda/row_partition.cuh"
#include "kernels/fhp/cuda_bits.cuh"
#include "kernels/fhp/cuda_plan.cuh"

static enum ca_status fhp_cuda_bitslice_plan(struct cuda *cuda, struct ca_error *error)
{
    dim3 grid, block;
    double threads;

    (void)error;
    fhp_bits_plan(cuda, 2);
    fhp_bits_shape(cuda, &grid, &block);
    threads = (double)block.x * block.y;
    cuda_plan_launch(cuda, grid, block, 0);
    cuda_plan_variant(cuda, "128 nodes a thread");
    cuda->plan.step_s = fhp_bound(cuda, {.generations = 1,
                                         .blocks = (int64_t)grid.x * grid.y,
                                         .warps = threads / WARP_LANES,
                                         .resident = CUDA_RESIDENT_THREADS / threads,
                                         .ops = fhp_ops_of(cuda, threads * FHP_GROUP)});
    return CA_OK;
}

CUDA_OPS(fhp_cuda_bitslice) = {
    .state_size = sizeof(struct fhp_bits_state),
    .plan = fhp_cuda_bitslice_plan,
    .access = &fhp_bits_access,
    .pass = fhp_bits_pass,
    .swap = fhp_bits_swap,
};
