/* SPDX-License-Identifier: MIT */
/*
 * What cuda-bitslice and cuda-blocked of fhp share: the lattice as bit planes, and a generation for
 * the 128 nodes that a lane holds, four words of each plane.
 *
 * Plane 0 ... 5 has the particles of a direction, 6 those at rest, 7 the solid nodes. A group of
 * 128 nodes is 16 bytes of each plane; the planes of 8 groups stand together, so that a warp finds
 * all that it reads of a row in one place:
 *
 *     row    ┌ plane 0, groups 0 ... 7 ┬ plane 1 ┬ ... ┬ plane 7 ┐┌ plane 0, groups 8 ...
 *            └ 128 bytes               ┴         ┴     ┴         ┘└
 *
 * (rows of 1, 2 or 3 ... 4 groups have 1, 2 or 4 of them together). A generation pulls. What
 * arrives at row y is one row of each plane, moved by a node or not:
 *
 *     plane            0 NW   1 NE   2 E    3 SE   4 SW   5 W
 *     from row         y + 1  y + 1  y      y - 1  y - 1  y
 *     y even, from x   .      left   left   left   .      right      right: of the node at x + 1
 *     y odd,  from x   right  .      left   .      right  right      left:  of the node at x - 1
 *
 * The lattice closes along y also at the ends of a slab, where what arrives is unknown in any case.
 */
#ifndef CALAB_KERNELS_FHP_PLANES_CUH
#define CALAB_KERNELS_FHP_PLANES_CUH

#define WORD uint32_t
#include "core/base/random.h"
#include "kernels/cuda/stepper.cuh"
#include "kernels/cuda/philox.cuh"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/words.cuh"

#define FHP_GROUP 128     /* nodes of a lane */
#define FHP_BIT_PLANES 7  /* that move */
#define FHP_PLANE_SOLID 7 /* that does not */

/* Where groups of a row's planes stand, in groups. */
struct fhp_layout {
    int64_t w, h;   /* nodes of the slab */
    int64_t groups; /* of a row */
    int64_t pitch;  /* from row to row */
    int shift;      /* groups whose planes stand together: 1 << shift */
};

static __host__ __device__ __forceinline__ int64_t fhp_group_at(const struct fhp_layout &layout,
                                                                int64_t group, int plane)
{
    int64_t chunk = group >> layout.shift << layout.shift;

    return 8 * chunk + ((int64_t)plane << layout.shift) + (group - chunk);
}

struct fhp_planes {
    uint4 *now, *next; /* both have the solid nodes */
    struct fhp_layout layout;
};

/* Facts of a step that kernels take by value. */
struct fhp_facts {
    struct draw_keys keys;
    struct draw_chance force;
    uint32_t t;
    struct cuda_slab slab;
};

/* Of a cuda_ops. */
enum ca_status fhp_planes_plan(struct cuda *cuda, struct ca_error *error);
enum ca_status fhp_planes_load(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                               struct ca_error *error);
enum ca_status fhp_planes_store(struct cuda *cuda, void *const planes[], int64_t first,
                                int64_t rows, struct ca_error *error);
enum ca_status fhp_planes_gather(struct cuda *cuda, const struct ca_gather_points *places,
                                 void *const planes[], struct ca_error *error);
/* n generations from t on, one a pass: any width. */
enum ca_status fhp_planes_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error);

struct fhp_facts fhp_facts_of(const struct cuda *cuda, uint64_t t);

/* --- a generation of 128 nodes --------------------------------------------------------------- */

struct fhp_group {
    word plane[FHP_BIT_PLANES][4];
};

static __device__ __forceinline__ void fhp_set(word words[4], uint4 group)
{
    words[0] = group.x, words[1] = group.y, words[2] = group.z, words[3] = group.w;
}

static __device__ __forceinline__ uint4 fhp_get(const word words[4])
{
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/* To a group's plane 0 and those after it. */
static __device__ __forceinline__ void fhp_put_planes(const struct fhp_group &group, uint4 *to,
                                                      int shift)
{
#pragma unroll
    for (int p = 0; p < FHP_BIT_PLANES; p++)
        to[p << shift] = fhp_get(group.plane[p]);
}

/* From the node before, the words before the group ending in `before`. */
static __device__ __forceinline__ void fhp_from_left(word words[4], word before)
{
#pragma unroll
    for (int i = 3; i >= 0; i--)
        words[i] = __funnelshift_l(i > 0 ? words[i - 1] : before, words[i], 1);
}

static __device__ __forceinline__ void fhp_from_right(word words[4], word behind)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        words[i] = __funnelshift_r(words[i], i < 3 ? words[i + 1] : behind, 1);
}

/* The words beside a group that its planes need: of planes 2 and 5, of 0 or 1, of 3 or 4. */
struct fhp_beside {
    word east, west, below, above;
};

/* What arrives, from planes that are of the rows as above. */
template <bool ODD>
static __device__ __forceinline__ void fhp_arrive(struct fhp_group *group,
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

/* What becomes of what arrived, for the nodes of a word. */
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

/* And for those of a group. */
template <int SET, bool FORCED, bool SOLID>
static __device__ __forceinline__ void fhp_scatter(struct fhp_group *group, uint4 chirality,
                                                   uint4 turns, uint4 solid)
{
    word left_or_right[4], turn[4], wall[4];

    fhp_set(left_or_right, chirality);
    fhp_set(turn, turns);
    fhp_set(wall, solid);
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

/* Draws of the 128 nodes `group` of row y. */
template <bool FORCED>
static __device__ __forceinline__ void fhp_draw(const struct fhp_facts &facts, uint32_t group,
                                                uint32_t y, uint32_t t, uint4 *chirality,
                                                uint4 *turns)
{
    struct draw_place place = draw_place(facts.keys, group, y, t);

    *turns = make_uint4(0, 0, 0, 0);
    if (FORCED)
        *turns = draw_event(facts.keys, place, CA_STREAM_FHP_FORCING, 0, facts.force,
                            CA_STREAM_FHP_CHIRALITY, chirality);
    else
        *chirality = draw_bits(facts.keys, place, CA_STREAM_FHP_CHIRALITY, 0);
}

/* A kernel of each set of collisions, without forcing and with it. */
#define FHP_KERNELS(name)                                                                          \
    {                                                                                              \
        {name<FHP_BITS_1, false>, name<FHP_BITS_1, true>},                                         \
            {name<FHP_BITS_2, false>, name<FHP_BITS_2, true>},                                     \
        {                                                                                          \
            name<FHP_BITS_3, false>, name<FHP_BITS_3, true>                                        \
        }                                                                                          \
    }

#endif
