/* SPDX-License-Identifier: MIT */
/* How the host cuts the rows of a lattice for the warps of row_segments.cuh. */
#ifndef CALAB_KERNELS_CUDA_ROW_PARTITION_CUH
#define CALAB_KERNELS_CUDA_ROW_PARTITION_CUH

#include "kernels/cuda/row_segments.cuh"
#include "kernels/cuda/stepper.cuh"

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
