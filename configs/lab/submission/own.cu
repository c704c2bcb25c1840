/* SPDX-License-Identifier: MIT */
/* The model in calab/lab_model.h, in memory of your own on the GPU. README.md says what that is. */
#include <stdlib.h>

#include "calab/calab_draw.h"
#include "calab/calab_lab.h"

/* A thread of the GPU runs this for each cell; lab->t is the generation of `in`. Planes that a step
 * does not change are the same in `in` and `out`. */
__device__ void cell(const struct lab *lab, const lab_cell *const in[], lab_cell *const out[],
                     int64_t x, int64_t y, int64_t z)
{
    /* Write here what cell (x, y, z) becomes, out[...][LAB_AT(lab, x, y, z)]. */
}

/* --- what keeps the state, in whatever layout you like ---------------------------------------- */

struct planes {
    lab_cell *plane[LAB_PLANES];
};

struct state {
    struct lab lab;
    struct planes now, next;
};

__global__ void kernel(struct lab lab, struct planes now, struct planes next)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    int64_t z = blockIdx.z;

    if (x < lab.w && y < lab.h)
        cell(&lab, now.plane, next.plane, x, y, z);
}

static bool is_constant(int plane) { return LAB_CONSTANT >> plane & 1; }

static size_t bytes_of(const struct lab *lab)
{
    return (size_t)(lab->w * lab->h * lab->d) * sizeof(lab_cell);
}

void *lab_open(const struct lab *lab)
{
    struct state *state = (struct state *)calloc(1, sizeof *state);

    if (!state)
        return NULL;
    state->lab = *lab;
    for (int p = 0; p < LAB_PLANES; p++) {
        if (cudaMalloc((void **)&state->now.plane[p], bytes_of(lab)) != cudaSuccess)
            return NULL;
        state->next.plane[p] = state->now.plane[p];
        if (!is_constant(p) &&
            cudaMalloc((void **)&state->next.plane[p], bytes_of(lab)) != cudaSuccess)
            return NULL;
    }
    return state;
}

void lab_load(void *self, uint64_t t, const lab_cell *const planes[])
{
    struct state *state = (struct state *)self;

    state->lab.t = t;
    for (int p = 0; p < LAB_PLANES; p++) {
        size_t bytes = bytes_of(&state->lab);

        cudaMemcpy(state->now.plane[p], planes[p], bytes, cudaMemcpyHostToDevice);
        /* Nothing of an earlier state. */
        cudaMemcpy(state->next.plane[p], planes[p], bytes, cudaMemcpyHostToDevice);
    }
}

void lab_step(void *self, uint64_t t, uint64_t n)
{
    struct state *state = (struct state *)self;
    const struct lab *lab = &state->lab;
    dim3 block(32, 8), grid((lab->w + 31) / 32, (lab->h + 7) / 8, lab->d);

    for (uint64_t i = 0; i < n; i++) {
        struct planes before = state->now;

        state->lab.t = t + i;
        kernel<<<grid, block>>>(*lab, state->now, state->next);
        state->now = state->next;
        state->next = before;
    }
}

void lab_store(void *self, lab_cell *const planes[])
{
    struct state *state = (struct state *)self;

    for (int p = 0; p < LAB_PLANES; p++)
        if (planes[p])
            cudaMemcpy(planes[p], state->now.plane[p], bytes_of(&state->lab),
                       cudaMemcpyDeviceToHost);
}

void lab_close(void *self)
{
    struct state *state = (struct state *)self;

    for (int p = 0; p < LAB_PLANES; p++) {
        cudaFree(state->now.plane[p]);
        if (!is_constant(p))
            cudaFree(state->next.plane[p]);
    }
    free(state);
}
