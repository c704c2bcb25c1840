/* SPDX-License-Identifier: MIT */
/*
 * What cuda-naive and cuda-shared of life3d share: the lattice twice, an int a cell, read from one
 * copy and written to the other; and the option that sends it to the host and back after each
 * generation. A rung brings its kernel.
 */
#ifndef CALAB_KERNELS_LIFE3D_INTS_CUH
#define CALAB_KERNELS_LIFE3D_INTS_CUH

#include "kernels/cuda/stepper.cuh"
#include "kernels/cuda/thread_position.cuh"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/rule.h"

#define LIFE3D_THREADS 512 /* of a block at most: see the shapes in ladder.c */

/* What a kernel knows of the lattice. */
struct life3d_space {
    struct ca_size size;
    struct life3d_rule rule;
    bool torus; /* in x and y */
    bool ring;  /* in z, which is cut where the lattice is shared out as slabs */
};

typedef void life3d_kernel(const int32_t *now, int32_t *next, struct life3d_space space);

struct life3d_ints {
    int32_t *now, *next;
    struct life3d_space space;
    life3d_kernel *kernel;
    int copies;    /* LIFE3D_COPIES_... */
    int32_t *host; /* a lattice there, where there are copies */
};

/*
 * The functions of a rule. A rung's plan is the first of them with its kernel in two forms: where
 * every neighbour exists, and where not.
 */
enum ca_status life3d_ints_plan(struct cuda *cuda, life3d_kernel *closed, life3d_kernel *open,
                                struct ca_error *error);
enum ca_status life3d_ints_step(struct cuda *cuda, uint64_t t, uint64_t n, struct ca_error *error);
void life3d_ints_stop(struct cuda *cuda);

struct life3d_ints_cells {
    typedef uint8_t value;
    int32_t *cells;
    int64_t w;

    static struct life3d_ints_cells of(const struct cuda *cuda)
    {
        return {((const struct life3d_ints *)cuda->own)->now, cuda->size.w};
    }
    __device__ uint8_t get(int, int64_t x, int64_t row) const
    {
        return (uint8_t)cells[row * w + x];
    }
    __device__ void put(int, int64_t x, int64_t row, uint8_t v) const { cells[row * w + x] = v; }
};

#define LIFE3D_INTS(plan_function)                                                                 \
    {                                                                                              \
        .own_size = sizeof(struct life3d_ints), .plan = (plan_function),                           \
        CUDA_CELLS(life3d_ints_cells), .step = life3d_ints_step, .stop = life3d_ints_stop          \
    }

/* --- neighbours ------------------------------------------------------------------------------ */

/*
 * A set of the 27 cells around a cell and it itself: bit i is the cell (i % 3, i / 3 % 3, i / 9) -
 * 1 cells away. Written in octal, a digit is a row along x, three digits are a layer.
 */
#define LIFE3D_CUBE 0777777777u
#define LIFE3D_SELF 13 /* the bit in the middle */

/* The set less those on the sides named: before and after the cell along x, y and z. */
static __device__ __forceinline__ uint32_t life3d_without(bool x0, bool x1, bool y0, bool y1,
                                                          bool z0, bool z1)
{
    uint32_t set = LIFE3D_CUBE;

    set &= x0 ? ~0111111111u : LIFE3D_CUBE;
    set &= x1 ? ~0444444444u : LIFE3D_CUBE;
    set &= y0 ? ~0007007007u : LIFE3D_CUBE;
    set &= y1 ? ~0700700700u : LIFE3D_CUBE;
    set &= z0 ? ~0000000777u : LIFE3D_CUBE;
    set &= z1 ? ~0777000000u : LIFE3D_CUBE;
    return set;
}

/* Those that exist; `closed` says that all do. */
template <bool closed>
static __device__ __forceinline__ uint32_t life3d_present(const struct life3d_space &space,
                                                          const struct cuda_position &spot)
{
    bool dead = !space.torus, cut = !space.ring;

    return closed ? LIFE3D_CUBE
                  : life3d_without(dead && spot.x.before == 0, dead && spot.x.after == 0,
                                   dead && spot.y.before == 0, dead && spot.y.after == 0,
                                   cut && spot.z.before == 0, cut && spot.z.after == 0);
}

/* How many bytes the cell before, the cell itself, and the one after are away along each side. */
struct life3d_steps {
    int64_t x[3], y[3], z[3];
};

static __device__ __forceinline__ void
life3d_step_along(int64_t step[3], struct cuda_edge_distance room, int64_t side, int64_t stride)
{
    int64_t bytes = stride * (int64_t)sizeof(int32_t), across = (side - 1) * bytes;

    step[0] = room.before > 0 ? -bytes : across;
    step[1] = 0;
    step[2] = room.after > 0 ? bytes : -across;
}

static __device__ __forceinline__ struct life3d_steps
life3d_steps_of(struct ca_size size, const struct cuda_position &spot)
{
    struct life3d_steps steps;

    life3d_step_along(steps.x, spot.x, size.w, 1);
    life3d_step_along(steps.y, spot.y, size.h, size.w);
    life3d_step_along(steps.z, spot.z, size.d, size.w * size.h);
    return steps;
}

/*
 * Cell i around `here`, 0 where it is not present: where the lattice ends its place is that of the
 * cell on the other side, so the read is always made, and no branch is taken.
 */
template <bool closed>
static __device__ __forceinline__ int32_t life3d_around(const int32_t *here, uint32_t present,
                                                        const struct life3d_steps &steps, int i)
{
    const char *row = (const char *)here + steps.z[i / 9] + steps.y[i / 3 % 3];
    int32_t cell = *(const int32_t *)(row + steps.x[i % 3]);

    return closed ? cell : cell & (int32_t)(present >> i);
}

#endif
