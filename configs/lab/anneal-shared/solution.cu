/* SPDX-License-Identifier: MIT */
/* One generation of ANNEAL, a tile of cells a block. README.md has the rule and the steps. */
#include "calab/calab_lab.h"

#define TILE 16

__global__ void anneal(struct lab lab, lab_input *old, lab_cell *next)
{
    __shared__ lab_cell tile[TILE + 2][TILE + 2];
    int64_t x = (int64_t)blockIdx.x * TILE + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * TILE + threadIdx.y;
    int live = 0;

    for (int v = threadIdx.y; v < TILE + 2; v += TILE)
        for (int u = threadIdx.x; u < TILE + 2; u += TILE) {
            int64_t from_x = (int64_t)blockIdx.x * TILE + u - 1 + lab.w;
            int64_t from_y = (int64_t)blockIdx.y * TILE + v - 1 + lab.h;

            tile[v][u] = old[LAB_AT(&lab, from_x % lab.w, from_y % lab.h, 0)];
        }
    __syncthreads();

    if (x >= lab.w || y >= lab.h)
        return;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            live += tile[threadIdx.y + dy][threadIdx.x + dx];
    next[LAB_AT(&lab, x, y, 0)] = live == 4 || live >= 6;
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    dim3 block(TILE, TILE), grid((lab->w + TILE - 1) / TILE, (lab->h + TILE - 1) / TILE);

    anneal<<<grid, block>>>(*lab, in[LAB_CELL], out[LAB_CELL]);
}
