/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced CUDA backends of fhp share the lattice as bit planes in GPU memory, and a
 * generation of the 128 nodes that a lane holds as four words of each plane.
 *
 * Planes 0 ... 5 hold the particles of a direction, 6 those at rest, 7 the solid nodes. A group of
 * 128 nodes is 16 bytes of each plane. The planes of 8 groups are adjacent, so that what a warp
 * reads of a row is contiguous:
 *
 *     row    ┌ plane 0, groups 0 ... 7 ┬ plane 1 ┬ ... ┬ plane 7 ┐┌ plane 0, groups 8 ...
 *            └ 128 bytes               ┴         ┴     ┴         ┘└
 *
 * (in rows of 1, 2 or 3 ... 4 groups the planes of 1, 2 or 4 of them). A generation pulls: what
 * arrives at row y is one row of each plane, shifted by a node or not:
 *
 *     plane            0 NW   1 NE   2 E    3 SE   4 SW   5 W
 *     from row         y + 1  y + 1  y      y - 1  y - 1  y
 *     y even, from x   .      left   left   left   .      right      right: of the node at x + 1
 *     y odd,  from x   right  .      left   .      right  right      left:  of the node at x - 1
 *
 * The first row's upper neighbour is the last row also in a slab, where what arrives at the ends is
 * unknown in any case.
 */
#ifndef CALAB_KERNELS_FHP_CUDA_BITS_CUH
#define CALAB_KERNELS_FHP_CUDA_BITS_CUH

#define WORD uint32_t
#include "kernels/cuda/stepper.cuh"
#include "kernels/cuda/philox.cuh"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/cuda_logic.cuh"

#define FHP_GROUP 128     /* nodes of a lane */
#define FHP_BIT_PLANES 7  /* that a generation changes */
#define FHP_PLANE_SOLID 7 /* that none changes */

/* The places of the groups of a row's planes, counted in groups. */
struct fhp_bits_layout {
    int64_t w, h;   /* nodes of the slab */
    int64_t groups; /* of a row */
    int64_t pitch;  /* from row to row */
    int shift;      /* the planes of 1 << shift groups are adjacent */
};

static __host__ __device__ __forceinline__ int64_t
fhp_group_at(const struct fhp_bits_layout &layout, int64_t group, int plane)
{
    int64_t chunk = group >> layout.shift << layout.shift;

    return 8 * chunk + ((int64_t)plane << layout.shift) + (group - chunk);
}

struct fhp_bits_state {
    uint4 *now, *next; /* both hold the solid nodes; next: NULL with one buffer */
    struct fhp_bits_layout layout;
};

/* Kernels take this by value. */
struct fhp_bits_params {
    struct draw_keys keys;
    struct draw_chance force;
    uint32_t t;
    struct cuda_slab slab;
};

/* Reserves the memory, for passes from one buffer to the other or in place in one buffer. */
void fhp_bits_plan(struct cuda *cuda, int buffers);
extern const struct cuda_access fhp_bits_access;

/* A pass of one generation, for any width; and the shape of its launch. */
enum ca_status fhp_bits_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
void fhp_bits_swap(struct cuda *cuda);
void fhp_bits_shape(const struct cuda *cuda, dim3 *grid, dim3 *block);

struct fhp_bits_params fhp_bits_params_of(const struct cuda *cuda, uint64_t t);

/* --- a generation of 128 nodes --------------------------------------------------------------- */

struct fhp_group {
    word plane[FHP_BIT_PLANES][4];
};

static __device__ __forceinline__ void fhp_unpack(word words[4], uint4 group)
{
    words[0] = group.x, words[1] = group.y, words[2] = group.z, words[3] = group.w;
}

