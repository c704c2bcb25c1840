/* SPDX-License-Identifier: MIT */
/*
 * Owns the memory of fhp's bit planes on a GPU: nodes in and out, and passes of one generation.
 */
#include "kernels/fhp/planes.cuh"

#define LANES 32

/* --- nodes in and out ------------------------------------------------------------------------ */

/* Words of all planes of a group, in lanes: lane 4 p + i has word i of plane p. */
static __device__ __forceinline__ int64_t word_at(const struct fhp_layout &layout, int64_t row,
                                                  int64_t group, int lane)
{
    return 4 * (row * layout.pitch + fhp_group_at(layout, group, lane / 4)) + lane % 4;
}

/* A warp a group. Solid nodes go to both copies: no step writes them. */
__global__ static void load_nodes(uint32_t *now, uint32_t *next, struct fhp_layout layout,
                                  const uint8_t *nodes, int64_t first, int64_t rows)
{
    int lane = threadIdx.x % LANES;
    int64_t warps = (int64_t)gridDim.x * blockDim.x / LANES;

    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
         i < rows * layout.groups; i += warps) {
        int64_t row = i / layout.groups, group = i % layout.groups;
        int64_t at = word_at(layout, first + row, group, lane);
        uint32_t mine = 0;

        for (int j = 0; j < 4; j++) {
            int64_t x = group * FHP_GROUP + 32 * j + lane;
            uint32_t node = x < layout.w ? nodes[row * layout.w + x] : 0;

            for (int p = 0; p < 8; p++) {
                uint32_t word = __ballot_sync(0xffffffff, (int)(node >> p & 1));

                if (lane == 4 * p + j)
                    mine = word;
            }
        }
        now[at] = mine;
        if (lane / 4 == FHP_PLANE_SOLID)
            next[at] = mine;
    }
}

__global__ static void store_nodes(const uint32_t *now, struct fhp_layout layout, uint8_t *nodes,
                                   int64_t first, int64_t rows)
{
    int lane = threadIdx.x % LANES;
    int64_t warps = (int64_t)gridDim.x * blockDim.x / LANES;

    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES;
         i < rows * layout.groups; i += warps) {
        int64_t row = i / layout.groups, group = i % layout.groups;
        uint32_t mine = now[word_at(layout, first + row, group, lane)];

        for (int j = 0; j < 4; j++) {
            int64_t x = group * FHP_GROUP + 32 * j + lane;
            uint32_t node = 0;

            for (int p = 0; p < 8; p++)
                node |= (__shfl_sync(0xffffffff, mine, 4 * p + j) >> lane & 1) << p;
            if (x < layout.w)
                nodes[row * layout.w + x] = (uint8_t)node;
        }
    }
}

enum ca_status fhp_planes_load(struct cuda *cuda, void *const planes[], int64_t first, int64_t rows,
                               struct ca_error *error)
{
    struct fhp_planes *own = (struct fhp_planes *)cuda->own;

    return cuda_launch(cuda, "load", load_nodes, cuda_line(rows * own->layout.groups * LANES),
                       dim3(256), 0, error, (uint32_t *)own->now, (uint32_t *)own->next,
                       own->layout, (const uint8_t *)planes[0], first, rows);
}

enum ca_status fhp_planes_store(struct cuda *cuda, void *const planes[], int64_t first,
                                int64_t rows, struct ca_error *error)
{
    struct fhp_planes *own = (struct fhp_planes *)cuda->own;

    return cuda_launch(cuda, "store", store_nodes, cuda_line(rows * own->layout.groups * LANES),
                       dim3(256), 0, error, (const uint32_t *)own->now, own->layout,
                       (uint8_t *)planes[0], first, rows);
}

/* What gathering asks of a layout. */
struct planes_nodes {
    typedef uint8_t value;

    const uint32_t *words;
    struct fhp_layout layout;

    static planes_nodes of(const struct cuda *cuda)
    {
        const struct fhp_planes *own = (const struct fhp_planes *)cuda->own;

        return {(const uint32_t *)own->now, own->layout};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        int word = (int)(x % FHP_GROUP / 32);
        uint32_t node = 0;

        (void)plane;
        for (int p = 0; p < 8; p++)
            node |= (words[word_at(layout, row, x / FHP_GROUP, 4 * p + word)] >> (x % 32) & 1) << p;
        return (value)node;
    }
};

enum ca_status fhp_planes_gather(struct cuda *cuda, const struct ca_gather_points *places,
                                 void *const planes[], struct ca_error *error)
{
    return cuda_cells<planes_nodes>::gather(cuda, places, planes, error);
}

/* --- one generation -------------------------------------------------------------------------- */

