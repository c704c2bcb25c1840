/* SPDX-License-Identifier: MIT */
/*
 * What the byte-a-cell CUDA rungs of anneal share: the extended domain, its two ghost-copy kernels,
 * and a generation as three launches. A rung brings the kernel that steps the inside.
 *
 * The domain has a border of ghost cells, so that a step needs no modulo and no test for an edge:
 *
 *     row 0       ┌─────────────────┐   <- row H
 *                 │ ┌─────────────┐ │
 *     column 0    │ │   lattice   │ │   column W + 1 <- column 1
 *     <- column W │ └─────────────┘ │
 *     row H + 1   └─────────────────┘   <- row 1
 *
 * Before each generation the border is copied from the opposite sides: rows first, then columns of
 * all rows, so that the corners come right out of the ghost rows. The lattice is rows 1 ... H and
 * columns 1 ... W.
 *
 * Beyond a ghost end of a slab nothing is known: those rows stay empty, as they were made.
 */
#ifndef CALAB_KERNELS_ANNEAL_GHOSTS_CUH
#define CALAB_KERNELS_ANNEAL_GHOSTS_CUH

#include "kernels/anneal/anneal.h"
#include "kernels/anneal/rule.h"
#include "kernels/cuda/grid_chunks.cuh"

struct anneal_ghosts {
    uint8_t *now, *next; /* (W + 2) x (H + 2), read one, write the other */
};

/* The cells of the extended domain as the stepper loads and stores them. */
struct anneal_cells {
    typedef uint8_t value;

    uint8_t *cells;
    int64_t stride;

    static anneal_cells of(const struct cuda *cuda)
    {
        return {((const struct anneal_ghosts *)cuda->own)->now, cuda->size.w + 2};
    }
    __device__ value get(int plane, int64_t x, int64_t row) const
    {
        (void)plane;
        return cells[(row + 1) * stride + x + 1];
    }
    __device__ void put(int plane, int64_t x, int64_t row, value v) const
    {
        (void)plane;
        cells[(row + 1) * stride + x + 1] = v;
    }
};

/*
 * Steps w x h cells of `now`, whose ghosts are made, into `next`. Both pointers stand at the upper
 * left neighbour of the first cell; rows are `stride` cells apart.
 */
typedef void anneal_step_kernel(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                                int64_t stride, unsigned w, unsigned h);

enum ca_status anneal_ghosts_plan(struct cuda *cuda, struct ca_error *error);
/* n generations by `kernel` in blocks as the option says, with `shared` bytes of shared memory. */
enum ca_status anneal_ghosts_step(struct cuda *cuda, uint64_t n, anneal_step_kernel *kernel,
                                  size_t shared, struct ca_error *error);

#endif
