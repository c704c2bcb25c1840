/* SPDX-License-Identifier: MIT */
/* The kernels of cuda_temporal.cuh. */
#ifndef CALAB_KERNELS_MOORE_CUDA_TEMPORAL_STEP_CUH
#define CALAB_KERNELS_MOORE_CUDA_TEMPORAL_STEP_CUH

#include <limits.h>
#include <stddef.h>

#include "kernels/moore/cuda_still_tiles.cuh"

#define MOORE_SWEEP_LEAST 2
#define MOORE_SWEEP_MOST 8 /* generations of a pass */

/* A sweeping lane's work: the next row that it loads and the next that it stores. */
struct moore_sweep_lane {
    const uint4 *in;
    uint4 *out;
    const uint4 *before; /* what the row that it stores next was before the pass */
    int64_t before_end;  /* rows to load until the lattice's last is done */
    int keeps;           /* rows that it is to store */
    int left, right;
    /* With dead edges: the cells of its group that are in the lattice; the row that it feeds next,
     * counted from the lattice's first or from the first that it loads, and the rows of the lattice
     * from there on. */
    struct cuda_group inside;
    int row, rows;
};

/*
 * The last two rows that a generation was fed with. Rows go two at a time, so that the results of
 * two have their common part: that of the later of these, and of the first that comes.
 */
template <class Rule> struct moore_sweep_generation {
    typename Rule::row above, centre;
};

struct moore_sweep_rows {
    word row[2][4];
};

static __device__ __forceinline__ void moore_sweep_load(struct moore_sweep_rows *rows,
                                                        struct moore_sweep_lane *lane,
                                                        const struct moore_bits_layout &layout,
                                                        bool ends)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        uint4 group = __ldg(lane->in);

        rows->row[r][0] = group.x, rows->row[r][1] = group.y;
        rows->row[r][2] = group.z, rows->row[r][3] = group.w;
        lane->in += layout.pitch;
        if (ends && --lane->before_end == 0) {
            lane->in -= layout.h * layout.pitch;
            lane->before_end = layout.h;
        }
    }
}

/* Whether a row is in the lattice, so many before the next that the lane feeds. */
static __device__ __forceinline__ bool moore_sweep_inside(const struct moore_sweep_lane &lane,
                                                          int before)
{
    return (unsigned)(lane.row - before) < (unsigned)lane.rows;
}

/* Feeds rows to generation k, which are replaced by its results of one row before each. With dead
 * edges, `ends` says whether some of the rows may be outside of the lattice. */
template <class Rule, bool DEAD>
static __device__ __forceinline__ void
moore_sweep_feed(struct moore_sweep_generation<Rule> *generation, int k,
                 struct moore_sweep_rows *rows, const Rule &rule,
                 const struct moore_sweep_lane &lane, bool ends)
{
    typename Rule::row first = moore_warp_row(rule, rows->row[0], lane.left, lane.right);
    typename Rule::row second = moore_warp_row(rule, rows->row[1], lane.left, lane.right);
    typename Rule::two two = rule.two_of(generation->centre, first);

    rule.upper(rows->row[0], two, generation->above, generation->centre, first);
    rule.lower(rows->row[1], two, generation->centre, first, second);
    generation->above = first;
    generation->centre = second;
    if constexpr (DEAD) {
#pragma unroll
        for (int r = 0; r < 2; r++)
            moore_bits_mask(rows->row[r], lane.inside,
                            !ends || moore_sweep_inside(lane, 3 + k - r));
    }
}

/* After three times two rows the sums are in the same registers as before, so that loops that are
 * unrolled to six rows need not copy them. */
#define MOORE_LOOP_ROWS 6

/* Rows to which the loop over a chunk is unrolled, and the loops that there are: with two, one is
 * for chunks that do not reach the lattice's end. A rule of many operations takes fewer, since
 * compilers take long for all that code, and copies are few beside the operations. */
template <class Rule> struct moore_unrolled {
    enum { ROWS = MOORE_LOOP_ROWS, LOOPS = 2 };
};

/* Rows that the loop before the first stored row takes each time: unrolled where it would copy
 * many registers. */
static __host__ __device__ constexpr int moore_lead_loop_rows(int generations)
{
    return generations < 5 ? 2 : MOORE_LOOP_ROWS;
}

/* Rows that are fed before the first that is stored: two a generation, in whole loops. */
static __host__ __device__ constexpr int moore_lead_rows(int generations)
{
    int rows = moore_lead_loop_rows(generations);

    return (2 * generations + rows - 1) / rows * rows;
}

