/* SPDX-License-Identifier: MIT */
/* Cloud formation, eight cells of a row a byte. README.md has the rule and the steps. */
#include <stdlib.h>
#include <string.h>

#include "calab/calab_lab.h"

/* Cell x of a row is bit x % 8 of byte x / 8; bits beyond the row's end are 0. */
struct packed {
    int64_t bytes, h, d; /* of a row; rows of a layer; layers */
    uint8_t *plane[LAB_PLANES];
};

struct state {
    struct lab lab;
    struct packed now, next;
};

__global__ void grow(struct packed now, struct packed next)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; /* the byte of the row */
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;

    if (k >= now.bytes || y >= now.h)
        return;
    /* Write here: the eight cells of byte (z * h + y) * bytes + k, of all three planes. */
}

void lab_step(void *self, uint64_t t, uint64_t n)
{
    struct state *state = (struct state *)self;
    struct packed *now = &state->now;
    dim3 block(16, 8), grid((now->bytes + 15) / 16, (now->h + 7) / 8, now->d);

    for (uint64_t i = 0; i < n; i++) {
        struct packed before = state->now;

        grow<<<grid, block>>>(state->now, state->next);
        state->now = state->next;
        state->next = before;
    }
}

/* --- given: memory, packing and unpacking on the host ------------------------------------------
 */

static size_t bytes_of(const struct packed *p) { return (size_t)(p->bytes * p->h * p->d); }

void *lab_open(const struct lab *lab)
{
    struct state *state = (struct state *)calloc(1, sizeof *state);

    if (!state)
        return NULL;
    state->lab = *lab;
    state->now.bytes = (lab->w + 7) / 8;
    state->now.h = lab->h;
    state->now.d = lab->d;
    state->next = state->now;
    for (int p = 0; p < LAB_PLANES; p++)
        if (cudaMalloc((void **)&state->now.plane[p], bytes_of(&state->now)) != cudaSuccess ||
            cudaMalloc((void **)&state->next.plane[p], bytes_of(&state->now)) != cudaSuccess)
            return NULL;
    return state;
}

void lab_load(void *self, uint64_t t, const lab_cell *const planes[])
{
    struct state *state = (struct state *)self;
    struct packed *now = &state->now;
    uint8_t *host = (uint8_t *)malloc(bytes_of(now));

    for (int p = 0; p < LAB_PLANES; p++) {
        memset(host, 0, bytes_of(now));
        for (int64_t r = 0; r < now->h * now->d; r++)
            for (int64_t x = 0; x < state->lab.w; x++)
                host[r * now->bytes + x / 8] |=
                    (uint8_t)(planes[p][r * state->lab.w + x] << (x % 8));
        cudaMemcpy(now->plane[p], host, bytes_of(now), cudaMemcpyHostToDevice);
    }
    free(host);
}

void lab_store(void *self, lab_cell *const planes[])
{
    struct state *state = (struct state *)self;
    struct packed *now = &state->now;
    uint8_t *host = (uint8_t *)malloc(bytes_of(now));

    for (int p = 0; p < LAB_PLANES; p++) {
        cudaMemcpy(host, now->plane[p], bytes_of(now), cudaMemcpyDeviceToHost);
        for (int64_t r = 0; r < now->h * now->d; r++)
            for (int64_t x = 0; x < state->lab.w; x++)
                planes[p][r * state->lab.w + x] = host[r * now->bytes + x / 8] >> (x % 8) & 1;
    }
    free(host);
}

void lab_close(void *self)
{
    struct state *state = (struct state *)self;

    for (int p = 0; p < LAB_PLANES; p++) {
        cudaFree(state->now.plane[p]);
        cudaFree(state->next.plane[p]);
    }
    free(state);
}
