/* SPDX-License-Identifier: MIT */
/*
 * State and steps of cloud's CUDA backends with a byte a cell: a byte holds the three bits of its
 * cell, and the lattice exists twice, one copy to read and one to write. A backend brings its
 * kernel, in which each thread updates one cell.
 */
#ifndef CALAB_KERNELS_CLOUD_CUDA_CELLS_CUH
#define CALAB_KERNELS_CLOUD_CUDA_CELLS_CUH

#include "core/base/random.h"
#include "kernels/cloud/cuda_params.cuh"

#define CLOUD_THREADS 512 /* the largest of the block shapes in ladder.c */

typedef void cloud_cells_kernel(const uint8_t *now, uint8_t *next, struct cloud_params params,
                                uint32_t t);

struct cloud_cells_launch {
    const char *name;                    /* of the kernel */
    cloud_cells_kernel *growth, *events; /* the kernel without and with events */
    dim3 block;
    size_t shared_bytes;
};

struct cloud_cuda_cells {
    uint8_t *now, *next; /* bit p of a byte is plane p */
    struct cloud_params params;
    cloud_cells_kernel *kernel;
    const char *kernel_name;
};

enum ca_status cloud_cuda_cells_plan(struct cuda *cuda, const struct cloud_cells_launch *launch,
                                     const char *variant, struct ca_error *error);
enum ca_status cloud_cuda_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
void cloud_cuda_cells_swap(struct cuda *cuda);

extern const struct cuda_access cloud_cells_access;

#define CLOUD_CELLS_OPS(plan_function)                                                             \
    {                                                                                              \
        .state_size = sizeof(struct cloud_cuda_cells), .plan = (plan_function),                    \
        .access = &cloud_cells_access, .pass = cloud_cuda_cells_pass,                              \
        .swap = cloud_cuda_cells_swap                                                              \
    }

/* A cell of the next generation; `any_act` is the OR of the bytes of all eleven neighbours. */
template <bool events>
static __device__ __forceinline__ uint8_t cloud_next_byte(uint32_t cell, uint32_t any_act,
                                                          const struct cloud_params &params,
                                                          const struct cloud_coordinates &at,
                                                          uint32_t t)
{
    struct cloud_cell now = {(uint8_t)(cell >> CLOUD_HUM & 1), (uint8_t)(cell >> CLOUD_ACT & 1),
                             (uint8_t)(cell >> CLOUD_CLD & 1)};
    struct cloud_cell next = cloud_rule(now, (uint8_t)(any_act >> CLOUD_ACT & 1));

    if (events) {
        uint64_t seed = params.seed, gx = (uint64_t)at.x, gy = (uint64_t)at.y;
        uint64_t gz = (uint64_t)cuda_global(params.slab, at.z);

        next = cloud_events(next,
                            ca_event(seed, gx, gy, gz, t, CLOUD_STREAM_EXTINCTION, params.extinct),
                            ca_event(seed, gx, gy, gz, t, CLOUD_STREAM_HUMIDITY, params.humid),
                            ca_event(seed, gx, gy, gz, t, CLOUD_STREAM_ACTIVATION, params.active));
    }
    return (uint8_t)(next.hum << CLOUD_HUM | next.act << CLOUD_ACT | next.cld << CLOUD_CLD);
}

#endif
