/* SPDX-License-Identifier: MIT */
/*
 * The length of the walls between domains, made where the state is (kernels/cuda/blocks.cuh): edges
 * between unlike cells, each with the cell that is left of it or above. The lattice is a torus; the
 * row below that of a slab's open end is not known, and not asked for.
 */
#ifndef CALAB_KERNELS_ANNEAL_CUDA_WALLS_CUH
#define CALAB_KERNELS_ANNEAL_CUDA_WALLS_CUH

#include "kernels/anneal/rule.h"
#include "kernels/cuda/blocks.cuh"

/* The walls of a layout of words. */
template <class Words> struct anneal_walls_of_words {
    enum { UNIT = 64, COUNT = 1 };
    typedef unsigned long long sum;
    typedef uint32_t part;

    Words layout;
    struct layout_neighbours neighbours;

    static anneal_walls_of_words of(const struct cuda *cuda)
    {
        return {Words::of(cuda), layout_neighbours::of(cuda)};
    }
    __device__ __forceinline__ void add(int64_t row, int64_t u, int64_t x0, int64_t x1,
                                        part parts[COUNT]) const
    {
        int64_t below = neighbours.row(row, 1), cells = neighbours.w - 64 * u;
        uint64_t mask = layout_mask(u, x0, x1), here[1], beside[1], under[1];

        layout.get(row, u, here);
        layout.get(row, cells > 64 ? u + 1 : 0, beside);
        layout.get(below < 0 ? row : below, u, under);
        parts[0] +=
            (part)__popcll((here[0] ^ anneal_right(here[0], beside[0], beside[0], cells)) & mask);
        parts[0] += (part)__popcll((here[0] ^ under[0]) & mask);
    }
};

/* The walls of a layout of cells. */
template <class Cells> struct anneal_walls_of_cells {
    enum { UNIT = 1, COUNT = 1 };
    typedef unsigned long long sum;
    typedef uint32_t part;

    Cells layout;
    struct layout_neighbours neighbours;

    static anneal_walls_of_cells of(const struct cuda *cuda)
    {
        return {Cells::of(cuda), layout_neighbours::of(cuda)};
    }
    __device__ __forceinline__ void add(int64_t row, int64_t x, int64_t, int64_t,
                                        part parts[COUNT]) const
    {
        int64_t below = neighbours.row(row, 1);
        unsigned here = layout.get(0, x, row);

        parts[0] += here != layout.get(0, x + 1 < neighbours.w ? x + 1 : 0, row);
        parts[0] += here != layout.get(0, x, below < 0 ? row : below);
    }
};

#endif
