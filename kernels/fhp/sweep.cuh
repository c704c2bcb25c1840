/* SPDX-License-Identifier: MIT */
/*
 * The kernel of cuda-blocked: a warp's way down the rows of its strip. What it needs between two
 * generations waits in shared memory, a group of 16 bytes for each lane:
 *
 *     coming    7 planes of the row that comes next
 *     waiting   for each generation but the last: planes 2, 5, 6 of the row before, and 3, 4 of the
 *               two rows before
 *
 * A lane touches its own groups alone. What shared memory and registers hold decides how many warps
 * there are, and these how well products and logic fill the multiprocessor.
 *
 * Rows go through as many generations as pay best, UNROLLED, in code that is written out for them:
 * the draws of one are made between the logic of the one before it, and nothing is moved from
 * register to register. All else runs through one body for any generation: other numbers of them,
 * the first rows of a piece, and rows in which the warp has solid nodes, which do not wait in
 * shared memory but are read again.
 */
#ifndef CALAB_KERNELS_FHP_SWEEP_CUH
#define CALAB_KERNELS_FHP_SWEEP_CUH

#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/row_segments.cuh"
#include "kernels/fhp/planes.cuh"

#define KEPT 7     /* planes that wait between two generations: 2, 5, 6 and twice 3, 4 */
#define RESIDENT 4 /* blocks that registers have room for */
/* The number of generations that is fastest, measured on compute capability 9.0. */
#define UNROLLED(set, forced) ((forced) ? (set) == FHP_BITS_3 ? 3 : 4 : 5)

static __host__ __device__ __forceinline__ int shared_groups(int generations)
{
    return WARP_LANES * (FHP_BIT_PLANES + KEPT * (generations - 1));
}

struct sweep {
    struct row_partition cut;
    struct fhp_layout layout;
    struct fhp_facts facts;
    int generations;
};

/* What a lane has to do. */
struct lane {
    const uint4 *above, *here, *below; /* rows of the lattice, its group's plane 0 */
    const uint4 *first, *last;
    uint4 *out;
    uint4 *coming, *waiting; /* in shared memory */
    int64_t group;
    uint32_t y; /* of the row that generation 1 makes, in the whole lattice */
    int rows;   /* that it stores */
    int left, right;
};

static __device__ __forceinline__ void next_row(struct lane *lane, const struct sweep &sweep)
{
    lane->above = lane->here;
    lane->here = lane->below;
    lane->below = lane->below == lane->last ? lane->first : lane->below + sweep.layout.pitch;
}

static __device__ __forceinline__ void fetch_row(const struct lane *lane, const struct sweep &sweep)
{
    int shift = sweep.layout.shift;

    copy_async(lane->coming + 0 * WARP_LANES, lane->below);
    copy_async(lane->coming + 1 * WARP_LANES, lane->below + (1 << shift));
    copy_async(lane->coming + 2 * WARP_LANES, lane->here + (2 << shift));
    copy_async(lane->coming + 3 * WARP_LANES, lane->above + (3 << shift));
    copy_async(lane->coming + 4 * WARP_LANES, lane->above + (4 << shift));
    copy_async(lane->coming + 5 * WARP_LANES, lane->here + (5 << shift));
    copy_async(lane->coming + 6 * WARP_LANES, lane->here + (6 << shift));
}

/* The solid nodes of the row that fetch_row fetches, and of the row `back` rows before `above`. */
static __device__ __forceinline__ uint4 fetch_solid(const struct lane &lane,
                                                    const struct sweep &sweep)
{
    return __ldg(lane.here + (FHP_PLANE_SOLID << sweep.layout.shift));
}

static __device__ __forceinline__ uint4 read_solid(const struct lane &lane,
                                                   const struct sweep &sweep, int back)
{
    const uint4 *row = lane.above - back * sweep.layout.pitch;

    while (row < lane.first)
        row += sweep.layout.h * sweep.layout.pitch;
    return __ldg(row + (FHP_PLANE_SOLID << sweep.layout.shift));
}

