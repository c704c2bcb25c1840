/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-naive of cloud: a cell a thread, its three bits in a byte, all from global memory.
 *
 * Where a cloud report began: 35.7 ms a step for 256 x 256 x 20 cells on a GTX 960M. A thread loads
 * its cell and eleven neighbours, each a byte, to make three bits. The caches catch most of these
 * loads, so memory moves about two bytes a cell, one in and one out, of which five eighths are
 * empty; what limits is the number of instructions for a single cell: loads, tests for the
 * lattice's end before each of them, and addresses.
 *
 * Events make it wait for random numbers: a thread computes 128 random bits for each one that it
 * uses, and a warp goes on drawing until the last of its 32 cells is decided.
 */
#include "kernels/cloud/bytes.cuh"

/* The bits of the eleven neighbours; outside the lattice there is nothing. */
static __device__ __forceinline__ uint32_t near_bits(const uint8_t *here, int64_t row,
                                                     int64_t layer,
                                                     const struct cuda_position &spot)
{
    uint32_t near = 0;

    if (spot.x.before > 1)
        near |= here[-2];
    if (spot.x.before > 0)
        near |= here[-1];
    if (spot.x.after > 0)
        near |= here[1];
    if (spot.x.after > 1)
        near |= here[2];
    if (spot.y.before > 1)
        near |= here[-2 * row];
    if (spot.y.before > 0)
        near |= here[-row];
    if (spot.y.after > 0)
        near |= here[row];
    if (spot.y.after > 1)
        near |= here[2 * row];
    if (spot.z.before > 1)
        near |= here[-2 * layer];
    if (spot.z.before > 0)
        near |= here[-layer];
    if (spot.z.after > 0)
        near |= here[layer];
    return near;
}

template <bool events>
static __global__ void __launch_bounds__(CLOUD_THREADS)
    cloud_cuda_naive_step(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                          const struct cloud_space space, uint32_t t)
{
    int64_t row = space.size.w, layer = row * space.size.h;

    cuda_grid_stride(space.size, [&](const struct cuda_position &spot) {
        const uint8_t *here = now + spot.at;

        if (spot.inside)
            next[spot.at] = cloud_next_byte<events>(*here, near_bits(here, row, layer, spot), space,
                                                    cloud_place_of(spot, 1, 1, 1), t);
    });
}

static enum ca_status plan(struct cuda *cuda, struct ca_error *error)
{
    return cloud_bytes_plan(cuda, cloud_cuda_naive_step<false>, cloud_cuda_naive_step<true>,
                            cuda_block(cuda), error);
}

CUDA_OPS(cloud_cuda_naive) = CLOUD_BYTES(plan);
