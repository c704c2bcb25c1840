/* SPDX-License-Identifier: MIT */
/*
 * Planes of bits: what cuda-bitslice and cuda-blocked of life3d share. A cell is a bit, and a
 * generation is read from one copy of the lattice and written to the other.
 *
 * Rows of 129 to 4096 cells, four of them at least in four layers at least, are swept (sweep.cuh):
 * a row is as many groups as a part of a warp has lanes, 4, 8, 16 or 32 of them, each of two or
 * four words, and in a group of n words cell x is bit x div n of word x mod n. So most neighbours
 * in x are at the same bit of a word that the lane has, and the rest a shift away:
 *
 *     word  0  1 | 0  1 |          bit
 *     cell  0  1 | 64 . |   ...     0         left of word 0: word 1, a bit up, with the last bit
 *           2  3 | .    |           1           of the lane before
 *           .    |      |                     right of word 1: word 0, a bit down
 *          62 63 | .    |   ...    31
 *
 * Ghost rows above and below each layer repeat the rows of its other end, kept by those who write
 * them; with dead walls they are empty for ever, as is one layer behind the last.
 *
 * Other rows are whole words, cell x at bit x mod 32 of word x div 32, and a thread takes a word of
 * two layers through a generation. All sizes and boundaries are exact either way.
 */
#ifndef CALAB_KERNELS_LIFE3D_PLANES_CUH
#define CALAB_KERNELS_LIFE3D_PLANES_CUH

#include "kernels/cuda/stepper.cuh"
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/words.cuh"

#define PLANES_GHOSTS 4 /* rows above and below a layer that is swept */

/* How a row ends, for sweeps. */
enum life3d_seam {
    LIFE3D_RING,   /* closed, and its last cell is a word's last of the last lane */
    LIFE3D_WALL,   /* dead, and its last cell is a word's last */
    LIFE3D_RAGGED, /* any */
    LIFE3D_SEAMS
};

/* Where cells stand. */
struct life3d_field {
    int64_t w, h, d;
    int words;          /* of a group */
    int lanes;          /* of a row; 0: not swept */
    int64_t row, plane; /* words from one to the next */
    int64_t first;      /* the word where cell 0 is */
    bool torus;         /* in x and y */
    bool ring;          /* in z, which is cut where the lattice is shared out as slabs */
};

/* What a sweep is told: blocks go down `chunk` layers. */
struct life3d_sweep {
    struct life3d_field field;
    int64_t chunk;
    int last;         /* the lane that has a row's last cell */
    word last_bit[4]; /* what its words are multiplied with, so that this is a word's last bit */
    word valid[4];    /* what of its words are cells */
    word beyond[4];   /* the bit that follows the last cell, of a torus, if it has it */
};

typedef void life3d_sweep_kernel(const word *__restrict__ now, word *__restrict__ next,
                                 const struct life3d_sweep sweep, const struct life3d_masks masks);

/* Steps a small lattice so many generations. */
typedef void life3d_small_kernel(const word *now, word *next, const struct life3d_field field,
                                 const struct life3d_masks masks, int generations);

/* For small lattices, which stay in registers: cube.cuh and cluster.cuh. */
struct life3d_small {
    life3d_small_kernel *kernel; /* NULL: there is none */
    unsigned blocks, threads;    /* more than one block: a cluster */
    size_t shared;               /* bytes of memory of a block */
};

/* Cycles of a pass beside what it is for: launches, and until a block's first cells have come. */
#define LIFE3D_PASS_CYCLES 5600.0

#define SWEPT_WORDS 8 /* of a thread and layer */

/* The same of a lattice in bricks, which overlap by `halo` rows and layers (brick.cuh). */
typedef void life3d_brick_kernel(const word *__restrict__ now, word *__restrict__ next,
                                 const struct life3d_field field, const struct life3d_masks masks,
                                 int halo, int generations);

