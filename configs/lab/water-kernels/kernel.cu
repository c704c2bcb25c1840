/* SPDX-License-Identifier: MIT */
/* One generation of water over terrain, in two kernels. README.md has the rule and the steps. */
#include "calab/calab_lab.h"

/* The best level of each cell: where its water would settle among it and its neighbours. */
__global__ void find_best(struct lab lab, lab_input *terrain, lab_input *level, float *best)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= lab.w || y >= lab.h)
        return;
    /* Write here: best[y * lab.w + x] */
}

/* The new level, from the best levels of the cell and of its neighbours. */
__global__ void flow(struct lab lab, lab_input *terrain, lab_input *level, lab_input *source,
                     const float *best, lab_cell *next)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= lab.w || y >= lab.h)
        return;
    /* Write here: next[y * lab.w + x] */
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    dim3 block(32, 8), grid((lab->w + 31) / 32, (lab->h + 7) / 8);
    float *best = (float *)lab->scratch;

    find_best<<<grid, block>>>(*lab, in[LAB_TERRAIN], in[LAB_LEVEL], best);
    flow<<<grid, block>>>(*lab, in[LAB_TERRAIN], in[LAB_LEVEL], in[LAB_SOURCE], best,
                          out[LAB_LEVEL]);
}
