/* SPDX-License-Identifier: MIT */
/* Tiles that are not still, as the kernels see them that step these alone (cuda_still.cuh). */
#ifndef CALAB_KERNELS_MOORE_CUDA_STILL_TILES_CUH
#define CALAB_KERNELS_MOORE_CUDA_STILL_TILES_CUH

#include "kernels/moore/cuda_words.cuh"

/* Handed to a pass: `list` has *count shares of warps. */
struct moore_still_tiles {
    const uint32_t *list, *count;
    uint8_t *changed; /* tile by tile of a row of tiles, and row by row */
};

static __host__ __device__ __forceinline__ uint32_t
moore_still_columns(const struct row_partition &partition)
{
    return partition.full_segments + (partition.narrow_groups > 0);
}

/* Keeps whether the lanes of each segment of the warp have seen a change. All lanes call it. */
static __device__ __forceinline__ void moore_still_keep(const struct row_partition &partition,
                                                        const struct segment_work &work,
                                                        bool differs, uint8_t *changed)
{
    const struct segment_lane &column = work.column;
    uint32_t votes = __ballot_sync(0xffffffff, differs);
    int lane = (int)threadIdx.x % WARP_LANES, first = column.segment * column.width;
    uint32_t lanes = 0xffffffffu >> (WARP_LANES - column.width) << first;
    bool tile = work.chunk < partition.chunks && (work.segment < partition.full_segments ||
                                                  column.segment < partition.segments_per_warp);

    if (lane == first && tile)
        changed[(size_t)work.chunk * moore_still_columns(partition) + work.segment] =
            (votes & lanes) != 0;
}

/* Whether two groups have different cells in the lattice. */
static __device__ __forceinline__ bool moore_still_differ(const uint4 &a, const uint4 &b,
                                                          const struct cuda_group &inside)
{
    return (((a.x ^ b.x) & inside.word[0]) | ((a.y ^ b.y) & inside.word[1]) |
            ((a.z ^ b.z) & inside.word[2]) | ((a.w ^ b.w) & inside.word[3])) != 0;
}

#endif
