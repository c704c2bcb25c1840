/* SPDX-License-Identifier: MIT */
/* What every CUDA kernel of cloud knows of the lattice and of chance. */
#ifndef CALAB_KERNELS_CLOUD_SPACE_CUH
#define CALAB_KERNELS_CLOUD_SPACE_CUH

#include "core/base/random.h"
#include "kernels/cloud/cloud.h"
#include "kernels/cloud/rule.h"
#include "kernels/cuda/stepper.cuh"
#include "kernels/cuda/thread_position.cuh"

struct cloud_space {
    struct ca_size size; /* of the slab */
    struct cuda_slab slab;
    uint64_t seed;
    uint32_t extinct, humid, active; /* probabilities of the three events, in 65536ths */
};

static inline struct cloud_space cloud_space_of(const struct cuda *cuda)
{
    const struct ca_values *params = &cuda->setup.params;

    return {cuda->size,
            cuda_slab_of(cuda),
            cuda->setup.seed,
            ca_probability(params, "p_ext"),
            ca_probability(params, "p_hum"),
            ca_probability(params, "p_act")};
}

/* Each kernel comes in two forms: growth alone, and with events. */
static inline bool cloud_has_events(const struct cloud_space &space)
{
    return space.extinct || space.humid || space.active;
}

/* Where a thread's cell, or the first of its w x h x d cells, stands in the slab. */
struct cloud_place {
    int64_t x, y, z;
};

static __device__ __forceinline__ struct cloud_place
cloud_place_of(const struct cuda_position &spot, int w, int h, int d)
{
    return {(spot.x0 + threadIdx.x) * w, (spot.y0 + threadIdx.y) * h, (spot.z0 + threadIdx.z) * d};
}

#endif
