/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: a block goes up the planes with a tile of rows and takes each plane through several
 * generations on the way, in registers. Growth alone, without events.
 *
 * A thread has two rows of a group. When plane p of generation 0 comes, plane p - 1 of generation 1
 * has all it waits for, so plane p - 2 of generation 2 has, and so on: all of them are known before
 * any row beside is asked for. They are shown to the other threads in shared memory, all
 * generations at once, and there is one barrier a plane. The rows beside, two on each side, are
 * just those of the threads above and below.
 *
 *     group, 2 rows     generation k keeps of its last planes, in words of four for each row:
 *       +---------+       hum   of plane p, what was active now taken off
 *     y |         |       near  of plane p, without what plane p + 1 adds
 *   y+1 |         |       below active in p or p - 1, for p + 1
 *       +---------+       last  active in p
 *
 * A tile has whole rows of up to 32 groups, several of them side by side in a warp if they are
 * short; or rows are cut, and the first and last lane of a cut are halo, which makes tiles narrower
 * and higher. Halo are also two rows for each generation at the upper and lower end of a tile that
 * has not all rows, and at the start of a chunk of planes three planes for each.
 */
#ifndef CALAB_KERNELS_CLOUD_SWEEP_CUH
#define CALAB_KERNELS_CLOUD_SWEEP_CUH

#include "kernels/cloud/groups.cuh"

#define SWEEP_GENERATIONS_MAX 4
#define SWEEP_LANES 32

/* How blocks share a lattice: tiles across and down, and chunks of planes. */
struct cloud_cut {
    int generations, warps;
    int lanes, halo, parts; /* of a row of groups, at each end, rows in a warp */
    int ghosts;             /* rows at each end of a tile that are others' */
    int64_t rows, planes;   /* of a tile that are its own; of a chunk */
    uint32_t across, down, chunks;
    int resident;  /* blocks that a multiprocessor has room for */
    double cycles; /* that a generation should cost */
};

/* Wanted by options, 0: chosen. */
struct cloud_wanted {
    int generations, warps, lanes;
    int64_t planes;
};

/* The best cut for so many generations; of no warps if there is none. */
enum ca_status cloud_sweep_choose(struct cuda *cuda, int generations,
                                  const struct cloud_wanted *wanted, struct cloud_cut *cut,
                                  struct ca_error *error);
/* From hum and act to the next ones. */
enum ca_status cloud_sweep_pass(struct cuda *cuda, const struct cloud_cut *cut,
                                struct ca_error *error);

/* Cycles in which memory moves so many bytes to and from the multiprocessors, or the second cache
 * does if hum and act, now and next, fit into it. */
double cloud_memory_cycles(double bytes, struct ca_size size, const struct ca_cuda_device *device);

static inline int64_t cloud_divided(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline double cloud_plane_bytes(struct ca_size size) /* of hum, act or cloud */
{
    return (double)ca_cells(size) * sizeof(uint4);
}

/* --- what neighbours in a warp tell each other ----------------------------------------------- */

/* The bytes of two words that hold the bits which lanes beside want, as __byte_perm counts. */
#define SWEEP_LAST_BYTES 0x7300  /* of words 2 and 3, to bytes 2 and 3 */
#define SWEEP_FIRST_BYTES 0x0040 /* of words 0 and 1, to bytes 0 and 1 */

/* Takes a byte that came to where it is shifted in from; or zeros, at a row's end. */
struct cloud_taps {
    uint32_t before2, before3, after0, after1;
};

static __device__ __forceinline__ struct cloud_taps cloud_taps_of(bool left, bool right)
{
    return {left ? 0x2444u : 0x4444u, left ? 0x3444u : 0x4444u, right ? 0x4440u : 0x4444u,
            right ? 0x4441u : 0x4444u};
}

/* cloud_group_sides of a row that lies across lanes; without taps what comes in at its ends is no
 * matter. */
template <bool TAPS>
static __device__ __forceinline__ struct cuda_group cloud_lane_sides(const struct cuda_group &act,
                                                                     const struct cuda_group &also,
                                                                     const struct cloud_taps &taps)
{
    uint32_t last = __byte_perm(act.word[2], act.word[3], SWEEP_LAST_BYTES);
    uint32_t first = __byte_perm(act.word[0], act.word[1], SWEEP_FIRST_BYTES);

    last = __shfl_up_sync(0xffffffff, last, 1);
    first = __shfl_down_sync(0xffffffff, first, 1);
    if (!TAPS)
        return cloud_group_sides(act, also, last << 8, last, first, first >> 8);
    return cloud_group_sides(act, also, __byte_perm(last, 0, taps.before2),
                             __byte_perm(last, 0, taps.before3), __byte_perm(first, 0, taps.after0),
                             __byte_perm(first, 0, taps.after1));
}

#endif
