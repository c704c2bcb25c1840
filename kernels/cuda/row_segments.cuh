/* SPDX-License-Identifier: MIT */
/*
 * The partition of a lattice of bit rows among warps that sweep down its rows. A row is counted in
 * groups of 128 cells, one for each lane.
 *
 * A full segment is as wide as a warp. At each end of it `halo` lanes compute cells that become
 * invalid for lack of neighbours; their groups are stored by the adjacent segments. The rest of a
 * row is narrower than a warp, so a warp takes several such narrow segments at once, each in other
 * rows. A row of few groups is one segment without halo, whose ends are joined by shuffles: no lane
 * is lost to a halo there.
 */
#ifndef CALAB_KERNELS_CUDA_ROW_SEGMENTS_CUH
#define CALAB_KERNELS_CUDA_ROW_SEGMENTS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "kernels/cuda/bit_groups.cuh"
#include "kernels/cuda/stepper.cuh"

#define WARP_LANES 32
#define SEGMENT_WARPS 4 /* warps of a block */
#define SEGMENT_THREADS (SEGMENT_WARPS * WARP_LANES)

/* Row segments, and chunks of their rows: a warp, or part of a warp, takes one chunk. */
struct row_partition {
    int64_t groups;          /* of a row */
    int64_t h;               /* rows */
    int halo;                /* lanes at each end of a segment that other segments store */
    uint32_t full_segments;  /* segments as wide as a warp */
    int narrow_groups;       /* groups of a row beyond the full segments, */
    int segments_per_warp;   /* and the number of such narrow segments that a warp takes */
    int rows;                /* of a chunk */
    uint32_t chunks;         /* of a segment */
    struct cuda_bands bands; /* the chunks of full segments that are launched, and the rows that
                              * all chunks store; narrow segments go with the ends */
    uint32_t warps;          /* that are */
};

/* A lane's position in its row segment. */
struct segment_lane {
    int64_t group;      /* of the row, from -halo on */
    int width, segment; /* lanes of the segment; its index among the segments of the warp */
    bool stores;        /* the group is not in a halo, and the lane is not left over */
    int left, right;    /* the lanes of the adjacent groups */
};

/* In full segment `segment`, or in a narrow one. */
static __device__ __forceinline__ struct segment_lane
segment_lane(const struct row_partition &partition, uint32_t segment, bool narrow)
{
    int lane = threadIdx.x % WARP_LANES, at = lane;
    struct segment_lane column = {0, WARP_LANES, 0, true, lane - 1, lane + 1};

    if (narrow) {
        int width = column.width = partition.narrow_groups + 2 * partition.halo;

        column.segment = lane / width;
        at = lane - column.segment * width;
        column.stores = column.segment < partition.segments_per_warp;
        if (!partition.halo) {
            column.left += at == 0 ? width : 0;
            column.right -= at == width - 1 ? width : 0;
        }
    }
    column.stores = column.stores && at >= partition.halo && at < column.width - partition.halo;
    column.group = (int64_t)segment * (WARP_LANES - 2 * partition.halo) + at - partition.halo;
    return column;
}

/* The segment and chunk of a warp. */
struct segment_work {
    struct segment_lane column;
    uint32_t segment, chunk; /* of the lane's; a chunk behind the last one has no rows */
    int64_t y;               /* first row */
    int rows;                /* that this lane stores */
};

/* The share of a warp, by its number among those of the launch. Returns false beyond the last. */
static __device__ __forceinline__ bool segment_begin_at(const struct row_partition &partition,
                                                        uint32_t warp, struct segment_work *work)
{
    bool narrow = warp >= partition.full_segments * partition.bands.count;
    uint32_t segment = narrow ? partition.full_segments : warp % partition.full_segments, chunk;
    struct segment_lane column;

    if (warp >= partition.warps)
        return false;
    column = segment_lane(partition, segment, narrow);
    chunk = narrow ? (warp - partition.full_segments * partition.bands.count) *
                             partition.segments_per_warp +
                         column.segment
                   : cuda_band(partition.bands, warp / partition.full_segments);
    column.stores = column.stores && chunk < partition.chunks;
    work->column = column;
    work->segment = segment;
    work->chunk = chunk;
    work->y = partition.bands.stored.from +
              (int64_t)(chunk < partition.chunks ? chunk : partition.chunks - 1) * partition.rows;
    work->rows = !column.stores ? 0
                 : partition.bands.stored.end - work->y < partition.rows
                     ? (int)(partition.bands.stored.end - work->y)
                     : partition.rows;
    return true;
}

