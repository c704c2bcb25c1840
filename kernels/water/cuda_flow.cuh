/* SPDX-License-Identifier: MIT */
/*
 * The flow of water in the next step, made where the state is (kernels/cuda/blocks.cuh): a thread
 * finds a cell's best level from its neighbours' levels and adds what leaves the cell.
 */
#ifndef CALAB_KERNELS_WATER_CUDA_FLOW_CUH
#define CALAB_KERNELS_WATER_CUDA_FLOW_CUH

#include "kernels/cuda/blocks.cuh"
#include "kernels/water/cuda_logic.cuh"

template <class Floats> struct water_flow_of_floats {
    enum { UNIT = 1, COUNT = 2 };
    typedef double sum;
    typedef double part;

    Floats layout;
    struct layout_neighbours neighbours;

    static water_flow_of_floats of(const struct cuda *cuda)
    {
        return {Floats::of(cuda), layout_neighbours::of(cuda)};
    }
    __device__ __forceinline__ float level(int64_t x, int64_t row) const
    {
        return x < 0 || x >= neighbours.w || row < 0 ? WATER_NO_LEVEL
                                                     : layout.get(WATER_LEVEL, x, row);
    }
    __device__ __forceinline__ void add(int64_t row, int64_t x, int64_t, int64_t,
                                        part parts[COUNT]) const
    {
        const float beside[WATER_NEIGHBOURS] = {level(x, neighbours.row(row, -1)),
                                                level(x - 1, row), level(x + 1, row),
                                                level(x, neighbours.row(row, 1))};
        float best = water_best_sorted(layout.get(WATER_TERRAIN, x, row), level(x, row), beside[0],
                                       beside[1], beside[2], beside[3]);

        water_flow(best, beside, parts);
    }
};

#endif
