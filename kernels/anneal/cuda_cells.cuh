/* SPDX-License-Identifier: MIT */
/* The rule of anneal's byte-a-cell CUDA backends, for the kernels of kernels/moore. */
#ifndef CALAB_KERNELS_ANNEAL_CUDA_CELLS_CUH
#define CALAB_KERNELS_ANNEAL_CUDA_CELLS_CUH

#include "kernels/anneal/rule.h"
#include "kernels/moore/cuda_cells.cuh"

struct anneal_square {
    explicit __device__ anneal_square(const struct moore_parameters &) {}
    static __device__ __forceinline__ int live_in_row(const uint8_t *row)
    {
        return row[0] + row[1] + row[2];
    }
    __device__ __forceinline__ uint8_t next(const uint8_t *above, const uint8_t *centre,
                                            const uint8_t *below) const
    {
        return (uint8_t)anneal_rule(live_in_row(above) + live_in_row(centre) + live_in_row(below));
    }
};

extern const struct cuda_access anneal_cells_access;

#endif