/* Returns false for a warp without work. */
static __device__ __forceinline__ bool segment_begin(const struct row_partition &partition,
                                                     struct segment_work *work)
{
    return segment_begin_at(partition, blockIdx.x * SEGMENT_WARPS + threadIdx.x / WARP_LANES, work);
}

/* --- on the host ----------------------------------------------------------------------------- */

/* Divides rows of so many groups into segments; `halo` is 0 where segments need no neighbours. All
 * of the rows are stored. */
static inline void partition_columns(struct row_partition *partition, int64_t groups, int64_t h,
                                     int halo)
{
    int across = WARP_LANES - 2 * halo;

    partition->groups = groups;
    partition->h = h;
    partition->bands.stored = {0, h};
    partition->halo = halo;
    partition->full_segments = (uint32_t)(groups / across);
    partition->narrow_groups = (int)(groups % across);
    partition->segments_per_warp =
        WARP_LANES / (partition->narrow_groups + 2 * halo + (partition->narrow_groups == 0));
}

/* Sets the launched part. */
static inline void partition_take(struct row_partition *partition, struct cuda_bands bands)
{
    partition->bands = bands;
    partition->warps = partition->full_segments * bands.count;
    if (partition->narrow_groups && !bands.rest)
        partition->warps +=
            (partition->chunks + partition->segments_per_warp - 1) / partition->segments_per_warp;
}

static inline struct cuda_band_sizes partition_bands(const struct row_partition *partition)
{
    return {partition->chunks, partition->full_segments ? partition->rows : 0};
}

static inline int64_t partition_stored(const struct row_partition *partition)
{
    return cuda_layers_count(partition->bands.stored);
}

/* Divides segments into chunks of so many of the rows that are stored, all of which are launched.
 */
static inline void partition_rows(struct row_partition *partition, int64_t rows)
{
    int64_t least = partition->groups * partition->h >> 30; /* keeps the warps' count in 32 bits */
    int64_t stored = partition_stored(partition);

    rows = rows < least ? least : rows;
    rows = rows < 1 ? 1 : rows < 1 << 30 ? rows : 1 << 30;
    partition->rows = (int)(rows < stored ? rows : stored);
    partition->chunks = (uint32_t)((stored + partition->rows - 1) / partition->rows);
    partition_take(partition,
                   {partition->chunks, 0, UINT32_MAX, 0, false, partition->bands.stored});
}

static inline int64_t partition_blocks(const struct row_partition *partition)
{
    return ((int64_t)partition->warps + SEGMENT_WARPS - 1) / SEGMENT_WARPS;
}

/* The fewest rows of a chunk, a multiple of `multiple`, that need at most so many blocks. */
static inline int64_t partition_rows_for(struct row_partition partition, int64_t blocks,
                                         int multiple)
{
    int64_t low = 1, high = partition_stored(&partition);

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        partition_rows(&partition, middle);
        if (partition_blocks(&partition) <= blocks)
            high = middle;
        else
            low = middle + 1;
    }
    return (low + multiple - 1) / multiple * multiple;
}

/* Chunks are as short as the bound allows within this factor: what all warps do at once is then one
 * front over the lattice, which memory serves better, and the last of them end together. */
#define PARTITION_SLACK 1.01

/*
 * Chooses the rows of a chunk by the least bound(partition), over multiples of `multiple`, or takes
 * `wanted` rows where that is not 0; stores them in *rows and returns their bound. `resident` is
 * the number of blocks that a multiprocessor holds at once, at least 1.
 */
template <class Bound>
static double partition_choose_rows(struct row_partition partition, int64_t wanted, int resident,
                                    int multiprocessors, int multiple, int *rows, Bound bound)
{
    double least = INFINITY, chosen = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int64_t most = 1; most <= 48 * resident; most += most < resident ? 1 : resident) {
            double step_s;

            partition_rows(
                &partition,
                wanted ? wanted : partition_rows_for(partition, most * multiprocessors, multiple));
            step_s = bound(partition);
            if (pass == 0)
                least = fmin(least, step_s);
            else if (step_s <= PARTITION_SLACK * least) {
                chosen = step_s;
                *rows = partition.rows;
            }
        }
    return chosen;
}

#endif
