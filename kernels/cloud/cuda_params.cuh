/* SPDX-License-Identifier: MIT */
/* All CUDA kernels of cloud take this from a setup. */
#ifndef CALAB_KERNELS_CLOUD_CUDA_PARAMS_CUH
#define CALAB_KERNELS_CLOUD_CUDA_PARAMS_CUH

#include "kernels/cloud/cloud.h"
#include "kernels/cloud/rule.h"
#include "kernels/cuda/stepper.cuh"
#include "kernels/cuda/thread_position.cuh"

struct cloud_params {
    struct ca_size size; /* of the slab */
    struct cuda_slab slab;
    uint64_t seed;
    uint32_t extinct, humid, active; /* probabilities of the three events, in 65536ths */
};

static inline struct cloud_params cloud_params_of(const struct cuda *cuda)
{
    const struct ca_values *params = &cuda->setup.params;

    return {cuda->size,
            cuda_slab_of(cuda),
            cuda->setup.seed,
            ca_probability(params, "p_ext"),
            ca_probability(params, "p_hum"),
            ca_probability(params, "p_act")};
}

/* Kernels are compiled twice: for growth alone, and with events. */
static inline bool cloud_has_events(const struct cloud_params &params)
{
    return params.extinct || params.humid || params.active;
}

/* Coordinates in the slab of a thread's cell, or of the first of its w x h x d cells. */
struct cloud_coordinates {
    int64_t x, y, z;
};

static __device__ __forceinline__ struct cloud_coordinates
cloud_coordinates_of(const struct cuda_position &position, int w, int h, int d)
{
    return {(position.x0 + threadIdx.x) * w, (position.y0 + threadIdx.y) * h,
            (position.z0 + threadIdx.z) * d};
}

#endif