/* A kernel with its shape. */
struct life3d_swept {
    life3d_sweep_kernel *kernel;
    int threads, generations;
    size_t shared;       /* bytes of memory of a block */
    double operations;   /* of a word and layer: what it takes in a block that has company, or if
                            there is none, alone */
    int rows;            /* that a block gives, of lattices with rows of so many lanes */
    uint32_t row_blocks; /* that a layer takes */
    int64_t chunk;       /* layers that a block goes down */
    double cycles;       /* of a pass, about */
};

struct life3d_planes {
    word *now, *next;
    struct life3d_field field;
    enum life3d_made made;
    struct life3d_masks masks;
    struct life3d_swept swept[2]; /* of one and two generations, where there are such sweeps */
    struct life3d_sweep sweep;
    struct life3d_small small;
    life3d_brick_kernel *brick; /* where there is one, and it is good */
    int generations;            /* of a pass, at most */
};

/* In a plan: lays the lattice out, reads the rule and wants the memory. */
enum ca_status life3d_planes_plan(struct cuda *cuda, struct ca_error *error);
/* Blocks of a kernel that a multiprocessor has room for, 1 at least; the kernel may then have so
 * much shared memory. */
enum ca_status life3d_planes_resident(struct cuda *cuda, const void *kernel, int threads,
                                      size_t shared, int *resident, struct ca_error *error);
/* Adds to a swept kernel how its blocks cut the lattice: `layers` each, or 0: chosen. */
enum ca_status life3d_planes_cut(struct cuda *cuda, struct life3d_swept *swept, int64_t layers,
                                 struct ca_error *error);
enum life3d_seam life3d_seam_of(const struct life3d_field *field);
/* The sweep of one generation for this lattice and rule. */
struct life3d_swept life3d_sweep_of(const struct life3d_planes *own);

/* Makes the ghost rows of `now` again, as loading cells does not. */
enum ca_status life3d_planes_close(struct cuda *cuda, struct ca_error *error);
/* After a pass. */
void life3d_planes_turn(struct life3d_planes *own);
/* A generation of a lattice that is not swept. */
enum ca_status life3d_planes_words(struct cuda *cuda, struct ca_error *error);
/* As many generations as the kernel is made for. */
enum ca_status life3d_planes_pass(struct cuda *cuda, const struct life3d_swept *swept,
                                  struct ca_error *error);

enum ca_status life3d_planes_load(struct cuda *cuda, void *const planes[], int64_t first,
                                  int64_t rows, struct ca_error *error);

/* Sums of nine, on their way through shared memory. */
static __device__ __forceinline__ uint4 life3d_put_nine(struct life3d_sum9 nine)
{
    return make_uint4(nine.l.low, nine.l.high, nine.h.low, nine.h.high);
}

static __device__ __forceinline__ struct life3d_sum9 life3d_get_nine(uint4 nine)
{
    return {{nine.x, nine.y}, {nine.z, nine.w}};
}

struct life3d_planes_cells {
    typedef uint8_t value;
    const word *cells;
    struct life3d_field field;

    static struct life3d_planes_cells of(const struct cuda *cuda)
    {
        const struct life3d_planes *own = (const struct life3d_planes *)cuda->own;

        return {own->now, own->field};
    }
    __device__ uint8_t get(int, int64_t x, int64_t row) const
    {
        int64_t group = 32 * field.words, z = row / field.h, y = row - z * field.h;
        const word *at = cells + field.first + z * field.plane + y * field.row;

        return at[x / group * field.words + x % field.words] >> (x % group / field.words) & 1;
    }
};

/* The functions of a rule whose plan and step are given. */
#define LIFE3D_PLANES(plan_function, step_function)                                                \
    {                                                                                              \
        .own_size = sizeof(struct life3d_planes), .plan = (plan_function),                         \
        .load = life3d_planes_load, .store = cuda_cells<life3d_planes_cells>::store,               \
        .gather = cuda_cells<life3d_planes_cells>::gather, .step = (step_function)                 \
    }

#endif
