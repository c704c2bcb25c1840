/* SPDX-License-Identifier: MIT */
/*
 * The state of the backends whose lanes have four columns, cuda-fused, cuda-temporal and
 * cuda-overlapped: float planes in rows of groups of four cells, a second copy of the levels, and
 * which rows have sources.
 *
 * The lattice is partitioned into row segments of 32 lanes. The first and the last lane of a
 * segment are its halo, so segments overlap by two groups. A load or a start records for each row
 * of each segment whether any of its cells, halo included, has a source. Kernels read no sources
 * where there are none.
 */
#ifndef CALAB_KERNELS_WATER_CUDA_GROUPS_CUH
#define CALAB_KERNELS_WATER_CUDA_GROUPS_CUH

#include "kernels/cuda/row_partition.cuh"
#include "kernels/water/cuda_logic.cuh"

#define WATER_HALO_LANES 1 /* at each end of a segment */
#define WATER_STORED_LANES (WARP_LANES - 2 * WATER_HALO_LANES)

/* Kernels get this: the lattice and its partition. `pitch` is the groups from row to row. */
struct water_lattice {
    const float4 *terrain, *level, *source;
    float4 *next;
    const uint8_t *sourced;    /* for each row of each segment: whether it has sources */
    const unsigned *overlarge; /* not 0: some values are as large as WATER_HUGE */
    int64_t w;
    uint32_t pitch;
    enum water_mode mode;
    struct row_partition partition;
};

/* The beginning of the state of each of these backends. */
struct water_groups {
    float4 *plane[WATER_PLANES], *next;
    uint8_t *sourced;
    unsigned *overlarge;
    struct water_lattice lattice; /* without its pointers */
};

static inline int64_t water_groups_of(int64_t columns)
{
    return (columns + WATER_COLUMNS - 1) / WATER_COLUMNS;
}

/* In ops.plan: lays out the lattice and asks for memory. */
void water_groups_plan(struct cuda *cuda);

extern const struct cuda_access water_groups_access;

/* Cycles that memory takes for a pass, which reads terrain and level and writes level; `again`: so
 * much of the lattice a second time, as halo. */
double water_bound(const struct cuda *cuda, struct cuda_shape shape, double again);
/* The lattice with its pointers, as the state is now; and, after a pass, the swap of its levels. */
struct water_lattice water_groups_now(const struct water_groups *state);
void water_groups_swap(struct cuda *cuda);

/* `state` begins with a struct water_groups. */
#define WATER_GROUPS_OPS(state, plan_function, pass_function)                                      \
    {                                                                                              \
        .state_size = sizeof(state), .plan = (plan_function), .access = &water_groups_access,      \
        .pass = (pass_function), .swap = water_groups_swap                                         \
    }

#endif
