/* SPDX-License-Identifier: MIT */
/*
 * The backends cuda-naive and cuda-shared of life3d share the state, which is two copies of the
 * lattice with an int a cell, one read and one written; and the option that copies it to the host
 * and back after each generation, and frees its memory and takes it anew in between. Each of the
 * two backends brings its kernel.
 */
#ifndef CALAB_KERNELS_LIFE3D_CUDA_CELLS_CUH
#define CALAB_KERNELS_LIFE3D_CUDA_CELLS_CUH

#include "kernels/cuda/stepper.cuh"
#include "kernels/cuda/thread_position.cuh"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/rule.h"

#define LIFE3D_THREADS 512 /* of a block at most: see the shapes in ladder.c */

/* The lattice as a kernel gets it. */
struct life3d_space {
    struct ca_size size;
    struct life3d_rule rule;
    bool torus;   /* in x and y */
    bool torus_z; /* a slab of a torus is not closed in z */
};

typedef void life3d_cells_function(const int32_t *now, int32_t *next, struct life3d_space space);

/* A backend's kernel in two versions: for lattices where every neighbour exists, and for others. */
struct life3d_cells_kernel {
    const char *name;
    life3d_cells_function *closed, *open;
    size_t shared_bytes; /* that it declares */
};

struct life3d_cells {
    int32_t *now, *next;
    struct life3d_space space;
    struct life3d_cells_kernel kernel;
    int copies;    /* LIFE3D_COPIES_... */
    int32_t *host; /* the lattice there, where copies are made */
};

enum ca_status life3d_cells_plan(struct cuda *cuda, struct life3d_cells_kernel kernel,
                                 struct ca_error *error);
enum ca_status life3d_cells_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
void life3d_cells_swap(struct cuda *cuda);
enum ca_status life3d_cells_start(struct cuda *cuda, struct ca_error *error);
void life3d_cells_stop(struct cuda *cuda);

extern const struct cuda_access life3d_cells_access;

#define LIFE3D_CELLS_OPS(plan_function)                                                            \
    {                                                                                              \
        .state_size = sizeof(struct life3d_cells), .plan = (plan_function),                        \
        .access = &life3d_cells_access, .pass = life3d_cells_pass, .swap = life3d_cells_swap,      \
        .start = life3d_cells_start, .stop = life3d_cells_stop                                     \
    }

/* --- neighbours ------------------------------------------------------------------------------ */

/*
 * A set of the 27 cells of the 3 x 3 x 3 cube around a cell: bit i is the cell that is
 * (i % 3, i / 3 % 3, i / 9) - 1 cells away. In octal a digit is a row along x, and three digits are
 * a layer.
 */
#define LIFE3D_NEIGHBOURHOOD 0777777777u
#define LIFE3D_CENTRE 13 /* the bit of the cell itself */

/* The set without the cells on the sides named: low and high along x, y and z. */
static __device__ __forceinline__ uint32_t life3d_without(bool x0, bool x1, bool y0, bool y1,
                                                          bool z0, bool z1)
{
    uint32_t set = LIFE3D_NEIGHBOURHOOD;

    set &= x0 ? ~0111111111u : LIFE3D_NEIGHBOURHOOD;
    set &= x1 ? ~0444444444u : LIFE3D_NEIGHBOURHOOD;
    set &= y0 ? ~0007007007u : LIFE3D_NEIGHBOURHOOD;
    set &= y1 ? ~0700700700u : LIFE3D_NEIGHBOURHOOD;
    set &= z0 ? ~0000000777u : LIFE3D_NEIGHBOURHOOD;
    set &= z1 ? ~0777000000u : LIFE3D_NEIGHBOURHOOD;
    return set;
}

/* The neighbours that exist; `closed`: the lattice is a torus in all three dimensions. */
template <bool closed>
static __device__ __forceinline__ uint32_t life3d_present(const struct life3d_space &space,
                                                          const struct cuda_position &position)
{
    bool dead = !space.torus, cut = !space.torus_z;

    return closed ? LIFE3D_NEIGHBOURHOOD
                  : life3d_without(dead && position.x.before == 0, dead && position.x.after == 0,
                                   dead && position.y.before == 0, dead && position.y.after == 0,
                                   cut && position.z.before == 0, cut && position.z.after == 0);
}

/* Offsets in bytes of the previous cell, the cell itself and the next cell along each dimension. */
struct life3d_offsets {
    int64_t x[3], y[3], z[3];
};

static __device__ __forceinline__ void life3d_offsets_along(int64_t offset[3],
                                                            struct cuda_edge_distance distance,
                                                            int64_t side, int64_t stride)
{
    int64_t bytes = stride * (int64_t)sizeof(int32_t), across = (side - 1) * bytes;

    offset[0] = distance.before > 0 ? -bytes : across;
    offset[1] = 0;
    offset[2] = distance.after > 0 ? bytes : -across;
}

static __device__ __forceinline__ struct life3d_offsets
life3d_offsets_of(struct ca_size size, const struct cuda_position &position)
{
    struct life3d_offsets offsets;

    life3d_offsets_along(offsets.x, position.x, size.w, 1);
    life3d_offsets_along(offsets.y, position.y, size.h, size.w);
    life3d_offsets_along(offsets.z, position.z, size.d, size.w * size.h);
    return offsets;
}

/*
 * Neighbour i of `cell`, 0 where it is not present. A missing neighbour's offset is that of the
 * cell on the lattice's other side, so the load is always legal and no branch is taken.
 */
template <bool closed>
static __device__ __forceinline__ int32_t life3d_neighbour(const int32_t *cell, uint32_t present,
                                                           const struct life3d_offsets &offsets,
                                                           int i)
{
    const char *row = (const char *)cell + offsets.z[i / 9] + offsets.y[i / 3 % 3];
    int32_t value = *(const int32_t *)(row + offsets.x[i % 3]);

    return closed ? value : value & (int32_t)(present >> i);
}

#endif
