/* SPDX-License-Identifier: MIT */
/*
 * The logic of cloud's bit-sliced CUDA kernels on groups of 128 cells
 * (kernels/cuda/bit_groups.cuh): which cells have an active neighbour in their row, where the group
 * beside comes from memory or, in a row that lies across the lanes of a warp, from the lane beside.
 */
#ifndef CALAB_KERNELS_CLOUD_CUDA_LOGIC_CUH
#define CALAB_KERNELS_CLOUD_CUDA_LOGIC_CUH

#define WORD uint32_t
#include "kernels/cloud/bitslice.h"
#include "kernels/cuda/bit_groups.cuh"

#define CLOUD_LANES 32 /* of a warp */

static __device__ __forceinline__ void cloud_or3(struct cuda_group *to, const struct cuda_group &a,
                                                 const struct cuda_group &b)
{
#pragma unroll
    for (int j = 0; j < 4; j++)
        to->word[j] = word_or3(to->word[j], a.word[j], b.word[j]);
}

/*
 * The cells that have an active neighbour in their row, and those of `also`. before2 and before3
 * are words 2 and 3 of the group before, of which the last bit counts; after0 and after1 are words
 * 0 and 1 of the group behind, of which the first bit counts. A cell may count itself: the rule
 * ignores that (cloud_bits_rule).
 */
static __device__ __forceinline__ struct cuda_group
cloud_row_neighbours(const struct cuda_group &act, const struct cuda_group &also, uint32_t before2,
                     uint32_t before3, uint32_t after0, uint32_t after1)
{
    const uint32_t *w = act.word;
    uint32_t left2 = __funnelshift_l(before2, w[2], 1), left3 = __funnelshift_l(before3, w[3], 1);
    uint32_t right0 = __funnelshift_r(w[0], after0, 1), right1 = __funnelshift_r(w[1], after1, 1);
    uint32_t inner = w[1] | w[2], all = word_or3(inner, w[0], w[3]);

    return {{word_or3(inner, left2, left3) | also.word[0], word_or3(all, left3, also.word[1]),
             word_or3(all, right0, also.word[2]), word_or3(inner, right0, right1) | also.word[3]}};
}

/* --- rows across the lanes of a warp --------------------------------------------------------- */

/*
 * Two bits of a neighbouring lane's group count, in two words. __byte_perm (the instruction PRMT)
 * with these selectors packs the two bytes that hold them, so that one shuffle moves both.
 */
#define CLOUD_PRMT_LAST 0x7300  /* the last bytes of words 2 and 3, to bytes 2 and 3 */
#define CLOUD_PRMT_FIRST 0x0040 /* the first bytes of words 0 and 1, to bytes 0 and 1 */

/* PRMT selectors that put a byte from the lane beside where the shift expects it, or zeros at an
 * end of the row. */
struct cloud_row_ends {
    uint32_t before2, before3, after0, after1;
};

static __device__ __forceinline__ struct cloud_row_ends cloud_row_ends_of(bool left, bool right)
{
    return {left ? 0x2444u : 0x4444u, left ? 0x3444u : 0x4444u, right ? 0x4440u : 0x4444u,
            right ? 0x4441u : 0x4444u};
}

/* cloud_row_neighbours of a row across lanes. Without MASK_ENDS the row's ends are halo, into which
 * any bits may come. */
template <bool MASK_ENDS>
static __device__ __forceinline__ struct cuda_group
cloud_warp_row_neighbours(const struct cuda_group &act, const struct cuda_group &also,
                          const struct cloud_row_ends &ends)
{
    uint32_t last = __byte_perm(act.word[2], act.word[3], CLOUD_PRMT_LAST);
    uint32_t first = __byte_perm(act.word[0], act.word[1], CLOUD_PRMT_FIRST);

    last = __shfl_up_sync(0xffffffff, last, 1);
    first = __shfl_down_sync(0xffffffff, first, 1);
    if (!MASK_ENDS)
        return cloud_row_neighbours(act, also, last << 8, last, first, first >> 8);
    return cloud_row_neighbours(
        act, also, __byte_perm(last, 0, ends.before2), __byte_perm(last, 0, ends.before3),
        __byte_perm(first, 0, ends.after0), __byte_perm(first, 0, ends.after1));
}

#endif