/* Finds where a lane begins; false for a warp without work. */
static __device__ __forceinline__ bool moore_sweep_begin(struct moore_sweep_lane *lane,
                                                         const uint4 *now, uint4 *next,
                                                         const struct moore_bits_layout &layout,
                                                         int generations, int64_t w, uint32_t warp,
                                                         struct segment_work *share)
{
    struct segment_work work;
    struct segment_lane &column = work.column;
    int64_t y;

    if (!segment_begin_at(layout, warp, &work))
        return false;
    *share = work;
    lane->inside = moore_bits_inside(column.group, w);
    moore_bits_locate(layout, &column);
    y = work.y;
    lane->keeps = work.rows;
    lane->out = next + y * layout.pitch + column.group;
    lane->before = now + y * layout.pitch + column.group;
    y -= moore_lead_rows(generations) - generations;
    lane->row = y < 0 ? (int)y : 0;
    lane->rows = (int)min(layout.h - (y < 0 ? 0 : y), (int64_t)INT_MAX);
    while (y < 0)
        y += layout.h;
    lane->in = now + y * layout.pitch + column.group;
    lane->before_end = layout.h - y;
    lane->left = column.left;
    lane->right = column.right;
    return true;
}

/* Returns the rows that were loaded ahead and issues the loads of the next two. */
template <bool DEAD>
static __device__ __forceinline__ struct moore_sweep_rows
moore_sweep_take(struct moore_sweep_rows *ahead, struct moore_sweep_lane *lane,
                 const struct moore_bits_layout &layout, bool ends)
{
    struct moore_sweep_rows rows = *ahead;

    moore_sweep_load(ahead, lane, layout, ends);
    if constexpr (DEAD) {
#pragma unroll
        for (int r = 0; ends && r < 2; r++)
            moore_bits_mask(rows.row[r], lane->inside, moore_sweep_inside(*lane, -r));
        lane->row += 2;
    }
    return rows;
}

/* Feeds all generations with the rows of the chunk and stores what comes out of the last. With
 * `STILL` it returns whether any of it is not as before the pass. */
template <class Rule, int GENERATIONS, bool DEAD, bool STILL>
static __device__ __forceinline__ bool
moore_sweep_chunk(struct moore_sweep_generation<Rule> generation[GENERATIONS],
                  struct moore_sweep_lane lane, struct moore_sweep_rows ahead, const Rule &rule,
                  const struct moore_bits_layout &layout, bool ends)
{
    bool differs = false;

#pragma unroll 1
    for (int y = 0; y < layout.rows; y += moore_unrolled<Rule>::ROWS) {
#pragma unroll
        for (int at = 0; at < moore_unrolled<Rule>::ROWS; at += 2) {
            struct moore_sweep_rows rows = moore_sweep_take<DEAD>(&ahead, &lane, layout, ends);

#pragma unroll
            for (int k = 0; k < GENERATIONS; k++)
                moore_sweep_feed<Rule, DEAD>(&generation[k], k, &rows, rule, lane, ends);
#pragma unroll
            for (int r = 0; r < 2; r++) {
                if (y + at + r < lane.keeps) {
                    uint4 made =
                        make_uint4(rows.row[r][0], rows.row[r][1], rows.row[r][2], rows.row[r][3]);

                    if constexpr (STILL)
                        differs = differs || moore_still_differ(made, *lane.before, lane.inside);
                    *lane.out = made;
                }
                lane.out += layout.pitch;
                if constexpr (STILL)
                    lane.before += layout.pitch;
            }
        }
    }
    return differs;
}

/* Blocks that a multiprocessor of 65,536 registers holds, at what each generation keeps and 64
 * more. */
static __host__ __device__ constexpr int moore_sweep_resident(int generations, int kept)
{
    return 65536 / SEGMENT_THREADS / (kept * generations + 64);
}

/* The share of a warp, if it has one. Generation k has nothing to do before row
 * 2 k is fed, the first that the ones before it give. */