#define THREADS 128
#define RESIDENT(set) ((set) == FHP_BITS_3 ? 5 : 6) /* blocks that registers have room for */

/* Where a thread stands: its group's plane 0 in three rows; lanes beside it have the groups beside
 * it, but at the ends of a warp and of a row. */
struct place {
    const struct fhp_layout &layout;
    const uint4 *above, *here, *below;
    int64_t group;
    bool odd, alone_left, alone_right;
};

/* Of a row, by its group here, the first word of a plane of another group. */
static __device__ __forceinline__ const uint32_t *
words_of(const struct place &place, const uint4 *row, int64_t group, int plane)
{
    return (const uint32_t *)(row - fhp_group_at(place.layout, place.group, 0) +
                              fhp_group_at(place.layout, group, plane));
}

/* The last word of the group before this one; before the first one its top bit alone. */
static __device__ __forceinline__ uint32_t word_before(const struct place &place, const uint4 *row,
                                                       int plane)
{
    int64_t last = place.layout.w - 1;

    if (place.group > 0)
        return words_of(place, row, place.group - 1, plane)[3];
    return words_of(place, row, last / FHP_GROUP, plane)[last % FHP_GROUP / 32] << (31 - last % 32);
}

/* The first word of the group after this one. */
static __device__ __forceinline__ uint32_t word_behind(const struct place &place, const uint4 *row,
                                                       int plane)
{
    int64_t group = place.group < place.layout.groups - 1 ? place.group + 1 : 0;

    return words_of(place, row, group, plane)[0];
}

/* What no lane beside this one has. */
static __device__ __forceinline__ struct fhp_beside words_outside(const struct place &place)
{
    struct fhp_beside outside = {};

    if (place.alone_left) {
        outside.east = word_before(place, place.here, 2);
        if (!place.odd) {
            outside.below = word_before(place, place.below, 1);
            outside.above = word_before(place, place.above, 3);
        }
    }
    if (place.alone_right) {
        outside.west = word_behind(place, place.here, 5);
        if (place.odd) {
            outside.below = word_behind(place, place.below, 0);
            outside.above = word_behind(place, place.above, 4);
        }
    }
    return outside;
}

static __device__ __forceinline__ struct fhp_beside
words_beside(const struct place &place, const struct fhp_group &group, struct fhp_beside outside)
{
    int lane = (int)(threadIdx.y * blockDim.x + threadIdx.x) % LANES;
    int diagonal = place.odd ? lane + 1 : lane - 1;
    struct fhp_beside beside = {
        __shfl_sync(0xffffffff, group.plane[2][3], lane - 1),
        __shfl_sync(0xffffffff, group.plane[5][0], lane + 1),
        __shfl_sync(0xffffffff, place.odd ? group.plane[0][0] : group.plane[1][3], diagonal),
        __shfl_sync(0xffffffff, place.odd ? group.plane[4][0] : group.plane[3][3], diagonal)};

    if (place.alone_left)
        beside.east = outside.east;
    if (place.alone_right)
        beside.west = outside.west;
    if (place.odd ? place.alone_right : place.alone_left) {
        beside.below = outside.below;
        beside.above = outside.above;
    }
    return beside;
}

/* Behind a ragged row's last node stands its first one. */
static __device__ __forceinline__ void close_ring(const struct place &place, const uint4 *row,
                                                  int plane, word words[4])
{
    uint32_t end = (uint32_t)(place.layout.w % FHP_GROUP);
    uint32_t mask = 1u << end % 32, bit = word_behind(place, row, plane) % 2 * mask;

    words[0] = end / 32 == 0 ? (words[0] & ~mask) | bit : words[0];
    words[1] = end / 32 == 1 ? (words[1] & ~mask) | bit : words[1];
    words[2] = end / 32 == 2 ? (words[2] & ~mask) | bit : words[2];
    words[3] = end / 32 == 3 ? (words[3] & ~mask) | bit : words[3];
}

static __device__ __forceinline__ void read_group(const struct place &place,
                                                  struct fhp_group *group, uint4 *solid)
{
    const uint4 *row[FHP_BIT_PLANES] = {place.below, place.below, place.here, place.above,
                                        place.above, place.here,  place.here};

#pragma unroll
    for (int p = 0; p < FHP_BIT_PLANES; p++)
        fhp_set(group->plane[p], __ldg(row[p] + (p << place.layout.shift)));
    *solid = __ldg(place.here + (FHP_PLANE_SOLID << place.layout.shift));
    if (place.layout.w % FHP_GROUP && place.group == place.layout.groups - 1) {
        close_ring(place, place.below, 0, group->plane[0]);
        close_ring(place, place.above, 4, group->plane[4]);
        close_ring(place, place.here, 5, group->plane[5]);
    }
}

