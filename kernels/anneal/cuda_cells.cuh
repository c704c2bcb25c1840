/* SPDX-License-Identifier: MIT */
/*
 * The state of anneal's byte-a-cell CUDA backends: the extended domain, its two ghost-copy kernels,
 * and a generation as three launches. A backend brings the kernel that steps the inside.
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
 * all rows, so that the corners are right because they come from the ghost rows. The lattice is
 * rows 1 ... H and columns 1 ... W.
 *
 * Nothing is known beyond a ghost end of a slab: those rows stay empty, as they were made.
 */
#ifndef CALAB_KERNELS_ANNEAL_CUDA_CELLS_CUH
#define CALAB_KERNELS_ANNEAL_CUDA_CELLS_CUH

#include "kernels/anneal/rule.h"
#include "kernels/cuda/grid_chunks.cuh"

/*
 * Steps w x h cells of `now`, whose ghosts are made, into `next`. Both pointers stand at the upper
 * left neighbour of the first cell; rows are `stride` cells apart.
 */
typedef void anneal_cells_kernel(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                                 int64_t stride, unsigned w, unsigned h);

struct anneal_cells {
    uint8_t *now, *next; /* (W + 2) x (H + 2) each: a generation reads one and writes the other */
    anneal_cells_kernel *kernel;
    const char *name; /* of it */
};

extern const struct cuda_access anneal_cells_access;

/* In plan: the two domains, and a kernel whose blocks have `shared` bytes of shared memory. */
void anneal_cells_plan(struct cuda *cuda, const char *name, anneal_cells_kernel *kernel,
                       size_t shared);
enum ca_status anneal_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
void anneal_cells_swap(struct cuda *cuda);

#define ANNEAL_CELLS_OPS(plan_function)                                                            \
    {                                                                                              \
        .state_size = sizeof(struct anneal_cells), .plan = (plan_function),                        \
        .access = &anneal_cells_access, .pass = anneal_cells_pass, .swap = anneal_cells_swap       \
    }

#endif
