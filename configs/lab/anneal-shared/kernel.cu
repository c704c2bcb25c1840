/* SPDX-License-Identifier: MIT */
/* One generation of ANNEAL, a tile of cells a block. README.md has the rule and the steps. */
#include "calab/calab_lab.h"

#define TILE 16

__global__ void anneal(struct lab lab, lab_input *old, lab_cell *next)
{
    __shared__ lab_cell tile[TILE + 2][TILE + 2];
    int64_t x = (int64_t)blockIdx.x * TILE + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * TILE + threadIdx.y;

    /* Write here: fill the tile with the block's cells and a border of one cell around them. */

    /* Write here: count in the tile, and write cell (x, y), if the lattice has it. */
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    dim3 block(TILE, TILE), grid((lab->w + TILE - 1) / TILE, (lab->h + TILE - 1) / TILE);

    anneal<<<grid, block>>>(*lab, in[LAB_CELL], out[LAB_CELL]);
}
