/* SPDX-License-Identifier: MIT */
/*
 * Halos between a layout's state (kernels/cuda/access.cuh) and the memory in which they travel to
 * another instance: the rows of one after the other, each in memory of its own, all in one launch.
 */
#ifndef CALAB_KERNELS_CUDA_HALO_ROWS_CUH
#define CALAB_KERNELS_CUDA_HALO_ROWS_CUH

#include "kernels/cuda/layout.cuh"

template <class Value> struct layout_halo_row {
    Value *memory;    /* of the halo */
    int64_t row, own; /* of the halo and of the slab */
};

template <class Value>
static __device__ __forceinline__ layout_halo_row<Value>
layout_halo_row_at(const struct cuda_halos &halos, int64_t row)
{
    bool second = row >= halos.rows;

    if (second)
        row -= halos.rows;
    return {(Value *)(second ? halos.memory[1] : halos.memory[0]), row,
            (second ? halos.first[1] : halos.first[0]) + row};
}

/* Words of plane after plane of a halo, so that neighbouring threads have neighbouring words. */
template <class Words>
__global__ void layout_pack_words(Words layout, struct cuda_halos halos, int64_t w)
{
    cuda_begin_early();

    int64_t per_row = layout_row_words(w);

    layout_each(per_row, halos.count * halos.rows, [&](int64_t row, int64_t k) {
        layout_halo_row<uint64_t> at = layout_halo_row_at<uint64_t>(halos, row);
        uint64_t words[Words::PLANES];

        layout.get(at.own, k, words);
#pragma unroll
        for (int p = 0; p < layout_halo_planes<Words>(); p++)
            at.memory[(p * halos.rows + at.row) * per_row + k] = words[p];
    });
}

template <class Words>
__global__ void layout_unpack_words(Words layout, struct cuda_halos halos, int64_t w)
{
    cuda_begin_early();

    int64_t per_row = layout_row_words(w);

    layout_each(per_row, halos.count * halos.rows, [&](int64_t row, int64_t k) {
        layout_halo_row<const uint64_t> at = layout_halo_row_at<const uint64_t>(halos, row);
        uint64_t words[Words::PLANES], inside = layout_inside(w, k);

#pragma unroll
        for (int p = 0; p < layout_halo_planes<Words>(); p++)
            words[p] = at.memory[(p * halos.rows + at.row) * per_row + k] & inside;
        if constexpr (layout_halo_planes<Words>() < Words::PLANES)
            layout.put_halo(at.own, k, words);
        else
            layout.put(at.own, k, words);
    });
}

template <class Floats>
__global__ void layout_pack_floats(Floats layout, struct cuda_halos halos, int64_t w)
{
    cuda_begin_early();
    layout_each(w, halos.count * halos.rows, [&](int64_t row, int64_t x) {
        layout_halo_row<float> at = layout_halo_row_at<float>(halos, row);

        at.memory[at.row * w + x] = layout.get(Floats::CHANGES, x, at.own);
    });
}

template <class Floats>
__global__ void layout_unpack_floats(Floats layout, struct cuda_halos halos, int64_t w)
{
    cuda_begin_early();
    layout_each(w, halos.count * halos.rows, [&](int64_t row, int64_t x) {
        layout_halo_row<const float> at = layout_halo_row_at<const float>(halos, row);

        layout.put(Floats::CHANGES, x, at.own, at.memory[at.row * w + x]);
    });
}

/* Launches a kernel that copies halos, of so many columns a row. */
template <class Layout>
static enum ca_status layout_copy_halos(struct cuda *cuda, const char *name,
                                        void (*kernel)(Layout, struct cuda_halos, int64_t),
                                        struct cuda_halos halos, int64_t columns,
                                        struct ca_error *error)
{
    return cuda_launch_early(
        cuda, name, kernel, cuda_small_line(cuda, halos.count * halos.rows * columns),
        dim3(CUDA_SMALL_BLOCK), 0, error, Layout::of(cuda), halos, cuda->size.w);
}

#endif
