/* SPDX-License-Identifier: MIT */
/*
 * Small lattices, for cuda-blocked: tiles that a block keeps in registers for several generations.
 * A tile that is the whole lattice goes on for as many as are wanted. Others lose two rows and
 * columns at each side in each generation, which the tiles beside them have too.
 *
 * A lane has four columns of a row, and a row of the tile is 1, 2, 4 ... 32 lanes wide:
 *
 *     warp 0    row 0: lanes 0 ... 15    row 1: lanes 16 ... 31        of 64 columns
 *     warp 1    row 2                    row 3
 *     ...
 *
 * So columns beside a lane's come by shuffles, and the rows above and below through shared memory:
 * first of levels, then of best levels, with a barrier after each. What is beyond the lattice's
 * edges gives and takes nothing. A warp is idle once others have no use for its rows.
 */
#ifndef CALAB_KERNELS_WATER_TILES_CUH
#define CALAB_KERNELS_WATER_TILES_CUH

#include "kernels/water/sweep.cuh"

#define TILE_GENERATIONS_MAX 12            /* of a pass, as `generations` allows */
#define TILE_GENERATIONS_ENDLESS (1 << 16) /* where nothing is lost */

struct water_tiling {
    int lanes, warps; /* of a row, and of the tile */
    int generations;  /* of a pass, at most */
    double cycles;    /* that a generation should take */
};

/* The tiles that cost least, with so many generations a pass or, for 0, with any number. */
enum ca_status water_tiles_choose(struct cuda *cuda, int generations, struct water_tiling *tiling,
                                  struct ca_error *error);
/* A pass of at most tiling->generations. */
enum ca_status water_tiles_pass(struct cuda *cuda, const struct water_tiling *tiling,
                                int generations, struct ca_error *error);

#endif
