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

/* Byte k of a row; nothing outside of the lattice. */
__device__ unsigned byte_at(const struct packed *p, int plane, int64_t k, int64_t y, int64_t z)
{
    if (k < 0 || k >= p->bytes || y < 0 || y >= p->h || z < 0 || z >= p->d)
        return 0;
    return p->plane[plane][(z * p->h + y) * p->bytes + k];
}

__global__ void grow(struct packed now, struct packed next)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; /* the byte of the row */
    int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    int64_t at = (z * now.h + y) * now.bytes + k;
    unsigned hum, act, cld, row, f;

    if (k >= now.bytes || y >= now.h)
        return;
    hum = byte_at(&now, LAB_HUM, k, y, z);
    act = byte_at(&now, LAB_ACT, k, y, z);
    cld = byte_at(&now, LAB_CLD, k, y, z);
    row =
        byte_at(&now, LAB_ACT, k - 1, y, z) | act << 8 | byte_at(&now, LAB_ACT, k + 1, y, z) << 16;
    f = row >> 6 | row >> 7 | row >> 9 | row >> 10;
    f |= byte_at(&now, LAB_ACT, k, y - 2, z) | byte_at(&now, LAB_ACT, k, y - 1, z) |
         byte_at(&now, LAB_ACT, k, y + 1, z) | byte_at(&now, LAB_ACT, k, y + 2, z);
    f |= byte_at(&now, LAB_ACT, k, y, z - 2) | byte_at(&now, LAB_ACT, k, y, z - 1) |
         byte_at(&now, LAB_ACT, k, y, z + 1);
    next.plane[LAB_HUM][at] = (uint8_t)(hum & ~act);
    next.plane[LAB_ACT][at] = (uint8_t)(~act & hum & f);
    next.plane[LAB_CLD][at] = (uint8_t)(cld | act);
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
