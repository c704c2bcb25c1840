/* SPDX-License-Identifier: MIT */
/*
 * Small lattices, for cuda-blocked on GPUs of compute capability 9.0 and more: up to sixteen blocks
 * of one thread block cluster hold rows of up to 32 cells, up to 32 of them in up to 128 layers, in
 * registers, and take them through as many generations as are wanted in one launch.
 *
 * What takes time there is the way from one generation to the next, not its work: other blocks'
 * shared memory is some 200 cycles away, this block's some 60 (store, barrier, load), and logic
 * another 80. So a block, with two layers or more of its own, meets others but every second
 * generation. It has two ghost layers on each side, which are layers of the block there:
 *
 *     place   0  ghost
 *             1  ghost    a warp        mailed by the block below in even generations
 *             2  layer    a warp
 *             3  layer    a warp
 *             4  ghost    a warp        mailed by the block above
 *             5  ghost
 *
 * From mail to mail the inner ghosts make the first generation too, and of what they show in shared
 * memory the block's own layers make the second. All warps do the same, whether it is of use or
 * not, and next to nothing is branched over: with a warp for each scheduler, each branch would be
 * waited for. With branches the same took 340 cycles a generation in place of 250.
 */
#ifndef CALAB_KERNELS_LIFE3D_CLUSTER_CUH
#define CALAB_KERNELS_LIFE3D_CLUSTER_CUH

#include "kernels/life3d/planes.cuh"

/* A cluster for a lattice that it suits, on a GPU that runs it; else `small` stays what it is. */
enum ca_status life3d_cluster_choose(struct cuda *cuda, struct life3d_small *small,
                                     struct ca_error *error);

#endif
