/* SPDX-License-Identifier: MIT */
/*
 * The state of byte-a-cell CUDA backends: the extended domain, its two ghost-copy kernels, and a
 * generation as three launches. A backend brings the kernel that steps the inside.
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
 * Nothing is known beyond a ghost end of a slab: those rows stay empty, as they were made. With
 * dead edges all of the border does.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_CELLS_CUH
#define CALAB_KERNELS_MOORE_CUDA_CELLS_CUH

#include "kernels/cuda/grid_chunks.cuh"
#include "kernels/moore/cuda_rule.cuh"

/*
 * Steps w x h cells of `now`, whose ghosts are made, into `next`. Both pointers stand at the upper
 * left neighbour of the first cell; rows are `stride` cells apart.
 */
typedef void moore_cells_kernel(const uint8_t *__restrict__ now, uint8_t *__restrict__ next,
                                int64_t stride, unsigned w, unsigned h,
                                struct moore_parameters parameters);

struct moore_cells {
    uint8_t *now, *next; /* (W + 2) x (H + 2) each: a generation reads one and writes the other */
    struct moore_rule rule;
    moore_cells_kernel *kernel;
    const char *name; /* of it */
};

/* In plan: the two domains, and a kernel whose blocks have `shared` bytes of shared memory. */
void moore_cells_plan(struct cuda *cuda, const struct moore_rule *rule, const char *name,
                      moore_cells_kernel *kernel, size_t shared);
enum ca_status moore_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
void moore_cells_swap(struct cuda *cuda);

/* The access of a model adds its neighbour sums to this layout. */
struct moore_domain_cells {
    enum { PLANES = 1, BITS = 1 };
    typedef uint8_t value;

    uint8_t *cells;
    int64_t stride;

    static moore_domain_cells of(const struct cuda *cuda)
    {
        return {((const struct moore_cells *)cuda->state)->now, cuda->size.w + 2};
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

#define MOORE_CELLS_OPS(plan_function, access_of_cells)                                            \
    {                                                                                              \
        .state_size = sizeof(struct moore_cells), .plan = (plan_function),                         \
        .access = &(access_of_cells), .pass = moore_cells_pass, .swap = moore_cells_swap           \
    }

#endif
