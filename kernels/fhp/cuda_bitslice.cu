/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-bitslice of fhp: a bit a particle, 128 nodes a thread, one generation a pass.
 *
 * Turned to bit planes the table becomes 41 operations of logic (fhp2) for 32 nodes, and each plane
 * is read once, from the row that its particles come from: no tile and no barrier. The words of the
 * nodes beside a group come by shuffle. One call of the random numbers serves the 128 nodes of a
 * thread, and the draws of a node share much of their work. Solid nodes stand behind a vote of the
 * warp, so fluid ones pay an instruction for them.
 *
 * What is left is memory: 8 bits of a node are read and 7 written, and logic, draws and forcing fit
 * into the time that takes.
 *
 * All widths take this path; where a row is no multiple of 128 nodes its last group takes some more
 * steps.
 */
#include "kernels/fhp/planes.cuh"

CUDA_OPS(fhp_cuda_bitslice) = {
    .own_size = sizeof(struct fhp_planes),
    .plan = fhp_planes_plan,
    .load = fhp_planes_load,
    .store = fhp_planes_store,
    .gather = fhp_planes_gather,
    .step = fhp_planes_step,
};
