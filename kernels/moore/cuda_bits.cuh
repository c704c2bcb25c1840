/* SPDX-License-Identifier: MIT */
/*
 * The state of bit-sliced CUDA backends: rows of groups of 128 cells, a bit each, in two copies
 * (kernels/cuda/bit_groups.cuh draws a group's bits).
 *
 * A torus whose width is a multiple of 128 has no halo: a lane loads the group at the row's other
 * end itself. Where the width is not a multiple of 128, each row has a halo group before and behind
 * it, which repeat the row's other end, and so do the bits behind cell W - 1. A small kernel
 * fills them before each pass, so that all sizes take the same path.
 *
 * With dead edges each row has a halo too, which is empty and stays so, because kernels mask what
 * they compute outside of the lattice in every generation.
 *
 * cuda-temporal and cuda-overlapped cut rows to segments of up to 32 groups, a group a lane
 * (kernels/cuda/row_segments.cuh), with a halo of one lane at each end. A row of a torus of up to
 * 32 whole groups is periodic within the warp and has no such halo.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_BITS_CUH
#define CALAB_KERNELS_MOORE_CUDA_BITS_CUH

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

/* The kernels of a rule that step one generation: for 2, 4 and 8 rows a lane, at rows / 4. */
struct moore_bitslice_kernels {
    const char *name;
    moore_bits_kernel *step[3];
};

/* The head of each such backend's state. */
struct moore_bits {
    uint4 *now, *next;
    struct moore_bits_layout layout;
    struct moore_rule rule;
    const struct moore_bitslice_kernels *bitslice;
    int lane_rows; /* rows a lane of the one-generation kernel */
};

/* Operations on so many cells. */
double moore_bits_ops(const struct cuda *cuda, double cells);
/* The least seconds of a generation of a pass that moves the lattice both ways. */
double moore_bits_bound(const struct cuda *cuda, struct cuda_shape shape);

/* --- operations of a cuda_ops ---------------------------------------------------------------- */

/* In plan: the layout and the memory. The kernels of one generation have to outlive the state. */
void moore_bits_plan(struct cuda *cuda, const struct moore_rule *rule,
                     const struct moore_bitslice_kernels *bitslice);
/* Each pass begins with this: it fills the halo of rows, if they have one to fill. */
enum ca_status moore_bits_fill(struct cuda *cuda, struct ca_error *error);
bool moore_bits_fills(const struct moore_bits *state);
void moore_bits_swap(struct cuda *cuda);

/* --- the one-generation kernel, cuda-bitslice's ---------------------------------------------- */

/* In plan: chooses state->lane_rows; `rows` is the number wanted, or 0. The least seconds of a
 * generation. */
double moore_bitslice_choose(struct cuda *cuda, int64_t rows);
enum ca_status moore_bitslice_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);

/* --- cells in and out ------------------------------------------------------------------------ */

/* The access of a model adds its neighbour sums to this layout. */
struct moore_group_words {
    enum { PLANES = 1, BITS = 1 };

    uint4 *groups; /* group of cell 0 of row 0 */
    int64_t pitch;

    static moore_group_words of(const struct cuda *cuda)
    {
        const struct moore_bits *state = (const struct moore_bits *)cuda->state;

        return {state->now + state->layout.first, state->layout.pitch};
    }
    __device__ void get(int64_t row, int64_t k, uint64_t words[PLANES]) const
    {
        words[0] = cuda_group_get_half(cuda_group_of(groups[row * pitch + k / 2]), (int)(k % 2));
    }
    __device__ void put(int64_t row, int64_t k, const uint64_t words[PLANES]) const
    {
        cuda_group_put_half(groups + row * pitch + k / 2, (int)(k % 2), words[0]);
    }
};

/* --- on the device --------------------------------------------------------------------------- */

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