template <int SET, bool FORCED>
static __device__ __forceinline__ void step_group(const struct place &place, uint4 *to, bool keeps,
                                                  const struct fhp_facts &facts, uint32_t y)
{
    struct fhp_beside outside = words_outside(place);
    struct fhp_group group;
    uint4 solid, chirality, turns;

    read_group(place, &group, &solid);
    fhp_draw<FORCED>(facts, (uint32_t)place.group, y, facts.t, &chirality, &turns);
    outside = words_beside(place, group, outside);
    if (place.odd)
        fhp_arrive<true>(&group, outside);
    else
        fhp_arrive<false>(&group, outside);
    if (__any_sync(0xffffffff, (solid.x | solid.y | solid.z | solid.w) != 0))
        fhp_scatter<SET, FORCED, true>(&group, chirality, turns, solid);
    else
        fhp_scatter<SET, FORCED, false>(&group, chirality, turns, solid);
    if (keeps)
        fhp_put_planes(group, to, place.layout.shift);
}

/* Blocks of groups that stand together, or several of these, 32 at most, by rows. */
template <int SET, bool FORCED>
__global__ static void __launch_bounds__(THREADS, RESIDENT(SET))
    step_planes(const uint4 *__restrict__ now, uint4 *__restrict__ next, struct fhp_layout layout,
                struct fhp_facts facts)
{
    int64_t group = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, at;
    bool inside = group < layout.groups;

    group = inside ? group : layout.groups - 1;
    at = fhp_group_at(layout, group, 0);
    /* All lanes of a warp go round together: those beyond the last row repeat it. */
    for (int64_t first = (int64_t)blockIdx.y * blockDim.y; first < layout.h;
         first += (int64_t)gridDim.y * blockDim.y) {
        int64_t row = min(first + threadIdx.y, layout.h - 1);
        int64_t above = row > 0 ? row - 1 : layout.h - 1;
        int64_t below = row < layout.h - 1 ? row + 1 : 0;
        struct place place = {layout,
                              now + above * layout.pitch + at,
                              now + row * layout.pitch + at,
                              now + below * layout.pitch + at,
                              group,
                              row % 2 != 0,
                              threadIdx.x == 0 || group == 0,
                              threadIdx.x == blockDim.x - 1 || group == layout.groups - 1};

        step_group<SET, FORCED>(place, next + row * layout.pitch + at,
                                inside && first + threadIdx.y < layout.h, facts,
                                (uint32_t)cuda_global(facts.slab, row));
    }
}

typedef void step_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                         struct fhp_layout layout, struct fhp_facts facts);

static step_kernel *const kernels[3][2] = FHP_KERNELS(step_planes);

struct fhp_facts fhp_facts_of(const struct cuda *cuda, uint64_t t)
{
    return {draw_keys_of(cuda->setup.seed),
            draw_chance_of(ca_probability(&cuda->setup.params, "p_force")), (uint32_t)t,
            cuda_slab_of(cuda)};
}

enum ca_status fhp_planes_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct fhp_planes *own = (struct fhp_planes *)cuda->own;
    struct fhp_facts facts = fhp_facts_of(cuda, t);
    step_kernel *kernel = kernels[ca_choice(&cuda->setup.params, "collisions")]
                                 [ca_probability(&cuda->setup.params, "p_force") > 0];
    unsigned across = 1u << own->layout.shift;

    while (across < LANES && own->layout.pitch / 8 % (2 * across) == 0)
        across *= 2;
    for (; n > 0; n--, facts.t++) {
        dim3 block(across, THREADS / across);
        uint4 *done = own->now;

        CA_TRY(cuda_launch(cuda, "step", kernel,
                           cuda_grid(own->layout.groups, own->layout.h, 1, block), block, 0, error,
                           own->now, own->next, own->layout, facts));
        own->now = own->next;
        own->next = done;
    }
    return CA_OK;
}

enum ca_status fhp_planes_plan(struct cuda *cuda, struct ca_error *error)
{
    struct fhp_planes *own = (struct fhp_planes *)cuda->own;
    struct fhp_layout *layout = &own->layout;
    int64_t together;

    (void)error;
    layout->w = cuda->size.w;
    layout->h = cuda->size.h;
    layout->groups = (cuda->size.w + FHP_GROUP - 1) / FHP_GROUP;
    while (layout->shift < 3 && 1 << layout->shift < layout->groups)
        layout->shift++;
    together = 1 << layout->shift;
    layout->pitch = 8 * ((layout->groups + together - 1) / together * together);
    cuda_want(cuda, &own->now, layout->h * layout->pitch);
    cuda_want(cuda, &own->next, layout->h * layout->pitch);
    return CA_OK;
}
