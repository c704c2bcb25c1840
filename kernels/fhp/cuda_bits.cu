/* SPDX-License-Identifier: MIT */
/*
 * This file keeps fhp's bit planes on a GPU: it moves nodes in and out, and makes passes of one
 * generation.
 */
#include "kernels/fhp/cuda_bits.cuh"

#include "kernels/fhp/cuda_start.cuh"

#define LANES 32

/* --- nodes in and out ------------------------------------------------------------------------ */

struct fhp_plane_words {
    enum { PLANES = 8, BITS = 8, SOLID = 7, HALO_PLANES = FHP_BIT_PLANES };

    uint64_t *now, *next; /* next: NULL where there is one buffer */
    struct fhp_bits_layout layout;

    static fhp_plane_words of(const struct cuda *cuda)
    {
        const struct fhp_bits_state *state = (const struct fhp_bits_state *)cuda->state;

        return {(uint64_t *)state->now, (uint64_t *)state->next, state->layout};
    }
    __device__ int64_t at(int64_t row, int64_t k) const /* of plane 0 */
    {
        return 2 * (row * layout.pitch + fhp_group_at(layout, k / 2, 0)) + k % 2;
    }
    __device__ void get(int64_t row, int64_t k, uint64_t words[PLANES]) const
    {
        const uint64_t *from = now + at(row, k);

#pragma unroll
        for (int p = 0; p < PLANES; p++)
            words[p] = from[2 * p << layout.shift];
    }
    /* Solid nodes go to both buffers, since no step writes them. */
    __device__ void put(int64_t row, int64_t k, const uint64_t words[PLANES]) const
    {
        int64_t to = at(row, k);

#pragma unroll
        for (int p = 0; p < PLANES; p++)
            now[to + (2 * p << layout.shift)] = words[p];
        if (next)
            next[to + (2 * FHP_PLANE_SOLID << layout.shift)] = words[FHP_PLANE_SOLID];
    }
    __device__ void put_halo(int64_t row, int64_t k, const uint64_t words[PLANES]) const
    {
        int64_t to = at(row, k);

#pragma unroll
        for (int p = 0; p < HALO_PLANES; p++)
            now[to + (2 * p << layout.shift)] = words[p];
    }
};

CUDA_WORD_ACCESS_FROM(fhp_bits_access, fhp_plane_words, fhp_start);

/* --- one generation -------------------------------------------------------------------------- */

#define THREADS 128
#define RESIDENT(set) ((set) == FHP_BITS_3 ? 5 : 6) /* blocks that registers suffice for */

/* A thread's position: plane 0 of its group in three rows. The neighbouring lanes have the
 * neighbouring groups, except at the ends of a warp's lanes and of a row. */
struct group_position {
    const struct fhp_bits_layout &layout;
    const uint4 *above, *here, *below;
    int64_t group;
    bool odd;
    bool left_outside, right_outside; /* no lane has the group before it, behind it */
};

/* The first word of a plane of another group, from the address of this group in that row. */
static __device__ __forceinline__ const uint32_t *
words_of(const struct group_position &position, const uint4 *row, int64_t group, int plane)
{
    return (const uint32_t *)(row - fhp_group_at(position.layout, position.group, 0) +
                              fhp_group_at(position.layout, group, plane));
}

/* The last word of the group before this one. Before the first group it is the row's last node, as
 * the top bit. */
static __device__ __forceinline__ uint32_t word_before(const struct group_position &position,
                                                       const uint4 *row, int plane)
{
    int64_t last = position.layout.w - 1;

    if (position.group > 0)
        return words_of(position, row, position.group - 1, plane)[3];
    return words_of(position, row, last / FHP_GROUP, plane)[last % FHP_GROUP / 32]
           << (31 - last % 32);
}

/* The first word of the group after this one. */
static __device__ __forceinline__ uint32_t word_behind(const struct group_position &position,
                                                       const uint4 *row, int plane)
{
    int64_t group = position.group < position.layout.groups - 1 ? position.group + 1 : 0;

    return words_of(position, row, group, plane)[0];
}

