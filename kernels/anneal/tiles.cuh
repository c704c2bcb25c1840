/* SPDX-License-Identifier: MIT */
/*
 * Tiles of strips, for lattices that leave a sweep too few rows: a block holds all rows of its tile
 * in registers and takes them through many generations, and the sums of the first and last row of
 * each lane go to the lanes above and below through shared memory. The rows at the upper and lower
 * end of a tile are other tiles'; one of them is lost in each generation.
 */
#ifndef CALAB_KERNELS_ANNEAL_TILES_CUH
#define CALAB_KERNELS_ANNEAL_TILES_CUH

#include "kernels/anneal/strips.cuh"

/*
 * As many generations of a pass and rows of a lane as wanted, or 0: chosen by lattice and device.
 * cuda->own is a struct anneal_strips that is planned.
 */
enum ca_status anneal_tiles_choose(struct cuda *cuda, int generations, int64_t rows,
                                   struct anneal_choice *choice, struct ca_error *error);
/* own->pass with tiles of own->tile rows a lane. */
enum ca_status anneal_tiles_pass(struct cuda *cuda, int n, struct ca_error *error);

#endif