static __device__ __forceinline__ bool begin(struct lane *lane, const uint4 *now, uint4 *next,
                                             uint4 *shared, const struct sweep &sweep)
{
    const struct fhp_layout &layout = sweep.layout;
    int at = threadIdx.x % WARP_LANES, warp = threadIdx.x / WARP_LANES;
    struct segment_work work;
    int64_t y, global;

    if (!segment_begin(sweep.cut, &work))
        return false;
    lane->group = work.column.group;
    if (lane->group < 0)
        lane->group += layout.groups;
    else if (lane->group >= layout.groups)
        lane->group -= layout.groups;
    now += fhp_group_at(layout, lane->group, 0);
    lane->out = next + fhp_group_at(layout, lane->group, 0) + work.y * layout.pitch;
    for (y = work.y - (sweep.generations - 1); y < 0;)
        y += layout.h;
    lane->first = now;
    lane->last = now + (layout.h - 1) * layout.pitch;
    lane->here = now + y * layout.pitch;
    lane->above = y > 0 ? lane->here - layout.pitch : lane->last;
    lane->below = y < layout.h - 1 ? lane->here + layout.pitch : now;
    global = sweep.facts.slab.origin + work.y - (sweep.generations - 1);
    while (global < 0)
        global += sweep.facts.slab.size;
    while (global >= sweep.facts.slab.size)
        global -= sweep.facts.slab.size;
    lane->y = (uint32_t)global;
    lane->rows = work.rows;
    lane->left = work.column.left;
    lane->right = work.column.right;
    lane->coming = shared + warp * shared_groups(sweep.generations) + at;
    lane->waiting = lane->coming + FHP_BIT_PLANES * WARP_LANES;
    return true;
}

static __device__ __forceinline__ void arrive(struct fhp_group *group, const struct lane &lane,
                                              bool odd)
{
    struct fhp_beside beside = {__shfl_sync(0xffffffff, group->plane[2][3], lane.left),
                                __shfl_sync(0xffffffff, group->plane[5][0], lane.right), 0, 0};

    if (odd) {
        beside.below = __shfl_sync(0xffffffff, group->plane[0][0], lane.right);
        beside.above = __shfl_sync(0xffffffff, group->plane[4][0], lane.right);
        fhp_arrive<true>(group, beside);
    } else {
        beside.below = __shfl_sync(0xffffffff, group->plane[1][3], lane.left);
        beside.above = __shfl_sync(0xffffffff, group->plane[3][3], lane.left);
        fhp_arrive<false>(group, beside);
    }
}

/* The row just made stays for the next generation, which takes what stayed of rows before. */
static __device__ __forceinline__ void exchange(struct fhp_group *group, uint4 *waiting, int row)
{
    const int plane[5] = {2, 5, 6, 3, 4};

#pragma unroll
    for (int i = 0; i < 5; i++) {
        uint4 *at = waiting + (i < 3 ? i : i + row % 2 * 2) * WARP_LANES, before = *at;

        *at = fhp_get(group->plane[plane[i]]);
        fhp_set(group->plane[plane[i]], before);
    }
}

/* Generation `g` of 1 ... of the row g rows before the one here; `walls`: it has solid nodes. */
template <int SET, bool FORCED>
static __device__ __forceinline__ void generation(struct fhp_group *group, const struct lane &lane,
                                                  const struct sweep &sweep, int g, uint32_t y,
                                                  bool walls)
{
    uint4 chirality, turns, solid = make_uint4(0, 0, 0, 0);

    if (walls)
        solid = read_solid(lane, sweep, g - 1);
    fhp_draw<FORCED>(sweep.facts, (uint32_t)lane.group, y, sweep.facts.t + (uint32_t)(g - 1),
                     &chirality, &turns);
    arrive(group, lane, y % 2);
    if (walls)
        fhp_scatter<SET, FORCED, true>(group, chirality, turns, solid);
    else
        fhp_scatter<SET, FORCED, false>(group, chirality, turns, solid);
}

