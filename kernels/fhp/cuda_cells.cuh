/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backends with a byte a node share two buffers of the lattice, of which a generation
 * reads one and writes the other, the collision table, and all that happens to a node but how it is
 * fetched, which the backend's kernel does.
 *
 * Each row has a halo node before and behind it, which repeats the node at the row's other end and
 * is written by the thread that writes that node. So the six neighbours of any node are at fixed
 * distances from three addresses: its own, and those above and below, of which the first row's
 * upper neighbour is the last row and the last row's lower neighbour the first one:
 *
 *     node    W - 1 │ 0  1  ...  W - 1 │ 0         W + 2 bytes
 *
 * Beyond a halo end of a slab the nodes are unknown, and the rows that they reach are spoiled in
 * any case, so the first and the last row of a slab are neighbours too, without a test. Slabs start
 * on even rows.
 */
#ifndef CALAB_KERNELS_FHP_CUDA_CELLS_CUH
#define CALAB_KERNELS_FHP_CUDA_CELLS_CUH

#include "core/base/random.h"
#include "kernels/cuda/stepper.cuh"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

#define FHP_STATES 128 /* of a fluid node */

/* The state after a collision: at chirality 0 in the low byte, at 1 in the high one. */
typedef uint16_t fhp_outcomes;

/* Kernels take this by value. */
struct fhp_cells_params {
    int64_t w, h;          /* of the slab */
    int64_t row, all_rows; /* bytes from a row to the next, and from the first row to the last */
    int32_t first;         /* row of the whole lattice: the slab's first one, negative in a halo */
    uint32_t height;       /* of the whole lattice */
    uint64_t seed, t;
    uint32_t force; /* probability of forcing in 65536ths */
};

/* Writes a node at its address `at`, and where it is at a row's end the halo node that repeats it.
 */
static __device__ __forceinline__ void fhp_write_node(uint8_t *at, int64_t x, int64_t w,
                                                      uint8_t node)
{
    *at = node;
    if (x == 0)
        at[w] = node;
    if (x == w - 1)
        at[-w] = node;
}

/* Steps the nodes of `now` into `next`. */
typedef void fhp_cells_kernel(struct fhp_cells_params params,
                              const fhp_outcomes *__restrict__ table,
                              const uint8_t *__restrict__ now, uint8_t *__restrict__ next);

struct fhp_cells_launch {
    const char *name; /* of the kernel */
    fhp_cells_kernel *kernel;
    size_t declared_bytes, shared_bytes; /* of shared memory: that it declares, that it is given */
};

struct fhp_cells_state {
    uint8_t *now, *next; /* (W + 2) x H of the slab: read, written */
    fhp_outcomes *table; /* on the device, filled by the first pass */
    fhp_outcomes host_table[FHP_STATES];
    bool table_copied;
    struct fhp_cells_launch launch;
    struct fhp_cells_params params; /* but their generation */
};

/* Reserves the memory, makes the collision table, and notes the launch shape in the plan. CA_USAGE
 * for a slab of more rows than 32 bits add up to. */
enum ca_status fhp_cells_plan(struct cuda *cuda, const struct fhp_cells_launch *launch, dim3 grid,
                              dim3 block, struct ca_error *error);
enum ca_status fhp_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
void fhp_cells_swap(struct cuda *cuda);

extern const struct cuda_access fhp_cells_access;

#define FHP_CELLS_OPS(plan_function)                                                               \
    {                                                                                              \
        .state_size = sizeof(struct fhp_cells_state), .plan = (plan_function),                     \
        .access = &fhp_cells_access, .pass = fhp_cells_pass, .swap = fhp_cells_swap                \
    }

/*
 * Collects what arrives at a node of row `row` and what rests there, from the addresses of the node
 * and of those in its column of the rows above and below.
 */
static __device__ __forceinline__ uint8_t fhp_arrive(const uint8_t *above, const uint8_t *here,
                                                     const uint8_t *below, int64_t row)
{
    int left = (int)(row & 1) - 1; /* even rows: columns x - 1 and x, odd ones: x and x + 1 */

    above += left;
    below += left;
    return fhp_move(above[0], above[1], here[1], below[1], below[0], here[-1], here[0]);
}

/* Coordinate of a row in the whole lattice, for draws. Each node asks for it. */
static __device__ __forceinline__ uint32_t fhp_y(const struct fhp_cells_params &params, int64_t row)
{
    uint32_t y = (uint32_t)params.first + (uint32_t)row;

    while (y >= params.height) /* in halos alone, and more than once only in tiny lattices */
        y += (int32_t)y < 0 ? params.height : 0 - params.height;
    return y;
}

/* Scatters the particles that have arrived at a node: bounce-back, or collision and forcing. */
static __device__ __forceinline__ uint8_t fhp_scatter(const struct fhp_cells_params &params,
                                                      const fhp_outcomes *table, uint8_t node,
                                                      int64_t x, int64_t row)
{
    uint32_t outcomes, left, right;

    if (node & FHP_SOLID)
        return fhp_bounce(node);
    outcomes = table[node];
    left = outcomes & 0xff;
    right = outcomes >> 8;
    /* Most states have the same outcome at both chiralities and need no draw. */
    if (left != right &&
        ca_bit(params.seed, (uint64_t)x, fhp_y(params, row), 0, params.t, FHP_STREAM_CHIRALITY))
        left = right;
    node = (uint8_t)left;
    if (params.force && fhp_can_force(node) &&
        ca_event(params.seed, (uint64_t)x, fhp_y(params, row), 0, params.t, FHP_STREAM_FORCING,
                 params.force))
        node = fhp_force(node);
    return node;
}

#endif
