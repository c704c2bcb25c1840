/* SPDX-License-Identifier: MIT */
/*
 * The position of a thread in the lattice, for kernels with one thread a cell. A side can be longer
 * than 2^31 cells, so a block's origin takes 64 bits, but it is the same for all threads of the
 * block. Coordinates within the block and clamped distances to the lattice's edges fit in 32 bits.
 */
#ifndef CALAB_KERNELS_CUDA_THREAD_POSITION_CUH
#define CALAB_KERNELS_CUDA_THREAD_POSITION_CUH

#include "kernels/cuda/stepper.cuh"

/* Distances are clamped here, above the length of any block. */
#define CUDA_EDGE_DISTANCE_MAX (1 << 20)

/* Cells of a side before and after a cell; the cell lies outside the lattice where after < 0. */
struct cuda_edge_distance {
    int before, after;
};

struct cuda_position {
    int64_t x0, y0, z0; /* the block's first cell */
    struct cuda_edge_distance x, y, z;
    int64_t at; /* index of the cell */
    bool inside;
};

static __device__ __forceinline__ int cuda_edge_distance_clamp(int64_t cells)
{
    return cells < CUDA_EDGE_DISTANCE_MAX ? (int)cells : CUDA_EDGE_DISTANCE_MAX;
}

/* The distances of cell first + offset; `first` is the block's first cell along the side. */
static __device__ __forceinline__ struct cuda_edge_distance
cuda_edge_distance_of(int64_t first, int offset, int64_t side)
{
    return {cuda_edge_distance_clamp(first) + offset,
            cuda_edge_distance_clamp(side - first) - 1 - offset};
}

/* The position of this thread in the block whose first cell is (x, y, z). */
static __device__ __forceinline__ struct cuda_position
cuda_position_of(struct ca_size size, int64_t x, int64_t y, int64_t z)
{
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, tz = (int)threadIdx.z;
    struct cuda_position position = {x,
                                     y,
                                     z,
                                     cuda_edge_distance_of(x, tx, size.w),
                                     cuda_edge_distance_of(y, ty, size.h),
                                     cuda_edge_distance_of(z, tz, size.d)};

    position.at = ((z * size.h + y) * size.w + x) + (tz * size.h + ty) * size.w + tx;
    position.inside = position.x.after >= 0 && position.y.after >= 0 && position.z.after >= 0;
    return position;
}

/*
 * A grid-stride loop over a grid of cuda_grid_of(size, block), which ends at 65,535 blocks along y
 * and z. All threads of a block call body(position), those outside the lattice too, so that it can
 * contain barriers. Along x a grid has up to 2^31 - 1 blocks: see cuda_grid_stride_fits.
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

/* CA_USAGE for rows that are too long for a grid of such blocks. */
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
