/* SPDX-License-Identifier: MIT */
/*
 * How a lattice of bit rows is cut to pieces for warps that sweep down its rows. A row is counted
 * in groups of 128 cells, one for each lane.
 *
 * A strip is 32 lanes wide, of which `halo` at each end lose cells to what they do not know; their
 * groups are another strip's. What a row leaves over is swept by warps whose lanes are cut to
 * several narrow strips side by side, each at other rows. A row of few groups is a strip that
 * closes to a ring by its shuffles, without halo, and nothing is lost.
 */
#ifndef CALAB_KERNELS_CUDA_ROW_SEGMENTS_CUH
#define CALAB_KERNELS_CUDA_ROW_SEGMENTS_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#include "kernels/cuda/bit_groups.cuh"

#define WARP_LANES 32
#define SEGMENT_WARPS 4 /* of a block */
#define SEGMENT_THREADS (SEGMENT_WARPS * WARP_LANES)

/* The lattice cut to strips, and these to pieces of rows: one for each warp or part of a warp. */
struct row_partition {
    int64_t groups; /* of a row */
    int64_t h;      /* rows */
    int halo;       /* lanes at each end of a strip that belong to others */
    uint32_t whole; /* strips as wide as a warp */
    int narrow;     /* groups beside them, and how many such strips a warp has */
    int side_by_side;
    int rows;        /* of a piece */
    uint32_t pieces; /* of a strip */
    uint32_t warps;
};

/* Where a lane stands across the rows. */
struct segment_lane {
    int64_t group;   /* of the row, from -halo on */
    int wide, part;  /* lanes of the strip; which of those that the warp has side by side */
    bool keeps;      /* its group is not a halo, nor the lane left over */
    int left, right; /* the lanes beside it */
};

/* In one of the whole strips, or in the narrow ones beside them. */
static __device__ __forceinline__ struct segment_lane segment_lane(const struct row_partition &cut,
                                                                   uint32_t strip, bool narrow)
{
    int lane = threadIdx.x % WARP_LANES, at = lane;
    struct segment_lane column = {0, WARP_LANES, 0, true, lane - 1, lane + 1};

    if (narrow) {
        int wide = column.wide = cut.narrow + 2 * cut.halo;

        column.part = lane / wide;
        at = lane - column.part * wide;
        column.keeps = column.part < cut.side_by_side;
        if (!cut.halo) {
            column.left += at == 0 ? wide : 0;
            column.right -= at == wide - 1 ? wide : 0;
        }
    }
    column.keeps = column.keeps && at >= cut.halo && at < column.wide - cut.halo;
    column.group = (int64_t)strip * (WARP_LANES - 2 * cut.halo) + at - cut.halo;
    return column;
}

/* Which strip and piece a warp has. */
struct segment_work {
    struct segment_lane column;
    int64_t y; /* first row */
    int rows;  /* that this lane is to store */
};

/* False for a warp that has nothing to do. */
static __device__ __forceinline__ bool segment_begin(const struct row_partition &cut,
                                                     struct segment_work *work)
{
    uint32_t warp = blockIdx.x * SEGMENT_WARPS + threadIdx.x / WARP_LANES;
    bool narrow = warp >= cut.whole * cut.pieces;
    uint32_t strip = narrow ? cut.whole : warp % cut.whole, piece;
    struct segment_lane column;

    if (warp >= cut.warps)
        return false;
    column = segment_lane(cut, strip, narrow);
    piece = narrow ? (warp - cut.whole * cut.pieces) * cut.side_by_side + column.part
                   : warp / cut.whole;
    column.keeps = column.keeps && piece < cut.pieces;
    work->column = column;
    work->y = (int64_t)(piece < cut.pieces ? piece : cut.pieces - 1) * cut.rows;
    work->rows = !column.keeps ? 0 : cut.h - work->y < cut.rows ? (int)(cut.h - work->y) : cut.rows;
    return true;
}

/* --- on the host ----------------------------------------------------------------------------- */

/* Strips of rows of so many groups; `halo`: 0 where their ends need no others. */
static inline void partition_columns(struct row_partition *cut, int64_t groups, int64_t h, int halo)
{
    int across = WARP_LANES - 2 * halo;

    cut->groups = groups;
    cut->h = h;
    cut->halo = halo;
    cut->whole = (uint32_t)(groups / across);
    cut->narrow = (int)(groups % across);
    cut->side_by_side = WARP_LANES / (cut->narrow + 2 * halo + (cut->narrow == 0));
}

static inline void partition_rows(struct row_partition *cut, int64_t rows)
{
    int64_t least = cut->groups * cut->h >> 30; /* so that warps can be counted in 32 bits */

    rows = rows < least ? least : rows;
    rows = rows < 1 ? 1 : rows < 1 << 30 ? rows : 1 << 30;
    cut->rows = (int)(rows < cut->h ? rows : cut->h);
    cut->pieces = (uint32_t)((cut->h + cut->rows - 1) / cut->rows);
    cut->warps = cut->whole * cut->pieces;
    if (cut->narrow)
        cut->warps += (cut->pieces + cut->side_by_side - 1) / cut->side_by_side;
}

static inline int64_t partition_blocks(const struct row_partition *cut)
{
    return ((int64_t)cut->warps + SEGMENT_WARPS - 1) / SEGMENT_WARPS;
}

/* The fewest rows of a piece, a multiple, for which there are no more than so many blocks. */
static inline int64_t partition_rows_for(struct row_partition cut, int64_t blocks, int multiple)
{
    int64_t low = 1, high = cut.h;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        partition_rows(&cut, middle);
        if (partition_blocks(&cut) <= blocks)
            high = middle;
        else
            low = middle + 1;
    }
    return (low + multiple - 1) / multiple * multiple;
}

/*
 * Cycles in which the warps of a scheduler take rows each through their logic: `share` of them, of
 * which it has room for `resident` at once. A row is issued in `row` cycles and is done another
 * `wait` later. What others issue meanwhile hides the wait, but for one: warps that start together
 * do not end together, for the oldest are served first, and those that are last have no others
 * beside them. So pieces that just fit in at once are a bad choice where more of them are to be
 * had.
 */
static inline double logic_cycles_of_rows(double rows, double share, double resident, double row,
                                          double wait)
{
    double alone = (row + wait) / resident;

    return rows * (share * (row > alone ? row : alone) + wait);
}

/* Of a pass. The longer of logic and memory counts, but what takes nearly as long delays it. */
static inline double pass_cycles(double start, double logic, double memory)
{
    return start + cbrt(logic * logic * logic + memory * memory * memory);
}

/*
 * The least that cost(cut, share, resident) says of pieces of some number of rows, a multiple, and
 * that number. `share`: the most blocks that a multiprocessor gets, which is as many warps for each
 * of its schedulers; `resident`: how many it has room for at once, 1 at least.
 */
template <class Cost>
static double partition_choose_rows(struct row_partition cut, int resident, int multiprocessors,
                                    int multiple, int *rows, Cost cost)
{
    double least = 0;

    resident = resident > 0 ? resident : 1;
    for (int64_t most = 1; most <= 48 * resident; most += most < resident ? 1 : resident) {
        double cycles;

        partition_rows(&cut, partition_rows_for(cut, most * multiprocessors, multiple));
        /* More than wanted where a row alone is more. */
        cycles =
            cost(cut, (partition_blocks(&cut) + multiprocessors - 1) / multiprocessors, resident);
        if (most > 1 && cycles >= least)
            continue;
        least = cycles;
        *rows = cut.rows;
    }
    return least;
}

#endif