/* The neighbouring words that no lane has, from memory. */
static __device__ __forceinline__ struct fhp_beside
fhp_bits_outside(const struct group_position &position)
{
    struct fhp_beside outside = {};

    if (position.left_outside) {
        outside.east = word_before(position, position.here, 2);
        if (!position.odd) {
            outside.below = word_before(position, position.below, 1);
            outside.above = word_before(position, position.above, 3);
        }
    }
    if (position.right_outside) {
        outside.west = word_behind(position, position.here, 5);
        if (position.odd) {
            outside.below = word_behind(position, position.below, 0);
            outside.above = word_behind(position, position.above, 4);
        }
    }
    return outside;
}

/* The neighbouring words, by shuffles and from `outside`. */
static __device__ __forceinline__ struct fhp_beside
fhp_bits_beside(const struct group_position &position, const struct fhp_group &group,
                struct fhp_beside outside)
{
    int lane = (int)(threadIdx.y * blockDim.x + threadIdx.x) % LANES;
    int diagonal = position.odd ? lane + 1 : lane - 1;
    struct fhp_beside beside = {
        __shfl_sync(0xffffffff, group.plane[2][3], lane - 1),
        __shfl_sync(0xffffffff, group.plane[5][0], lane + 1),
        __shfl_sync(0xffffffff, position.odd ? group.plane[0][0] : group.plane[1][3], diagonal),
        __shfl_sync(0xffffffff, position.odd ? group.plane[4][0] : group.plane[3][3], diagonal)};

    if (position.left_outside)
        beside.east = outside.east;
    if (position.right_outside)
        beside.west = outside.west;
    if (position.odd ? position.right_outside : position.left_outside) {
        beside.below = outside.below;
        beside.above = outside.above;
    }
    return beside;
}

/* Puts a row's first node behind its last one, in a row that ends within this group. */
static __device__ __forceinline__ void wrap_row_end(const struct group_position &position,
                                                    const uint4 *row, int plane, word words[4])
{
    uint32_t end = (uint32_t)(position.layout.w % FHP_GROUP);
    uint32_t mask = 1u << end % 32, bit = word_behind(position, row, plane) % 2 * mask;

    words[0] = end / 32 == 0 ? (words[0] & ~mask) | bit : words[0];
    words[1] = end / 32 == 1 ? (words[1] & ~mask) | bit : words[1];
    words[2] = end / 32 == 2 ? (words[2] & ~mask) | bit : words[2];
    words[3] = end / 32 == 3 ? (words[3] & ~mask) | bit : words[3];
}

static __device__ __forceinline__ void fhp_bits_read(const struct group_position &position,
                                                     struct fhp_group *group, uint4 *solid)
{
    const uint4 *row[FHP_BIT_PLANES] = {position.below, position.below, position.here,
                                        position.above, position.above, position.here,
                                        position.here};

#pragma unroll
    for (int p = 0; p < FHP_BIT_PLANES; p++)
        fhp_unpack(group->plane[p], __ldg(row[p] + (p << position.layout.shift)));
    *solid = __ldg(position.here + (FHP_PLANE_SOLID << position.layout.shift));
    if (position.layout.w % FHP_GROUP && position.group == position.layout.groups - 1) {
        wrap_row_end(position, position.below, 0, group->plane[0]);
        wrap_row_end(position, position.above, 4, group->plane[4]);
        wrap_row_end(position, position.here, 5, group->plane[5]);
    }
}

template <int SET, bool FORCED>
static __device__ __forceinline__ void
fhp_bits_step_group(const struct group_position &position, uint4 *to, bool writes,
                    const struct fhp_bits_params &params, uint32_t y)
{
    struct fhp_beside outside = fhp_bits_outside(position);
    struct fhp_group group;
    uint4 solid, chirality, turns;

    fhp_bits_read(position, &group, &solid);
    fhp_draw<FORCED>(params, (uint32_t)position.group, y, params.t, &chirality, &turns);
    outside = fhp_bits_beside(position, group, outside);
    if (position.odd)
        fhp_group_arrive<true>(&group, outside);
    else
        fhp_group_arrive<false>(&group, outside);
    if (__any_sync(0xffffffff, (solid.x | solid.y | solid.z | solid.w) != 0))
        fhp_group_scatter<SET, FORCED, true>(&group, chirality, turns, solid);
    else
        fhp_group_scatter<SET, FORCED, false>(&group, chirality, turns, solid);
    if (writes)
        fhp_write_planes(group, to, position.layout.shift);
}

