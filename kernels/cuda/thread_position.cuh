/* SPDX-License-Identifier: MIT */
/*
 * Where a thread stands in a lattice when each thread has a cell. Sides can be longer than 2^31
 * cells, so a block knows where it begins in 64 bits; that is the same for all its threads. Within
 * the block, and from there to the ends of the sides, 32 bits do.
 */
#ifndef CALAB_KERNELS_CUDA_THREAD_POSITION_CUH
#define CALAB_KERNELS_CUDA_THREAD_POSITION_CUH

#include "kernels/cuda/stepper.cuh"

#define CUDA_EDGE_DISTANCE_MAX                                                                     \
    (1 << 20) /* more than any block is long; cells are counted up to here */

/* Cells of a side before and after a cell; after < 0: the cell lies beyond the end. */
struct cuda_edge_distance {
    int before, after;
};

struct cuda_position {
    int64_t x0, y0, z0; /* where the block begins */
    struct cuda_edge_distance x, y, z;
    int64_t at; /* index of the cell */
    bool inside;
};

static __device__ __forceinline__ int cuda_edge_distance_clamp(int64_t cells)
{
    return cells < CUDA_EDGE_DISTANCE_MAX ? (int)cells : CUDA_EDGE_DISTANCE_MAX;
}

/* Of cell first + offset on a side, `first` being where the block begins. */
static __device__ __forceinline__ struct cuda_edge_distance
cuda_edge_distance_of(int64_t first, int offset, int64_t side)
{
    return {cuda_edge_distance_clamp(first) + offset,
            cuda_edge_distance_clamp(side - first) - 1 - offset};
}

/* Of this thread, in the block that begins at (x, y, z). */
static __device__ __forceinline__ struct cuda_position
cuda_position_of(struct ca_size size, int64_t x, int64_t y, int64_t z)
{
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, tz = (int)threadIdx.z;
    struct cuda_position spot = {x,
                                 y,
                                 z,
                                 cuda_edge_distance_of(x, tx, size.w),
                                 cuda_edge_distance_of(y, ty, size.h),
                                 cuda_edge_distance_of(z, tz, size.d)};

    spot.at = ((z * size.h + y) * size.w + x) + (tz * size.h + ty) * size.w + tx;
    spot.inside = spot.x.after >= 0 && spot.y.after >= 0 && spot.z.after >= 0;
    return spot;
}

/*
 * Calls body(spot) where this block stands in a grid of cuda_grid_of(size, block), and where it
 * walks on to since grids end at 65,535 blocks along y and z: all its threads together, those
 * outside the lattice too, so that there can be barriers in it. Along x there are 2^31 - 1 blocks:
 * see cuda_grid_stride_fits.
 */
template <class Body>
static __device__ __forceinline__ void cuda_grid_stride(struct ca_size size, Body body)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x;

    for (int64_t z = (int64_t)blockIdx.z * blockDim.z; z < size.d;
         z += (int64_t)gridDim.z * blockDim.z)
        for (int64_t y = (int64_t)blockIdx.y * blockDim.y; y < size.h;
             y += (int64_t)gridDim.y * blockDim.y)
            body(cuda_position_of(size, x, y, z));
}

/* CA_USAGE for rows that a grid of such blocks does not cover. */
static inline enum ca_status cuda_grid_stride_fits(const struct cuda *cuda, struct ca_size size,
                                                   dim3 block, struct ca_error *error)
{
    int64_t most = (int64_t)INT32_MAX * block.x;

    if (size.w <= most)
        return CA_OK;
    return ca_fail(error, CA_USAGE,
                   "%s: rows are at most %lld threads long in blocks of %u along x",
                   cuda->setup.model->name, (long long)most, block.x);
}

#endif
