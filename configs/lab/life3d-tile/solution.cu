/* SPDX-License-Identifier: MIT */
/* One generation of the Game of Life in 3D, a tile a block. README.md has the rule and the steps.
 */
#include "calab/calab_lab.h"

#define TILE_X 8
#define TILE_Y 8
#define TILE_Z 4

__device__ int64_t closed(int64_t at, int64_t size) { return (at + size) % size; }

__global__ void life(struct lab lab, lab_input *old, lab_cell *next)
{
    __shared__ lab_cell tile[TILE_Z + 2][TILE_Y + 2][TILE_X + 2];
    int64_t first_x = (int64_t)blockIdx.x * TILE_X, first_y = (int64_t)blockIdx.y * TILE_Y;
    int64_t first_z = (int64_t)blockIdx.z * TILE_Z;
    int64_t x = first_x + threadIdx.x, y = first_y + threadIdx.y, z = first_z + threadIdx.z;
    int live = 0;

    for (int k = threadIdx.z; k < TILE_Z + 2; k += TILE_Z)
        for (int v = threadIdx.y; v < TILE_Y + 2; v += TILE_Y)
            for (int u = threadIdx.x; u < TILE_X + 2; u += TILE_X)
                tile[k][v][u] =
                    old[LAB_AT(&lab, closed(first_x + u - 1, lab.w), closed(first_y + v - 1, lab.h),
                               closed(first_z + k - 1, lab.d))];
    __syncthreads();

    if (x >= lab.w || y >= lab.h || z >= lab.d)
        return;
    for (int k = 0; k < 3; k++)
        for (int v = 0; v < 3; v++)
            for (int u = 0; u < 3; u++)
                live += tile[threadIdx.z + k][threadIdx.y + v][threadIdx.x + u];
    {
        int here = tile[threadIdx.z + 1][threadIdx.y + 1][threadIdx.x + 1];

        next[LAB_AT(&lab, x, y, z)] = lab.table[here * 27 + live - here];
    }
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    dim3 block(TILE_X, TILE_Y, TILE_Z);
    dim3 grid((lab->w + TILE_X - 1) / TILE_X, (lab->h + TILE_Y - 1) / TILE_Y,
              (lab->d + TILE_Z - 1) / TILE_Z);

    life<<<grid, block>>>(*lab, in[LAB_CELL], out[LAB_CELL]);
}
