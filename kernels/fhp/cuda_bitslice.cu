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
 * Every width is taken. Where a row is no multiple of 128 nodes, the thread of its last group puts
 * the row's first node behind its last one.
 */
#include <math.h>

#include "kernels/cuda/row_segments.cuh"
#include "kernels/fhp/cuda_bits.cuh"
#include "kernels/fhp/cuda_plan.cuh"

/* Warps of a scheduler at once, at most. */
#define RESIDENT (CUDA_RESIDENT_THREADS / SEGMENT_THREADS)

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    const struct fhp_bits_layout *layout = &((const struct fhp_bits_state *)cuda->state)->layout;
    const struct cuda_cost *cost = cuda_cost_of("fhp", "cuda-bitslice");
    double warps, share, bytes;
    dim3 grid, block;

    (void)error;
    fhp_bits_plan(cuda, 2);
    fhp_bits_shape(cuda, &grid, &block);
    cuda_plan_launch(cuda, grid, block, 0);
    cuda_plan_variant(cuda, "128 nodes a thread");
    /* A warp has one row, and a scheduler `share` warps. */
    warps = ceil((double)(layout->groups * layout->h) / WARP_LANES);
    share = ceil(warps / (SEGMENT_WARPS * cuda->facts.multiprocessors));
    bytes = (double)(layout->h * layout->pitch) * sizeof(uint4);
    cuda->plan.step_s = cuda_seconds(
        cuda, cuda_cycles_of_generation(
                  cost, 1, 1, cuda_cycles_of_units(cost, fhp_row(cuda, cost), 1, share, RESIDENT),
                  fhp_memory_cycles(cuda, cost, bytes)));
    return CA_OK;
}

CUDA_OPS(fhp_cuda_bitslice) = {
    .state_size = sizeof(struct fhp_bits_state),
    .plan = plan,
    .access = &fhp_bits_access,
    .pass = fhp_bits_pass,
    .swap = fhp_bits_swap,
};
