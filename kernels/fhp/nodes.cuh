/* SPDX-License-Identifier: MIT */
/*
 * What the byte-a-node CUDA rungs of fhp share: two copies of the lattice, of which a generation
 * reads one and writes the other, the collision table, and what happens to a node but for fetching
 * it. A rung brings the kernel.
 *
 * Each row has a ghost node before and behind it, which repeats the row's other end and is written
 * by who writes that. So the six neighbours of any node are found at fixed distances from three
 * addresses, two of which are rows of the ring that the lattice is along y:
 *
 *     node    W - 1 │ 0  1  ...  W - 1 │ 0         W + 2 bytes
 *
 * What is beyond a ghost end of a slab is unknown, and the nodes that it reaches are spoiled in any
 * case, so the ring is closed there too, without a test. Slabs start on even rows.
 */
#ifndef CALAB_KERNELS_FHP_NODES_CUH
#define CALAB_KERNELS_FHP_NODES_CUH

#include "core/base/random.h"
#include "kernels/cuda/stepper.cuh"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

#define FHP_STATES 128 /* of a fluid node */

/* What a state collides into: at chirality 0 in the low byte, at 1 in the high one. */
typedef uint16_t fhp_outcomes;

struct fhp_nodes {
    uint8_t *now, *next; /* (W + 2) x H of the slab, read one, write the other */
    fhp_outcomes *table; /* on the device, once a step has run */
    fhp_outcomes made[FHP_STATES];
    bool sent; /* made is in table */
};

/* Facts of a generation that kernels take by value. */
struct fhp_generation {
    int64_t w, h;          /* of the slab */
    int64_t row, all_rows; /* bytes from a row to the next, and from the first row to the last */
    struct cuda_slab slab;
    uint64_t seed, t;
    uint32_t force; /* probability of forcing in 65536ths */
};

/* A node where it is written: the ghost that repeats it too. `at` is its address. */
static __device__ __forceinline__ void fhp_put(uint8_t *at, int64_t x, int64_t w, uint8_t node)
{
    *at = node;
    if (x == 0)
        at[w] = node;
    if (x == w - 1)
        at[-w] = node;
}

/* The nodes as the stepper loads and stores them. */
struct fhp_bytes {
    typedef uint8_t value;

    uint8_t *nodes;
    int64_t w;

    static fhp_bytes of(const struct cuda *cuda)
    {
        return {((const struct fhp_nodes *)cuda->own)->now, cuda->size.w};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        (void)plane;
        return nodes[row * (w + 2) + x + 1];
    }
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        (void)plane;
        fhp_put(nodes + row * (w + 2) + x + 1, x, w, v);
    }
};

/* Steps the nodes of `now` into `next`. */
typedef void fhp_step_kernel(struct fhp_generation generation,
                             const fhp_outcomes *__restrict__ table,
                             const uint8_t *__restrict__ now, uint8_t *__restrict__ next);

enum ca_status fhp_nodes_plan(struct cuda *cuda, struct ca_error *error);
/* n generations from t on by `kernel`, with `shared` bytes of shared memory. */
enum ca_status fhp_nodes_step(struct cuda *cuda, uint64_t t, uint64_t n, fhp_step_kernel *kernel,
                              dim3 grid, dim3 block, size_t shared, struct ca_error *error);

/*
 * What arrives at a node of row `row` and what rests there, from the addresses of the node and of
 * those in its column of the rows above and below.
 */
static __device__ __forceinline__ uint8_t fhp_arrive(const uint8_t *above, const uint8_t *here,
                                                     const uint8_t *below, int64_t row)
{
    int left = (int)(row & 1) - 1; /* even rows: from here and the left, odd: and the right */

    above += left;
    below += left;
    return fhp_move(above[0], above[1], here[1], below[1], below[0], here[-1], here[0]);
}

/* Coordinate of a row in the whole lattice, for draws. */
static __device__ __forceinline__ uint32_t fhp_y(const struct fhp_generation &generation,
                                                 int64_t row)
{
    return (uint32_t)(generation.slab.torus ? row : cuda_global(generation.slab, row));
}

/* What becomes of a node when its particles have arrived: bounce-back, or collision and forcing. */
static __device__ __forceinline__ uint8_t fhp_scatter(const struct fhp_generation &generation,
                                                      const fhp_outcomes *table, uint8_t node,
                                                      int64_t x, int64_t row)
{
    uint32_t outcomes, left, right;

    if (node & FHP_SOLID)
        return fhp_bounce(node);
    outcomes = table[node];
    left = outcomes & 0xff;
    right = outcomes >> 8;
    /* Most states end the same way at both chiralities and need no draw. */
    if (left != right && ca_bit(generation.seed, (uint64_t)x, fhp_y(generation, row), 0,
                                generation.t, CA_STREAM_FHP_CHIRALITY))
        left = right;
    node = (uint8_t)left;
    if (generation.force && fhp_can_force(node) &&
        ca_event(generation.seed, (uint64_t)x, fhp_y(generation, row), 0, generation.t,
                 CA_STREAM_FHP_FORCING, generation.force))
        node = fhp_force(node);
    return node;
}

#endif
