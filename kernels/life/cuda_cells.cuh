/* SPDX-License-Identifier: MIT */
/* The rules of life's byte-a-cell CUDA backends, for the kernels of kernels/moore. */
#ifndef CALAB_KERNELS_LIFE_CUDA_CELLS_CUH
#define CALAB_KERNELS_LIFE_CUDA_CELLS_CUH

#include "kernels/life/cuda_rule.cuh"
#include "kernels/moore/cuda_cells.cuh"

/* This rule looks at the count of the neighbours. */
struct life_counted_cell {
    uint32_t born, stays;

    explicit __device__ life_counted_cell(const struct moore_parameters &parameters)
        : born(parameters.rule[LIFE_BORN_AT]), stays(parameters.rule[LIFE_STAYS_AT])
    {
    }
    static __device__ __forceinline__ int live_in_row(const uint8_t *row)
    {
        return row[0] + row[1] + row[2];
    }
    __device__ __forceinline__ uint8_t next(const uint8_t *above, const uint8_t *centre,
                                            const uint8_t *below) const
    {
        int n = live_in_row(above) + centre[0] + centre[2] + live_in_row(below);

        return (centre[1] ? stays : born) >> n & 1;
    }
};

/* This rule looks the square up in the table. Lanes whose squares are in other words of it read one
 * after the other. */
struct life_looked_up_cell {
    const struct moore_parameters &parameters;

    explicit __device__ life_looked_up_cell(const struct moore_parameters &from) : parameters(from)
    {
    }
    static __device__ __forceinline__ unsigned bits_of_row(const uint8_t *row)
    {
        return row[0] * 4u + row[1] * 2u + row[2];
    }
    __device__ __forceinline__ uint8_t next(const uint8_t *above, const uint8_t *centre,
                                            const uint8_t *below) const
    {
        unsigned square = bits_of_row(above) * 64 + bits_of_row(centre) * 8 + bits_of_row(below);

        return parameters.rule[LIFE_TABLE_AT + square / 32] >> square % 32 & 1;
    }
};

#endif
