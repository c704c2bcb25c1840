/* SPDX-License-Identifier: MIT */
/* One generation of water over terrain, in two kernels. README.md has the rule and the steps. */
#include "calab/calab_lab.h"

/* The index of neighbour i of a cell, north, west, east, south, or -1 where there is none. */
__device__ int64_t neighbour(const struct lab *lab, int64_t x, int64_t y, int i)
{
    int64_t u = x + (i == 2) - (i == 1), v = y + (i == 3) - (i == 0);

    return u < 0 || u >= lab->w || v < 0 || v >= lab->h ? -1 : v * lab->w + u;
}

/* The best level of each cell: where its water would settle among it and its neighbours. */
__global__ void find_best(struct lab lab, lab_input *terrain, lab_input *level, float *best)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y, here = y * lab.w + x;
    float q[5], sum;
    int count = 1, n = 1;

    if (x >= lab.w || y >= lab.h)
        return;
    q[0] = terrain[here];
    for (int i = 0; i < 4; i++) {
        int64_t there = neighbour(&lab, x, y, i);
        int at = count;

        if (there < 0)
            continue;
        for (; at > 0 && q[at - 1] > level[there]; at--)
            q[at] = q[at - 1];
        q[at] = level[there];
        count++;
    }
    sum = (level[here] - terrain[here]) + q[0];
    for (int i = 1; i < count; i++) {
        if (q[i] * (float)i > sum)
            break;
        sum = sum + q[i];
        n = i + 1;
    }
    best[here] = sum / (float)n;
}

/* The new level, from the best levels of the cell and of its neighbours. */
__global__ void flow(struct lab lab, lab_input *terrain, lab_input *level, lab_input *source,
                     const float *best, lab_cell *next)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y, here = y * lab.w + x;
    float change, g, l;

    if (x >= lab.w || y >= lab.h)
        return;
    g = terrain[here];
    l = level[here];
    change = source[here];
    for (int i = 0; i < 4; i++) {
        int64_t there = neighbour(&lab, x, y, i);

        if (there >= 0 && best[there] - l > 0)
            change = change + (best[there] - l);
    }
    change = change + ((best[here] > g ? best[here] : g) - l);
    next[here] = l + change > g ? l + change : g;
}

void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])
{
    dim3 block(32, 8), grid((lab->w + 31) / 32, (lab->h + 7) / 8);
    float *best = (float *)lab->scratch;

    find_best<<<grid, block>>>(*lab, in[LAB_TERRAIN], in[LAB_LEVEL], best);
    flow<<<grid, block>>>(*lab, in[LAB_TERRAIN], in[LAB_LEVEL], in[LAB_SOURCE], best,
                          out[LAB_LEVEL]);
}
