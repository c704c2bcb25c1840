/* SPDX-License-Identifier: MIT */
/* One generation of the Game of Life in 3D, a tile a block. README.md has the rule and the steps.
 */
#include "calab/calab_lab.h"

#define TILE_X 8
#define TILE_Y 8
#define TILE_Z 4

__global__ void life(struct lab lab, lab_input *old, lab_cell *next)
{
    __shared__ lab_cell tile[TILE_Z + 2][TILE_Y + 2][TILE_X + 2];

    /* Write here: fill the tile and its border, wait, count 26 neighbours, look up the new cell. */
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    dim3 block(TILE_X, TILE_Y, TILE_Z);
    dim3 grid((lab->w + TILE_X - 1) / TILE_X, (lab->h + TILE_Y - 1) / TILE_Y,
              (lab->d + TILE_Z - 1) / TILE_Z);

    life<<<grid, block>>>(*lab, in[LAB_CELL], out[LAB_CELL]);
}