template <class Rule, int GENERATIONS, bool DEAD, bool STILL>
static __device__ __forceinline__ void
moore_sweep_share(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                  const struct moore_bits_layout &layout, const struct moore_parameters &parameters,
                  const Rule &rule, uint32_t warp, uint8_t *changed)
{
    struct moore_sweep_generation<Rule> generation[GENERATIONS] = {
    };
    struct moore_sweep_rows ahead;
    struct moore_sweep_lane lane;
    struct segment_work work;
    bool ends, differs;

    if (!moore_sweep_begin(&lane, now, next, layout, GENERATIONS, parameters.w, warp, &work))
        return;
    moore_sweep_load(&ahead, &lane, layout, true);
#pragma unroll 1
    for (int y = 0; y < moore_lead_rows(GENERATIONS); y += moore_lead_loop_rows(GENERATIONS)) {
#pragma unroll
        for (int at = 0; at < moore_lead_loop_rows(GENERATIONS); at += 2) {
            struct moore_sweep_rows rows = moore_sweep_take<DEAD>(&ahead, &lane, layout, true);

#pragma unroll
            for (int k = 0; k < GENERATIONS; k++) {
                if (2 * k > y + at)
                    break;
                moore_sweep_feed<Rule, DEAD>(&generation[k], k, &rows, rule, lane, true);
            }
        }
    }
    ends = lane.before_end < layout.rows + MOORE_LOOP_ROWS;
    if constexpr (DEAD) /* the lattice's last row may have been loaded */
        ends = ends || lane.rows - lane.row < layout.rows + MOORE_LOOP_ROWS;
    if (moore_unrolled<Rule>::LOOPS == 1 || __any_sync(0xffffffff, ends))
        differs = moore_sweep_chunk<Rule, GENERATIONS, DEAD, STILL>(generation, lane, ahead, rule,
                                                                    layout, true);
    else
        differs = moore_sweep_chunk<Rule, GENERATIONS, DEAD, STILL>(generation, lane, ahead, rule,
                                                                    layout, false);
    if constexpr (STILL)
        moore_still_keep(layout, work, differs, changed);
}

/* A pass of all shares: the body of a kernel. */
template <class Rule, int GENERATIONS, bool DEAD>
static __device__ __forceinline__ void
moore_sweep_all(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                const struct moore_bits_layout &layout, const struct moore_parameters &parameters)
{
    cuda_begin_early();

    Rule rule(parameters);

    moore_sweep_share<Rule, GENERATIONS, DEAD, false>(
        now, next, layout, parameters, rule, blockIdx.x * SEGMENT_WARPS + threadIdx.x / WARP_LANES,
        NULL);
}

#define MOORE_SWEEP_BOUNDS(Rule, generations)                                                      \
    __launch_bounds__(SEGMENT_THREADS, moore_sweep_resident(generations, Rule::KEPT))

template <class Rule, int GENERATIONS, bool DEAD>
__global__ void MOORE_SWEEP_BOUNDS(Rule, GENERATIONS)
    moore_cuda_temporal_step(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                             struct moore_bits_layout layout, struct moore_parameters parameters)
{
    moore_sweep_all<Rule, GENERATIONS, DEAD>(now, next, layout, parameters);
}

/* Blocks of the kernel below that a multiprocessor holds: it takes 32 registers more. */
static __host__ __device__ constexpr int moore_still_resident(int generations, int kept)
{
    return 65536 / SEGMENT_THREADS / (kept * generations + 96);
}

/* The same of the shares in a list, by as many blocks as are resident at once. */
template <class Rule, int GENERATIONS, bool DEAD>
static __device__ __forceinline__ void
moore_sweep_listed(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                   const struct moore_bits_layout &layout,
                   const struct moore_parameters &parameters, const struct moore_still_tiles &tiles)
{
    cuda_begin_early();

    Rule rule(parameters);
    uint32_t count = *tiles.count;

#pragma unroll 1
    for (uint32_t i = blockIdx.x * SEGMENT_WARPS + threadIdx.x / WARP_LANES; i < count;
         i += gridDim.x * SEGMENT_WARPS)
        moore_sweep_share<Rule, GENERATIONS, DEAD, true>(now, next, layout, parameters, rule,
                                                         tiles.list[i], tiles.changed);
}

#define MOORE_STILL_BOUNDS(Rule, generations)                                                      \
    __launch_bounds__(SEGMENT_THREADS, moore_still_resident(generations, Rule::KEPT))

template <class Rule, int GENERATIONS, bool DEAD>
__global__ void MOORE_STILL_BOUNDS(Rule, GENERATIONS)
    moore_cuda_temporal_still(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                              struct moore_bits_layout layout, struct moore_parameters parameters,
                              struct moore_still_tiles tiles)
{
    moore_sweep_listed<Rule, GENERATIONS, DEAD>(now, next, layout, parameters, tiles);
}

/* Steps the listed shares and keeps which tiles have changed. */
typedef void moore_still_kernel(const uint4 *__restrict__ now, uint4 *__restrict__ next,
                                struct moore_bits_layout layout, struct moore_parameters parameters,
                                struct moore_still_tiles tiles);

#endif
