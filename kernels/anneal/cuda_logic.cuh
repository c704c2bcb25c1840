/* SPDX-License-Identifier: MIT */
/*
 * ANNEAL's logic on a GPU: rows of groups of 128 cells (kernels/cuda/bit_groups.cuh), a group being
 * four words of one lane. The sums of three and the rule on words are those of bitslice.h.
 */
#ifndef CALAB_KERNELS_ANNEAL_CUDA_LOGIC_CUH
#define CALAB_KERNELS_ANNEAL_CUDA_LOGIC_CUH

#include "kernels/cuda/stepper.cuh"

#define WORD uint32_t
#include "kernels/anneal/bitslice.h"

/* A row's sums of three cells; `before` and `behind`: words 3 and 0 of the groups beside it. */
static __device__ __forceinline__ void anneal_row_sums(struct bit_sum sum[4], const word row[4],
                                                       word before, word behind)
{
    word left = __funnelshift_l(before, row[3], 1), right = __funnelshift_r(row[0], behind, 1);

    sum[0] = word_full_add(left, row[0], row[1]);
    sum[1] = word_full_add(row[0], row[1], row[2]);
    sum[2] = word_full_add(row[1], row[2], row[3]);
    sum[3] = word_full_add(row[2], row[3], right);
}

/* The same where the groups beside it are those of two lanes of the warp. */
static __device__ __forceinline__ void
anneal_warp_row_sums(struct bit_sum sum[4], const word row[4], int left_lane, int right_lane)
{
    anneal_row_sums(sum, row, __shfl_sync(0xffffffff, row[3], left_lane),
                    __shfl_sync(0xffffffff, row[0], right_lane));
}

#endif