static __device__ __forceinline__ void take_row(struct fhp_group *group, const struct lane &lane)
{
    copy_wait();
#pragma unroll
    for (int p = 0; p < FHP_BIT_PLANES; p++)
        fhp_set(group->plane[p], lane.coming[p * WARP_LANES]);
}

static __device__ __forceinline__ uint32_t row_before(uint32_t y, const struct sweep &sweep)
{
    return (y == 0 ? (uint32_t)sweep.facts.slab.size : y) - 1;
}

/* Generations 1 ... UNROLLED, of rows without solid nodes. */
template <int SET, bool FORCED>
static __device__ __forceinline__ void all_generations(struct fhp_group *group,
                                                       const struct lane &lane,
                                                       const struct sweep &sweep, int row)
{
    uint32_t y = lane.y;

#pragma unroll
    for (int g = 1; g <= UNROLLED(SET, FORCED); g++, y = row_before(y, sweep)) {
        generation<SET, FORCED>(group, lane, sweep, g, y, false);
        if (g < UNROLLED(SET, FORCED))
            exchange(group, lane.waiting + (g - 1) * KEPT * WARP_LANES, row);
    }
}

/* Generations 1 ... `most`. Bit g - 1 of `walls`: generation g has solid nodes. */
template <int SET, bool FORCED>
static __device__ __forceinline__ void
some_generations(struct fhp_group *group, const struct lane &lane, const struct sweep &sweep,
                 int row, int most, uint32_t walls)
{
    uint4 *waiting = lane.waiting;
    uint32_t y = lane.y;

#pragma unroll 1
    for (int g = 1;; g++) {
        generation<SET, FORCED>(group, lane, sweep, g, y, walls >> (g - 1) & 1);
        if (g == sweep.generations)
            break;
        exchange(group, waiting, row);
        if (g == most)
            break;
        waiting += KEPT * WARP_LANES;
        y = row_before(y, sweep);
    }
}

template <int SET, bool FORCED>
__global__ static void __launch_bounds__(SEGMENT_THREADS, RESIDENT)
    sweep_planes(const uint4 *__restrict__ now, uint4 *__restrict__ next, struct sweep sweep)
{
    extern __shared__ uint4 shared[];
    int lead = 2 * (sweep.generations - 1), rows = sweep.cut.rows + lead;
    uint32_t walls = 0, all = (1u << UNROLLED(SET, FORCED)) - 1;
    struct lane lane;
    uint4 solid;

    if (!begin(&lane, now, next, shared, sweep))
        return;
    solid = fetch_solid(lane, sweep);
    fetch_row(&lane, sweep);
#pragma unroll 1
    for (int row = 0; row < rows; row++) {
        struct fhp_group group;

        walls <<= 1;
        walls |= __any_sync(0xffffffff, (solid.x | solid.y | solid.z | solid.w) != 0);
        take_row(&group, lane);
        next_row(&lane, sweep);
        if (row + 1 < rows) {
            solid = fetch_solid(lane, sweep);
            fetch_row(&lane, sweep);
        }
        if (row >= lead && sweep.generations == UNROLLED(SET, FORCED) && !(walls & all))
            all_generations<SET, FORCED>(&group, lane, sweep, row);
        else
            some_generations<SET, FORCED>(&group, lane, sweep, row,
                                          row < lead ? row / 2 + 1 : sweep.generations, walls);
        if (row >= lead) {
            if (row - lead < lane.rows)
                fhp_put_planes(group, lane.out, sweep.layout.shift);
            lane.out += sweep.layout.pitch;
        }
        lane.y = lane.y + 1 == (uint32_t)sweep.facts.slab.size ? 0 : lane.y + 1;
    }
}

#endif
