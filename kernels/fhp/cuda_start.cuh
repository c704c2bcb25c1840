/* SPDX-License-Identifier: MIT */
/* The random start of fhp on the GPU: particles by chance, and solid nodes by geometry. */
#ifndef CALAB_KERNELS_FHP_CUDA_START_CUH
#define CALAB_KERNELS_FHP_CUDA_START_CUH

#include "kernels/cuda/access.cuh"
#include "kernels/fhp/rule.h"

#define FHP_SOLID_BIT 7

struct fhp_start {
    struct cuda_random_start particles;
    enum fhp_geometry geometry;

    /* Geometries from files are the host's. */
    static bool make(const struct cuda *cuda, struct fhp_start *start)
    {
        start->geometry = (enum fhp_geometry)ca_choice(&cuda->setup.params, "geometry");
        return cuda_random_start::make(cuda, &start->particles);
    }

    __device__ __forceinline__ uint64_t solid(int64_t row, int64_t k) const
    {
        int64_t w = particles.rows.w, h = particles.rows.h;
        int64_t y = layout_global(particles.rows, row);
        uint64_t nodes = 0;

        if (geometry == FHP_NONE)
            return 0;
        if (y == 0 || y == h - 1)
            return ~nodes;
        if (fhp_may_hold_disc(geometry, w, h, 64 * k, 64 * k + 63, y))
#pragma unroll 1
            for (int i = 0; i < 64; i++)
                nodes |= (uint64_t)fhp_is_solid(geometry, w, h, 64 * k + i, y) << i;
        return nodes;
    }

    template <int PLANES>
    __device__ __forceinline__ void words(int64_t row, int64_t k, uint64_t words[PLANES]) const
    {
        uint64_t wall = solid(row, k);

        particles.template words<PLANES>(row, k, words);
#pragma unroll
        for (int p = 0; p < PLANES; p++)
            words[p] = p == FHP_SOLID_BIT ? wall : words[p] & ~wall;
    }
};

#endif