/* A block is as wide as groups whose planes are adjacent, or several times that up to 32 groups,
 * and as many rows as make THREADS. */
template <int SET, bool FORCED>
__global__ static void __launch_bounds__(THREADS, RESIDENT(SET))
    fhp_cuda_bitslice_step(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                           struct fhp_bits_layout layout, struct fhp_bits_params params)
{
    cuda_begin_early();

    int64_t group = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, at;
    bool inside = group < layout.groups;

    group = inside ? group : layout.groups - 1;
    at = fhp_group_at(layout, group, 0);
    /* All lanes of a warp take part in its shuffles: those beyond the last row repeat it. */
    for (int64_t first = (int64_t)blockIdx.y * blockDim.y; first < layout.h;
         first += (int64_t)gridDim.y * blockDim.y) {
        int64_t row = min(first + threadIdx.y, layout.h - 1);
        int64_t above = row > 0 ? row - 1 : layout.h - 1;
        int64_t below = row < layout.h - 1 ? row + 1 : 0;
        struct group_position position = {layout,
                                          now + above * layout.pitch + at,
                                          now + row * layout.pitch + at,
                                          now + below * layout.pitch + at,
                                          group,
                                          row % 2 != 0,
                                          threadIdx.x == 0 || group == 0,
                                          threadIdx.x == blockDim.x - 1 ||
                                              group == layout.groups - 1};

        fhp_bits_step_group<SET, FORCED>(position, next + row * layout.pitch + at,
                                         inside && first + threadIdx.y < layout.h, params,
                                         (uint32_t)cuda_global(params.slab, row));
    }
}

typedef void step_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                         struct fhp_bits_layout layout, struct fhp_bits_params params);

static step_kernel *const kernels[3][2] = FHP_KERNELS(fhp_cuda_bitslice_step);

struct fhp_bits_params fhp_bits_params_of(const struct cuda *cuda, uint64_t t)
{
    return {draw_keys_of(cuda->setup.seed),
            draw_chance_of(ca_probability(&cuda->setup.params, "p_force")), (uint32_t)t,
            cuda_slab_of(cuda)};
}

void fhp_bits_shape(const struct cuda *cuda, dim3 *grid, dim3 *block)
{
    const struct fhp_bits_layout *layout = &((const struct fhp_bits_state *)cuda->state)->layout;
    unsigned across = 1u << layout->shift;

    while (across < LANES && layout->pitch / 8 % (2 * across) == 0)
        across *= 2;
    *block = dim3(across, THREADS / across);
    *grid = cuda_grid(layout->groups, layout->h, 1, *block);
}

enum ca_status fhp_bits_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error)
{
    const struct fhp_bits_state *state = (const struct fhp_bits_state *)cuda->state;
    step_kernel *kernel = kernels[ca_choice(&cuda->setup.params, "collisions")]
                                 [ca_probability(&cuda->setup.params, "p_force") > 0];
    dim3 grid, block;

    (void)n; /* always one */
    fhp_bits_shape(cuda, &grid, &block);
    return cuda_launch_early(cuda, "fhp_cuda_bitslice_step", kernel, grid, block, 0, error,
                             state->now, state->next, state->layout, fhp_bits_params_of(cuda, t));
}

void fhp_bits_swap(struct cuda *cuda)
{
    struct fhp_bits_state *state = (struct fhp_bits_state *)cuda->state;
    uint4 *last = state->now;

    state->now = state->next;
    state->next = last;
}

void fhp_bits_plan(struct cuda *cuda, int buffers)
{
    struct fhp_bits_state *state = (struct fhp_bits_state *)cuda->state;
    struct fhp_bits_layout *layout = &state->layout;
    int64_t adjacent;

    layout->w = cuda->size.w;
    layout->h = cuda->size.h;
    layout->groups = (cuda->size.w + FHP_GROUP - 1) / FHP_GROUP;
    while (layout->shift < 3 && 1 << layout->shift < layout->groups)
        layout->shift++;
    adjacent = 1 << layout->shift;
    layout->pitch = 8 * ((layout->groups + adjacent - 1) / adjacent * adjacent);
    cuda_reserve(cuda, &state->now, layout->h * layout->pitch);
    if (buffers > 1)
        cuda_reserve(cuda, &state->next, layout->h * layout->pitch);
}
