/* SPDX-License-Identifier: MIT */
/* The model in lab_model.h, in memory of your own on the GPU. README.md says what that is. */
#include <stdlib.h>

#include "calab/calab_lab.h"

struct state {
    struct lab lab;
    lab_cell *plane[LAB_PLANES]; /* in whatever layout you like */
};

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
    for (int p = 0; p < LAB_PLANES; p++)
        if (cudaMalloc((void **)&state->plane[p], bytes_of(lab)) != cudaSuccess)
            return NULL;
    return state;
}

void lab_load(void *self, uint64_t t, const lab_cell *const planes[])
{
    struct state *state = (struct state *)self;

    for (int p = 0; p < LAB_PLANES; p++)
        cudaMemcpy(state->plane[p], planes[p], bytes_of(&state->lab), cudaMemcpyHostToDevice);
}

void lab_step(void *self, uint64_t t, uint64_t n)
{
    /* Launch here what takes the state from generation t to t + n. */
}

void lab_store(void *self, lab_cell *const planes[])
{
    struct state *state = (struct state *)self;

    for (int p = 0; p < LAB_PLANES; p++)
        if (planes[p])
            cudaMemcpy(planes[p], state->plane[p], bytes_of(&state->lab), cudaMemcpyDeviceToHost);
}

void lab_close(void *self)
{
    struct state *state = (struct state *)self;

    for (int p = 0; p < LAB_PLANES; p++)
        cudaFree(state->plane[p]);
    free(state);
}
