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

#include "kernels/cuda/row_partition.cuh"
#include "kernels/moore/cuda_own.cuh"
#include "kernels/moore/cuda_words.cuh"

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
    struct moore_own own;
    struct moore_bitslice_kernels own_rows; /* to which `bitslice` leads when they are there */
};

/* Operations on so many cells. */
double moore_bits_ops(const struct cuda *cuda, double cells);
/* The least seconds of a generation of a pass that moves the lattice both ways. */
double moore_bits_bound(const struct cuda *cuda, struct cuda_shape shape);

/* --- operations of a cuda_ops ---------------------------------------------------------------- */

/* In plan: the layout and the memory. The kernels of one generation have to outlive the state.
 * `own` says how a rule's own kernels are made; NULL: there are none. */
enum ca_status moore_bits_plan(struct cuda *cuda, const struct moore_rule *rule,
                               const struct moore_bitslice_kernels *bitslice,
                               const struct moore_own_rule *own, struct ca_error *error);
/* Before a pass: the rule's own kernels, once, when they are there, by which generations are
 * stepped from then on; else NULL. */
const struct moore_own_kernels *moore_bits_turn(struct cuda *cuda);
/* Each pass begins with this: it fills the halo of rows, if they have one to fill. */
enum ca_status moore_bits_fill(struct cuda *cuda, struct ca_error *error);
bool moore_bits_fills(const struct moore_bits *state);
void moore_bits_swap(struct cuda *cuda);

/* --- the one-generation kernel, cuda-bitslice's ---------------------------------------------- */

/* In plan: chooses state->lane_rows; `rows` is the number wanted, or 0. The least seconds of a
 * generation. */
double moore_bitslice_choose(struct cuda *cuda, int64_t rows);
enum ca_status moore_bitslice_one(struct cuda *cuda, struct ca_error *error);

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

#endif
