/* SPDX-License-Identifier: MIT */
/*
 * Tiles: a block holds all planes of a tile of rows in registers and takes them through many
 * generations in one launch. For lattices so small that starting a kernel costs more than all else.
 * Growth alone, without events.
 *
 * A thread has a group in two rows of two planes. In each generation it shows what is active there
 * to the others in shared memory and waits for them; what it needs of theirs are just the rows and
 * planes of the threads beside it. At the upper and lower end of a tile that has not all rows, two
 * rows are lost in each generation, and threads whose rows are lost rest.
 */
#ifndef CALAB_KERNELS_CLOUD_TILES_CUH
#define CALAB_KERNELS_CLOUD_TILES_CUH

#include "kernels/cloud/sweep.cuh"

#define TILE_GENERATIONS_MAX 16            /* of a pass where rows are lost */
#define TILE_GENERATIONS_ENDLESS (1 << 20) /* where a block has the whole lattice */

struct cloud_tiling {
    int generations; /* of a pass, at most; 0: there is no such tile */
    int lanes;       /* that a row of groups takes, a power of two */
    int floors;      /* pairs of planes */
    int pairs;       /* of rows of a tile */
    int ghosts;      /* of these at each end, for each generation: 1 or 0 */
    double cycles;   /* that a generation should cost */
};

/* The best tiling, with as many generations and warps as wanted, or 0: chosen. */
enum ca_status cloud_tiles_choose(struct cuda *cuda, const struct cloud_wanted *wanted,
                                  struct cloud_tiling *tiling, struct ca_error *error);
/* So many generations, from hum and act to the next ones. */
enum ca_status cloud_tiles_pass(struct cuda *cuda, const struct cloud_tiling *tiling,
                                int generations, struct ca_error *error);

#endif
