/* SPDX-License-Identifier: MIT */
/*
 * The state of the bit-sliced CUDA backends of life3d: a cell is a bit, and a generation is read
 * from one copy of the lattice and written to the other.
 *
 * Rows of 129 to 4096 cells, in lattices of at least four rows and four layers, are laid out for
 * sweeps (cuda_sweep.cuh). A row belongs to 4, 8, 16 or 32 lanes of a warp, each of which has a
 * group of two or four words, and in a group of n words cell x is bit x div n of word x mod n. So
 * most neighbours in x are at the same bit of another word of the lane, and the others are a shift
 * away:
 *
 *     word  0  1 | 0  1 |          bit
 *     cell  0  1 | 64 . |   ...     0         left of word 0: word 1, a bit up, with the last bit
 *           2  3 | .    |           1           of the previous lane
 *           .    |      |                     right of word 1: word 0, a bit down
 *          62 63 | .    |   ...    31
 *
 * Halo rows above and below each layer repeat the rows of its other end; loads fill them, and the
 * kernels that write those rows keep them. With dead boundaries they stay empty, as does one layer
 * after the last.
 *
 * Other rows are whole words, cell x at bit x mod 32 of word x div 32, without a halo. Both layouts
 * hold all sizes and boundaries exactly.
 */
#ifndef CALAB_KERNELS_LIFE3D_CUDA_BITS_CUH
#define CALAB_KERNELS_LIFE3D_CUDA_BITS_CUH

#include "kernels/cuda/stepper.cuh"
#include "kernels/life3d/cuda_logic.cuh"
#include "kernels/life3d/life3d.h"

#define LIFE3D_HALO_ROWS 4 /* above and below a layer that is laid out for sweeps */

struct life3d_layout {
    int64_t w, h, d;
    int lane_words;                 /* of a group */
    int lanes;                      /* of a row; 0: not laid out for sweeps */
    int64_t row_words, layer_words; /* from one to the next */
    int64_t offset;                 /* of the word with cell 0 */
    bool torus;                     /* in x and y */
    bool torus_z;                   /* a slab of a torus is not closed in z */
};

/* Each of these backends begins its cuda->state with this. */
struct life3d_bits_state {
    word *now, *next;
    struct life3d_layout layout;
    enum life3d_rule_variant variant;
    struct life3d_masks masks;
};

/* In a plan: chooses the layout and the rule's variant, and wants the memory. */
enum ca_status life3d_bits_plan(struct cuda *cuda, struct ca_error *error);
/* Fills the halo rows of `next`, of which a sweep of one generation keeps a single one a side. */
enum ca_status life3d_fill_next(struct cuda *cuda, struct ca_error *error);
void life3d_swap(struct cuda *cuda);

extern const struct cuda_access life3d_bits_access;

/* Sums of nine as they pass through shared memory. */
static __device__ __forceinline__ uint4 life3d_put_sum9(struct life3d_sum9 sum9)
{
    return make_uint4(sum9.l.low, sum9.l.high, sum9.h.low, sum9.h.high);
}

static __device__ __forceinline__ struct life3d_sum9 life3d_get_sum9(uint4 sum9)
{
    return {{sum9.x, sum9.y}, {sum9.z, sum9.w}};
}

/* Operations of so many cell updates: those of the backend's row, and what a rule takes that is not
 * compiled into a kernel, a word of 32 cells. */
static inline double life3d_ops_of(const struct cuda *cuda, double cells)
{
    enum life3d_rule_variant variant = ((const struct life3d_bits_state *)cuda->state)->variant;
    double words = variant == LIFE3D_RULE_INTERVALS ? 20 : variant == LIFE3D_RULE_TABLE ? 50 : 0;

    return cuda_ops_of(cuda, cells) + cells * words / 32;
}

/* The operations of a backend whose state begins with struct life3d_bits_state. */
#define LIFE3D_BITS_OPS(state_type, plan_function, pass_function)                                  \
    {                                                                                              \
        .state_size = sizeof(state_type), .plan = (plan_function), .access = &life3d_bits_access,  \
        .pass = (pass_function), .swap = life3d_swap                                               \
    }

#endif
