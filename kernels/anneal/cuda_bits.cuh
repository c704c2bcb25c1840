/* SPDX-License-Identifier: MIT */
/*
 * The state of anneal's bit-sliced CUDA backends: rows of groups of 128 cells, a bit each, in two
 * copies (kernels/cuda/bit_groups.cuh draws a group's bits).
 *
 * A lattice whose width is a multiple of 128 has no halo: a lane loads the group at the row's other
 * end itself. Where the width is no multiple of 128, each row has a halo group before and behind
 * it, which repeat the row's other end, and so do the bits behind cell W - 1. A small kernel
 * fills them before each pass, so that all sizes take the same path.
 *
 * cuda-temporal and cuda-overlapped cut rows to segments of up to 32 groups, a group a lane
 * (kernels/cuda/row_segments.cuh), with a halo of one lane at each end. A row of up to 32 whole
 * groups is periodic within the warp and has no such halo.
 */
#ifndef CALAB_KERNELS_ANNEAL_CUDA_BITS_CUH
#define CALAB_KERNELS_ANNEAL_CUDA_BITS_CUH

#include "kernels/anneal/cuda_logic.cuh"
#include "kernels/cuda/row_segments.cuh"

/* How the lattice is cut for warps, and where groups stand in memory. */
struct anneal_bits_layout : row_partition {
    int64_t first; /* index of the group of cell 0 in a row's memory */
    int64_t pitch; /* groups from row to row */
};

/* The head of each such backend's state. */
struct anneal_bits {
    uint4 *now, *next;
    struct anneal_bits_layout layout;
    int lane_rows; /* rows a lane of the one-generation kernel */
};

/* Steps all rows of `now` into `next`, through as many generations as the kernel is made for. */
typedef void anneal_bits_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                                struct anneal_bits_layout layout);
/* The least seconds of a generation of a pass that moves the lattice both ways. */
double anneal_bits_bound(const struct cuda *cuda, struct cuda_shape shape);

/* --- operations of a cuda_ops ---------------------------------------------------------------- */

/* In plan: the layout and the memory. */
void anneal_bits_plan(struct cuda *cuda);
extern const struct cuda_access anneal_bits_access;
/* Each pass begins with this: it fills the halo of rows, if they have one. */
enum ca_status anneal_bits_fill(struct cuda *cuda, struct ca_error *error);
void anneal_bits_swap(struct cuda *cuda);

/* --- the one-generation kernel, cuda-bitslice's ---------------------------------------------- */

/* In plan: chooses state->lane_rows; `rows` is the number wanted, or 0. The least seconds of a
 * generation. */
double anneal_bitslice_choose(struct cuda *cuda, int64_t rows);
enum ca_status anneal_bitslice_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);

/* --- on the device --------------------------------------------------------------------------- */

/* Turns a group's index in its row into that in the row's memory. Beyond the row's ends that is the
 * halo group or, without a halo, the group at the other end. */
static __device__ __forceinline__ void anneal_bits_locate(const struct anneal_bits_layout &layout,
                                                          struct segment_lane *lane)
{
    if (layout.first)
        lane->group += layout.first;
    else if (lane->group < 0)
        lane->group += layout.groups;
    else if (lane->group >= layout.groups)
        lane->group -= layout.groups;
}

#endif
