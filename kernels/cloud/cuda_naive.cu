/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of cloud: a thread updates one cell, whose three bits are a byte, from global
 * memory.
 *
 * This is where a cloud report began: 35.7 ms a step for 256 x 256 x 20 cells on a GTX 960M. A
 * thread loads its cell and eleven neighbours, each a byte, to make three bits. The caches serve
 * most of these loads, so memory moves about two bytes a cell, one in and one out, of which five
 * eighths are empty. The kernel is bound by the number of instructions for a single cell: loads, a
 * test for the lattice's edge before each of them, and addresses.
 *
 * With events it is bound by random numbers: a thread computes 128 random bits for each one that it
 * uses, and a warp goes on drawing until the last of its 32 cells is decided.
 */
#include "kernels/cloud/cuda_cells.cuh"

/* The OR of the eleven neighbours; those outside the lattice count as 0. */
static __device__ __forceinline__ uint32_t any_act_bits(const uint8_t *cell, int64_t row,
                                                        int64_t layer,
                                                        const struct cuda_position &position)
{
    uint32_t any_act = 0;

    if (position.x.before > 1)
        any_act |= cell[-2];
    if (position.x.before > 0)
        any_act |= cell[-1];
    if (position.x.after > 0)
        any_act |= cell[1];
    if (position.x.after > 1)
        any_act |= cell[2];
    if (position.y.before > 1)
        any_act |= cell[-2 * row];
    if (position.y.before > 0)
        any_act |= cell[-row];
    if (position.y.after > 0)
        any_act |= cell[row];
    if (position.y.after > 1)
        any_act |= cell[2 * row];
    if (position.z.before > 1)
        any_act |= cell[-2 * layer];
    if (position.z.before > 0)
        any_act |= cell[-layer];
    if (position.z.after > 0)
        any_act |= cell[layer];
    return any_act;
}

template <bool events>
static __global__ void __launch_bounds__(CLOUD_THREADS)
    cloud_cuda_naive_step(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                          const struct cloud_params params, uint32_t t)
{
    int64_t row = params.size.w, layer = row * params.size.h;

    cuda_grid_stride(params.size, [&](const struct cuda_position &position) {
        const uint8_t *cell = now + position.at;

        if (position.inside)
            next[position.at] =
                cloud_next_byte<events>(*cell, any_act_bits(cell, row, layer, position), params,
                                        cloud_coordinates_of(position, 1, 1, 1), t);
    });
}

static enum ca_status cloud_naive_plan(struct cuda *cuda, struct ca_error *error)
{
    const struct cloud_cells_launch launch = {"cloud_cuda_naive_step", cloud_cuda_naive_step<false>,
                                              cloud_cuda_naive_step<true>, cuda_block(cuda), 0};

    return cloud_cuda_cells_plan(cuda, &launch, "a cell a thread", error);
}

CUDA_OPS(cloud_cuda_naive) = CLOUD_CELLS_OPS(cloud_naive_plan);
