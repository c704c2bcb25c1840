/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of life3d: a cell a thread, an int a cell, 26 neighbours from global memory.
 *
 * The plain kernel of a course report on 3D Life on a GTX 850M: 10,000 generations of 32 x 32 x 32
 * cells took it 1.263 s in kernels and 2.176 s in all. Most of its work is reading: 27 words come
 * to a thread for each that it writes, and each has an address to be worked out. Where global loads
 * go through a first cache memory sees little of that, since neighbours read the same lines.
 *
 * Its other finding is the option `copies`: a program that takes the lattice to the host and back
 * after each generation waits for the bus; one that leaves it on the device does not. Pinned memory
 * is copied by the device itself, pageable memory by way of the driver's own buffer.
 *
 * A block is a box of cells, 8 x 8 x 8 as in cuda-shared, so that the two differ in one thing.
 */
#include "kernels/life3d/ints.cuh"

template <bool closed>
static __global__ void __launch_bounds__(LIFE3D_THREADS)
    life3d_cuda_naive_step(const int32_t *__restrict__ now, int32_t *__restrict__ next,
                           const struct life3d_space space)
{
    cuda_grid_stride(space.size, [&](const struct cuda_position &spot) {
        struct life3d_steps steps = life3d_steps_of(space.size, spot);
        uint32_t present = life3d_present<closed>(space, spot);
        const int32_t *here = now + spot.at;
        int n = 0;

        if (!spot.inside)
            return;
#pragma unroll
        for (int i = 0; i < 27; i++)
            if (i != LIFE3D_SELF)
                n += life3d_around<closed>(here, present, steps, i);
        next[spot.at] = life3d_next(space.rule, *here, n);
    });
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    return life3d_ints_plan(cuda, life3d_cuda_naive_step<true>, life3d_cuda_naive_step<false>,
                            error);
}

CUDA_OPS(life3d_cuda_naive) = LIFE3D_INTS(plan);