static __device__ __forceinline__ uint4 fhp_pack(const word words[4])
{
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/* Writes all planes of a group, `to` being the address of its plane 0. */
static __device__ __forceinline__ void fhp_write_planes(const struct fhp_group &group, uint4 *to,
                                                        int shift)
{
#pragma unroll
    for (int p = 0; p < FHP_BIT_PLANES; p++)
        to[p << shift] = fhp_pack(group.plane[p]);
}

/* Each node gets its left neighbour's bit; `before` is the word before the group. */
static __device__ __forceinline__ void fhp_from_left(word words[4], word before)
{
#pragma unroll
    for (int i = 3; i >= 0; i--)
        words[i] = __funnelshift_l(i > 0 ? words[i - 1] : before, words[i], 1);
}

/* Each node gets its right neighbour's bit; `behind` is the word after the group. */
static __device__ __forceinline__ void fhp_from_right(word words[4], word behind)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        words[i] = __funnelshift_r(words[i], i < 3 ? words[i + 1] : behind, 1);
}

/* The words beside a group: of planes 2 and 5, of plane 0 or 1, and of plane 3 or 4. */
struct fhp_beside {
    word east, west, below, above;
};

/* Turns the planes, each read from the row that is given above, into what arrives. */
template <bool ODD>
static __device__ __forceinline__ void fhp_group_arrive(struct fhp_group *group,
                                                        const struct fhp_beside &beside)
{
    fhp_from_left(group->plane[2], beside.east);
    fhp_from_right(group->plane[5], beside.west);
    if (ODD) {
        fhp_from_right(group->plane[0], beside.below);
        fhp_from_right(group->plane[4], beside.above);
    } else {
        fhp_from_left(group->plane[1], beside.below);
        fhp_from_left(group->plane[3], beside.above);
    }
}

/* Collides the nodes of a word, or throws their particles back. */
template <int SET, bool FORCED, bool SOLID>
static __device__ __forceinline__ void fhp_scatter_word(struct fhp_bits *node, word chirality,
                                                        word turn, word wall)
{
    struct fhp_bits moved = *node;

    fhp_words_collide((enum fhp_bits_set)SET, node, chirality);
    if (FORCED) {
        word west = node->move[5];

        node->move[5] &= ~turn | node->move[2];
        node->move[2] |= turn & west;
    }
    if (SOLID)
        fhp_bits_bounce(node, &moved, wall);
}

/* The same for a group. */
template <int SET, bool FORCED, bool SOLID>
static __device__ __forceinline__ void fhp_group_scatter(struct fhp_group *group, uint4 chirality,
                                                         uint4 turns, uint4 solid)
{
    word left_or_right[4], turn[4], wall[4];

    fhp_unpack(left_or_right, chirality);
    fhp_unpack(turn, turns);
    fhp_unpack(wall, solid);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        struct fhp_bits node;

#pragma unroll
        for (int p = 0; p < 6; p++)
            node.move[p] = group->plane[p][i];
        node.rest = group->plane[6][i];
        fhp_scatter_word<SET, FORCED, SOLID>(&node, left_or_right[i], turn[i], wall[i]);
#pragma unroll
        for (int p = 0; p < 6; p++)
            group->plane[p][i] = node.move[p];
        group->plane[6][i] = node.rest;
    }
}

/* The random bits of a group of row y. */
template <bool FORCED>
static __device__ __forceinline__ void fhp_draw(const struct fhp_bits_params &params,
                                                uint32_t group, uint32_t y, uint32_t t,
                                                uint4 *chirality, uint4 *turns)
{
    struct draw_place place = draw_place(params.keys, group, y, t);

    *turns = make_uint4(0, 0, 0, 0);
    if (FORCED)
        *turns = draw_event(params.keys, place, FHP_STREAM_FORCING, 0, params.force,
                            FHP_STREAM_CHIRALITY, chirality);
    else
        *chirality = draw_bits(params.keys, place, FHP_STREAM_CHIRALITY, 0);
}

/* A table of a kernel's instances: by collision set, without forcing and with it. */
#define FHP_KERNELS(name)                                                                          \
    {                                                                                              \
        {name<FHP_BITS_1, false>, name<FHP_BITS_1, true>},                                         \
            {name<FHP_BITS_2, false>, name<FHP_BITS_2, true>},                                     \
        {                                                                                          \
            name<FHP_BITS_3, false>, name<FHP_BITS_3, true>                                        \
        }                                                                                          \
    }

#endif
