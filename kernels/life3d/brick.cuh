/* SPDX-License-Identifier: MIT */
/*
 * Narrow lattices that are no block's alone, for cuda-blocked: bricks of 32 rows and 16 layers,
 * each in the registers of a block, which takes it through some generations in one launch. A launch
 * takes longer than a generation of such a lattice, so that this is worth what bricks overlap by:
 *
 *               lane 0 .. 3 | 4 ... 27 | 28 .. 31        4 generations: results of rows 4 ... 27
 *     warp 0    layers 0, 1                              and layers 4 ... 11 are its own
 *     warp 1    layers 2, 3
 *     warp 2    layers 4, 5   x: whole rows, a lane has all words of one, of two layers
 *     ...                     y: the lanes beside it
 *     warp 7    layers 14, 15 z: sums of nine through shared memory, a barrier a generation
 */
#ifndef CALAB_KERNELS_LIFE3D_BRICK_CUH
#define CALAB_KERNELS_LIFE3D_BRICK_CUH

#include "kernels/life3d/planes.cuh"

#define BRICK_ROWS 32
#define BRICK_WARPS 8
#define BRICK_THREADS (BRICK_WARPS * BRICK_ROWS)
#define BRICK_LAYERS 2 /* of a thread */
#define BRICK_DEPTH (BRICK_WARPS * BRICK_LAYERS)
#define BRICK_WORDS_MAX 4       /* of a row */
#define BRICK_GENERATIONS_MAX 7 /* so that there is a layer left, and another */

/* Chooses the kernel for a lattice and how many generations it takes it through at once, at most
 * `generations` (0: as many as are good). No kernel where there is none, or one a pass is better.
 */
enum ca_status life3d_brick_choose(struct cuda *cuda, int64_t generations, struct ca_error *error);
enum ca_status life3d_brick_pass(struct cuda *cuda, int generations, struct ca_error *error);

#endif
