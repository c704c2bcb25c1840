/* SPDX-License-Identifier: MIT */
/*
 * ANNEAL's logic on a GPU, as a rule of words for the kernels of kernels/moore. The sums of three
 * and the rule on words are those of bitslice.h.
 */
#ifndef CALAB_KERNELS_ANNEAL_CUDA_LOGIC_CUH
#define CALAB_KERNELS_ANNEAL_CUDA_LOGIC_CUH

#include "kernels/moore/cuda_bits.cuh"

#include "kernels/anneal/bitslice.h"

struct anneal_words {
    enum { KEPT = 16, GENERATIONS = 8, EDGES = 2 };
    struct row {
        struct bit_sum sum[4];
    };
    struct two {
        struct anneal_two of[4];
    };

    explicit __device__ anneal_words(const struct moore_parameters &) {}
    __device__ __forceinline__ row row_of(const word cells[4], word before, word behind) const
    {
        row made;

        moore_row_sums(made.sum, cells, before, behind);
        return made;
    }
    __device__ __forceinline__ two two_of(const row &b, const row &c) const
    {
        two both;

#pragma unroll
        for (int i = 0; i < 4; i++)
            both.of[i] = anneal_two(b.sum[i], c.sum[i]);
        return both;
    }
    __device__ __forceinline__ void upper(word cells[4], const two &both, const row &a, const row &,
                                          const row &) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            cells[i] = anneal_two_rule(both.of[i], a.sum[i]);
    }
    __device__ __forceinline__ void lower(word cells[4], const two &both, const row &, const row &,
                                          const row &d) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
            cells[i] = anneal_two_rule(both.of[i], d.sum[i]);
    }
    __device__ __forceinline__ uint4 edge(const row &made, int k) const
    {
        return moore_edge_of_sums(made.sum, k);
    }
    template <class Edge> __device__ __forceinline__ row row_at(Edge edge) const
    {
        row made;

        moore_sums_of_edge(made.sum, edge(0), edge(1));
        return made;
    }
};

extern const struct cuda_access anneal_bits_access;
extern const struct moore_bitslice_kernels anneal_bitslice_kernels;

static const struct moore_rule anneal_moore_rule = {.work = 1};

#endif
