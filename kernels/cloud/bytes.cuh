/* SPDX-License-Identifier: MIT */
/*
 * What the byte-a-cell CUDA rungs of cloud share: a cell's three bits in a byte, the lattice twice,
 * read from one copy and written to the other. A rung brings its kernel, a thread a cell.
 */
#ifndef CALAB_KERNELS_CLOUD_BYTES_CUH
#define CALAB_KERNELS_CLOUD_BYTES_CUH

#include "kernels/cloud/space.cuh"

#define CLOUD_THREADS 512 /* of a block at most: see the shapes in ladder.c */

typedef void cloud_byte_kernel(const uint8_t *now, uint8_t *next, struct cloud_space space,
                               uint32_t t);

struct cloud_bytes {
    uint8_t *now, *next; /* bit p of a byte is plane p */
    struct cloud_space space;
    cloud_byte_kernel *kernel;
    dim3 block;
};

/* A rung's plan is this with its kernel, without and with events, and its block. */
enum ca_status cloud_bytes_plan(struct cuda *cuda, cloud_byte_kernel *growth,
                                cloud_byte_kernel *events, dim3 block, struct ca_error *error);
enum ca_status cloud_bytes_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error);

struct cloud_byte_cells {
    typedef uint8_t value;

    uint8_t *cells;
    int64_t w;

    static struct cloud_byte_cells of(const struct cuda *cuda)
    {
        return {((const struct cloud_bytes *)cuda->own)->now, cuda->size.w};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        return cells[row * w + x] >> plane & 1;
    }
    /* Planes are put one after the other, each byte by one thread. */
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        uint8_t *cell = cells + row * w + x;

        *cell = (uint8_t)((*cell & ~(1 << plane)) | v << plane);
    }
};

#define CLOUD_BYTES(plan_function)                                                                 \
    {                                                                                              \
        .own_size = sizeof(struct cloud_bytes), .plan = (plan_function),                           \
        CUDA_CELLS(cloud_byte_cells), .step = cloud_bytes_step                                     \
    }

/* A cell of the next generation; `near` has the bits of all eleven neighbours, or-ed. */
template <bool events>
static __device__ __forceinline__ uint8_t cloud_next_byte(uint32_t cell, uint32_t near,
                                                          const struct cloud_space &space,
                                                          const struct cloud_place &at, uint32_t t)
{
    struct cloud_cell now = {(uint8_t)(cell >> CLOUD_HUM & 1), (uint8_t)(cell >> CLOUD_ACT & 1),
                             (uint8_t)(cell >> CLOUD_CLD & 1)};
    struct cloud_cell next = cloud_rule(now, (uint8_t)(near >> CLOUD_ACT & 1));

    if (events) {
        uint64_t seed = space.seed, gx = (uint64_t)at.x, gy = (uint64_t)at.y;
        uint64_t gz = (uint64_t)cuda_global(space.slab, at.z);

        next = cloud_events(
            next, ca_event(seed, gx, gy, gz, t, CA_STREAM_CLOUD_EXTINCTION, space.extinct),
            ca_event(seed, gx, gy, gz, t, CA_STREAM_CLOUD_HUMIDITY, space.humid),
            ca_event(seed, gx, gy, gz, t, CA_STREAM_CLOUD_ACTIVATION, space.active));
    }
    return (uint8_t)(next.hum << CLOUD_HUM | next.act << CLOUD_ACT | next.cld << CLOUD_CLD);
}

#endif
