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

#include "kernels/cuda/bit_groups.cuh"
#include "kernels/cuda/device.cuh"

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

#endif
