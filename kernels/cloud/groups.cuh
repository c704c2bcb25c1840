/* SPDX-License-Identifier: MIT */
/*
 * Groups of 128 bits: what cuda-bitslice and cuda-blocked of cloud share; their layout stands in
 * kernels/cuda/bit_groups.cuh. Each row is a whole number of groups. Bits beyond its end stay 0:
 * without vapour nothing becomes active there, and events are masked.
 *
 * Without events cld need not be moved: a cell has become cloud when it was active, and one that
 * was active has lost its vapour. What the state keeps, from when cells came in, is
 *
 *     cloud  cld of then             start  hum | act of then
 *     cld  = cloud | (start & ~hum & ~act)        at any time since
 *
 * Then: what is not cloud and is in start still has hum or act, so that cld is as it came. Later:
 * act is a part of hum, and what start has and hum has not was active once. So a pass reads and
 * writes hum and act alone, half a byte for a cell instead of three quarters.
 */
#ifndef CALAB_KERNELS_CLOUD_GROUPS_CUH
#define CALAB_KERNELS_CLOUD_GROUPS_CUH

#define WORD uint32_t
#include "kernels/cloud/bitslice.h"
#include "kernels/cloud/space.cuh"
#include "kernels/cuda/bit_groups.cuh"

struct cloud_groups {
    uint4 *hum, *act, *cloud;
    uint4 *start; /* NULL with events: then cloud is cld */
    uint4 *hum_next, *act_next;
    struct ca_size size; /* in groups: of a row, rows, planes */
    struct cloud_space space;
    bool events;
    int planes; /* that a thread of cloud_groups_generation goes up */
};

/* In a cuda_ops's plan, at the start of own: wants the memory. */
enum ca_status cloud_groups_plan(struct cuda *cuda, struct ca_error *error);
/* Of a cuda_ops. */
enum ca_status cloud_groups_load(struct cuda *cuda, void *const planes[], int64_t first,
                                 int64_t rows, struct ca_error *error);
enum ca_status cloud_groups_store(struct cuda *cuda, void *const planes[], int64_t first,
                                  int64_t rows, struct ca_error *error);
enum ca_status cloud_groups_gather(struct cuda *cuda, const struct ca_gather_points *places,
                                   void *const planes[], struct ca_error *error);
/* One generation, from hum and act to the next ones. */
enum ca_status cloud_groups_generation(struct cuda *cuda, uint64_t t, struct ca_error *error);
/* What is next becomes now. */
void cloud_groups_swap(struct cloud_groups *own);

/* --- the rule on groups ---------------------------------------------------------------------- */

static __device__ __forceinline__ struct cuda_group cloud_group_if(bool is, const uint4 *from)
{
    struct cuda_group group = {};

    return is ? cuda_group_of(*from) : group;
}

static __device__ __forceinline__ void cloud_join(struct cuda_group *to, const struct cuda_group &a,
                                                  const struct cuda_group &b)
{
#pragma unroll
    for (int j = 0; j < 4; j++)
        to->word[j] = word_or3(to->word[j], a.word[j], b.word[j]);
}

/*
 * Which cells have an active one beside them in their row, and those of `also`. before2, before3:
 * words 2 and 3 of the group before, of which the last bit counts; after0, after1: words 0 and 1 of
 * the one behind, of which the first does.
 */
static __device__ __forceinline__ struct cuda_group
cloud_group_sides(const struct cuda_group &act, const struct cuda_group &also, uint32_t before2,
                  uint32_t before3, uint32_t after0, uint32_t after1)
{
    const uint32_t *w = act.word;
    uint32_t left2 = __funnelshift_l(before2, w[2], 1), left3 = __funnelshift_l(before3, w[3], 1);
    uint32_t right0 = __funnelshift_r(w[0], after0, 1), right1 = __funnelshift_r(w[1], after1, 1);
    uint32_t inner = w[1] | w[2],
             all = word_or3(inner, w[0], w[3]); /* cells may count themselves */

    return {{word_or3(inner, left2, left3) | also.word[0], word_or3(all, left3, also.word[1]),
             word_or3(all, right0, also.word[2]), word_or3(inner, right0, right1) | also.word[3]}};
}

#endif
