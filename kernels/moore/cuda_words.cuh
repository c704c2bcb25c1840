/* SPDX-License-Identifier: MIT */
/*
 * Rows of groups of 128 cells as kernels see them (cuda_bits.cuh tells how they lie in memory): the
 * layout, words and their sums. It has nothing of the host's, as the kernels that include it.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_WORDS_CUH
#define CALAB_KERNELS_MOORE_CUDA_WORDS_CUH

#include "kernels/cuda/row_segments.cuh"
#include "kernels/moore/cuda_rule.cuh"

#define WORD uint32_t
#include "kernels/cpu/word.h"

/* How the lattice is cut for warps, and where groups stand in memory. */
struct moore_bits_layout : row_partition {
    int64_t first; /* index of the group of cell 0 in a row's memory */
    int64_t pitch; /* groups from row to row */
};

/* Steps all rows of `now` into `next`, through as many generations as the kernel is made for. */
typedef void moore_bits_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                               struct moore_bits_layout layout, struct moore_parameters parameters);

/* Turns a group's index in its row into that in the row's memory. Beyond the row's ends that is the
 * halo group or, without a halo, the group at the other end. */
static __device__ __forceinline__ void moore_bits_locate(const struct moore_bits_layout &layout,
                                                         struct segment_lane *lane)
{
    if (layout.first)
        lane->group += layout.first;
    else if (lane->group < 0)
        lane->group += layout.groups;
    else if (lane->group >= layout.groups)
        lane->group -= layout.groups;
}

/* The cells of a group of a row that are in the lattice, for dead edges. */
static __device__ __forceinline__ struct cuda_group moore_bits_inside(int64_t group, int64_t w)
{
    return group < 0 ? cuda_group() : cuda_group_inside(group, w);
}

/* Empties what is outside: all of a row that is, else cells of the group. */
static __device__ __forceinline__ void moore_bits_mask(word cells[4],
                                                       const struct cuda_group &inside, bool row)
{
    word all = row ? 0xffffffffu : 0;

#pragma unroll
    for (int i = 0; i < 4; i++)
        cells[i] = LOP3(cells[i], inside.word[i], all, A & B & C);
}

/* The sums of three cells of a row; `before` and `behind`: words 3 and 0 of the groups beside it.
 */
static __device__ __forceinline__ void moore_row_sums(struct bit_sum sum[4], const word row[4],
                                                      word before, word behind)
{
    word left = __funnelshift_l(before, row[3], 1), right = __funnelshift_r(row[0], behind, 1);

    sum[0] = word_full_add(left, row[0], row[1]);
    sum[1] = word_full_add(row[0], row[1], row[2]);
    sum[2] = word_full_add(row[1], row[2], row[3]);
    sum[3] = word_full_add(row[2], row[3], right);
}

/* Sums as groups of words: the low bits, then the high ones; and back. */
static __device__ __forceinline__ uint4 moore_edge_of_sums(const struct bit_sum sum[4], int k)
{
    return k == 0 ? make_uint4(sum[0].low, sum[1].low, sum[2].low, sum[3].low)
                  : make_uint4(sum[0].high, sum[1].high, sum[2].high, sum[3].high);
}

static __device__ __forceinline__ void moore_sums_of_edge(struct bit_sum sum[4], uint4 low,
                                                          uint4 high)
{
    sum[0] = {low.x, high.x}, sum[1] = {low.y, high.y};
    sum[2] = {low.z, high.z}, sum[3] = {low.w, high.w};
}

/* The row of a rule where the groups beside it are those of two lanes of the warp. */
template <class Rule>
static __device__ __forceinline__ typename Rule::row
moore_warp_row(const Rule &rule, const word cells[4], int left_lane, int right_lane)
{
    return rule.row_of(cells, __shfl_sync(0xffffffff, cells[3], left_lane),
                       __shfl_sync(0xffffffff, cells[0], right_lane));
}

#endif
