/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of life3d: a thread a cell, an int a cell, 26 neighbours from global memory.
 *
 * It is the basic kernel of a course report on 3D Life on a GTX 850M: 10,000 generations of
 * 32 x 32 x 32 cells took it 1.263 s in kernels and 2.176 s in all. It is bound by its loads: a
 * thread loads 27 words for each that it stores, and computes an address for each of them. Where
 * global loads go through an L1 cache, memory sees few of them, since neighbours read the same
 * lines.
 *
 * The report's other finding is the option `copies`: a program that copies the lattice to the host
 * and back after each generation is bound by the bus. The device copies pinned memory by itself;
 * pageable memory goes through a buffer of the driver. In single steps the report's program did
 * more: each time it took memory on the device, copied the lattice there and back, and freed it.
 *
 * A block is a box of 8 x 8 x 8 cells as in cuda-shared, so that the two backends differ in the
 * tile alone.
 */
#include "kernels/life3d/cuda_cells.cuh"

template <bool closed>
static __global__ void __launch_bounds__(LIFE3D_THREADS)
    life3d_cuda_naive_step(const int32_t *__restrict__ now, int32_t *__restrict__ next,
                           const struct life3d_space space)
{
    cuda_grid_stride(space.size, [&](const struct cuda_position &position) {
        struct life3d_offsets offsets = life3d_offsets_of(space.size, position);
        uint32_t present = life3d_present<closed>(space, position);
        const int32_t *cell = now + position.at;
        int n = 0;

        if (!position.inside)
            return;
#pragma unroll
        for (int i = 0; i < 27; i++)
            if (i != LIFE3D_CENTRE)
                n += life3d_neighbour<closed>(cell, present, offsets, i);
        next[position.at] = life3d_next(space.rule, *cell, n);
    });
}

static enum ca_status life3d_naive_plan(struct cuda *cuda, struct ca_error *error)
{
    return life3d_cells_plan(
        cuda,
        {"life3d_cuda_naive_step", life3d_cuda_naive_step<true>, life3d_cuda_naive_step<false>, 0},
        error);
}

CUDA_OPS(life3d_cuda_naive) = LIFE3D_CELLS_OPS(life3d_naive_plan);
