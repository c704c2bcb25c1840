/* SPDX-License-Identifier: MIT */
/*
 * Kernels over a layout share this (kernels/cuda/access.cuh): words of a row, loops over rows,
 * coordinates of a slab's rows, and folds over a block of threads.
 */
#ifndef CALAB_KERNELS_CUDA_LAYOUT_CUH
#define CALAB_KERNELS_CUDA_LAYOUT_CUH

#include "kernels/cuda/stepper.cuh"

#define LAYOUT_THREADS 256

/* In 32 bits where they suffice, which takes a fraction of the instructions. */
static __device__ __forceinline__ int64_t layout_quotient(int64_t a, int64_t b)
{
    return (uint64_t)(a | b) <= UINT32_MAX ? (uint32_t)a / (uint32_t)b : a / b;
}

/* Words of a row of bits. */
static __host__ __device__ __forceinline__ int64_t layout_row_words(int64_t w)
{
    return (w + 63) / 64;
}

/* Those bits of word k that are cells of the row. */
static __device__ __forceinline__ uint64_t layout_inside(int64_t w, int64_t k)
{
    int64_t cells = w - 64 * k;

    return cells >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << cells) - 1;
}

/* Calls work(row, column) for all columns of so many rows; neighbouring threads have neighbouring
 * columns. */
template <class Work>
static __device__ __forceinline__ void layout_each(int64_t columns, int64_t rows, Work work)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t row = layout_quotient(i, columns), column = i - row * columns;
    int64_t down = layout_quotient(step, columns), across = step - down * columns;

    while (row < rows) {
        work(row, column);
        row += down;
        column += across;
        if (column >= columns) {
            column -= columns;
            row++;
        }
    }
}

/* A kernel numbers the rows of a slab, and finds their coordinates, by this. */
struct layout_rows {
    int64_t w, h;                         /* cells of a row, rows of a layer */
    int64_t count;                        /* of the whole lattice */
    int64_t first;                        /* row of the whole lattice that is the slab's row 0 */
    int64_t obstacle_first, obstacle_end; /* see ca_obstacle_rows */
};

static inline struct layout_rows layout_rows_of(const struct cuda *cuda)
{
    struct cuda_slab slab = cuda_slab_of(cuda);
    int64_t count = ca_rows(cuda->setup.size);
    int64_t origin = (slab.origin % slab.size + slab.size) % slab.size;

    struct layout_rows rows = {cuda->size.w, cuda->setup.size.h, count,
                               origin * (count / slab.size)};

    ca_obstacle_rows(cuda->setup.model, cuda->setup.size, &rows.obstacle_first, &rows.obstacle_end);
    return rows;
}

/* The row of the whole lattice that is row `row` of the slab. */
static __device__ __forceinline__ int64_t layout_global(const struct layout_rows &rows, int64_t row)
{
    row += rows.first;
    while (row >= rows.count) /* more than once only where a halo is larger than the lattice */
        row -= rows.count;
    return row;
}

/* Folds the values of a block of LAYOUT_THREADS to one, which thread 0 has. */
template <class Value, class Fold> static __device__ Value layout_block_fold(Value value, Fold fold)
{
    __shared__ Value folded[LAYOUT_THREADS / 32];

    for (int by = 16; by > 0; by /= 2)
        value = fold(value, __shfl_down_sync(0xffffffff, value, by));
    __syncthreads(); /* the last values have been read */
    if (threadIdx.x % 32 == 0)
        folded[threadIdx.x / 32] = value;
    __syncthreads();
    for (int i = 1; threadIdx.x == 0 && i < LAYOUT_THREADS / 32; i++)
        value = fold(value, folded[i]);
    return value;
}

template <class Value> static __device__ __forceinline__ Value layout_block_sum(Value value)
{
    return layout_block_fold(value, [](Value a, Value b) { return a + b; });
}

/* The bit plane of a layout that marks solid cells, or -1. */
template <class Layout> static __host__ __device__ constexpr int layout_solid()
{
    if constexpr (requires { Layout::SOLID; })
        return Layout::SOLID;
    else
        return -1;
}

/* The planes of words that halos consist of, from the first on. Of the others cells read no
 * neighbours', or no generation changes them, so that halos have them from the load on. */
template <class Words> static __host__ __device__ constexpr int layout_halo_planes()
{
    if constexpr (requires { Words::HALO_PLANES; })
        return Words::HALO_PLANES;
    else
        return Words::PLANES;
}

#endif
