/* SPDX-License-Identifier: MIT */
/* Water's starts and observables on the GPU, the same bits as init.c and ladder.c make. */
#ifndef CALAB_KERNELS_WATER_CUDA_START_CUH
#define CALAB_KERNELS_WATER_CUDA_START_CUH

#include "kernels/cuda/access_floats.cuh"
#include "kernels/water/noise.h"
#include "kernels/water/rule.h"
#include "kernels/water/water.h"

/* The starts hills and dam; grids from files are the host's. */
struct water_start_cells {
    bool hills;
    uint64_t seed;
    float scale, rain, spring;
    struct layout_rows rows;

    static bool make(const struct cuda *cuda, struct water_start_cells *start)
    {
        const struct ca_setup *setup = &cuda->setup;

        start->hills = setup->start == WATER_HILLS;
        start->seed = setup->seed;
        start->scale = (float)ca_real(&setup->params, "relief") / WATER_HEIGHTS;
        start->rain = (float)ca_real(&setup->params, "rain");
        start->spring = (float)ca_real(&setup->params, "spring") + 0.0F;
        start->rows = layout_rows_of(cuda);
        return start->hills || setup->start == WATER_DAM;
    }

    /* Sums of all octaves. Every mesh is so wide that the cells are between the same lines. */
    __device__ __forceinline__ void heights(int64_t x, int64_t y,
                                            uint32_t sum[LAYOUT_START_CELLS]) const
    {
#pragma unroll
        for (int i = 0; i < LAYOUT_START_CELLS; i++)
            sum[i] = 0;
#pragma unroll 1
        for (uint32_t octave = 0; octave < WATER_OCTAVES; octave++) {
            uint32_t bits = water_mesh_bits(octave), fx = (uint32_t)x & ((1U << bits) - 1);
            uint32_t left = water_height_on_line(seed, octave, x >> bits, y);
            uint32_t right = water_height_on_line(seed, octave, (x >> bits) + 1, y);

#pragma unroll
            for (int i = 0; i < LAYOUT_START_CELLS; i++)
                sum[i] += water_height_between(octave, left, right, fx + i);
        }
    }

    __device__ void cells(int64_t x, int64_t row,
                          float values[WATER_PLANES][LAYOUT_START_CELLS]) const
    {
        int64_t y = layout_global(rows, row);
        uint32_t height[LAYOUT_START_CELLS];

        if (hills)
            heights(x, y, height);
#pragma unroll
        for (int i = 0; i < LAYOUT_START_CELLS; i++) {
            float terrain = hills ? (float)height[i] * scale + 0.0F : 0; /* no -0 */
            bool middle = y == rows.h / 2 && x + i == rows.w / 2;

            values[WATER_TERRAIN][i] = terrain;
            values[WATER_LEVEL][i] = hills ? terrain + rain : x + i < rows.w / 4 ? 10 : 0;
            values[WATER_SOURCE][i] = hills && middle ? spring : 0;
        }
    }
};

struct water_sums {
    enum { SUMS = WATER_OBSERVABLES };

    static __device__ void add(const float values[WATER_PLANES], double sums[SUMS])
    {
        water_observe(values[WATER_TERRAIN], values[WATER_LEVEL], values[WATER_SOURCE], sums);
    }
};

#endif
