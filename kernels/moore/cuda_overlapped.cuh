/* SPDX-License-Identifier: MIT */
/*
 * Backend cuda-overlapped of a rule of nine cells: overlapped tiles that stay in registers for
 * several generations.
 *
 * Starting a kernel costs more than a generation of a small lattice, and warps that sweep down its
 * rows would have so few of them that most of their work would be halo. So a block holds all rows
 * of a tile, 32 lanes wide, in registers and takes them through up to dozens of generations. In
 * each of these the first and last row of a lane go to the lanes above and below
 * through shared memory, double buffered, with one barrier:
 *
 *     warp 0   rows 0 ... R - 1     of each lane     ^  halo: as many rows as generations
 *     warp 1   rows R ... 2 R - 1   rows <-> warp 0  |
 *     ...                                            |  the tile's rows, which are stored
 *     warp 7   rows 7 R ... 8 R - 1                  v  halo
 *
 * Neighbouring tiles overlap: each generation spoils one row at either end of a tile, and the rows
 * that are lost by the end of a pass are stored by the tiles above and below. Where the rest of a
 * row is narrower than a warp, a warp holds several segments of it one below the other.
 *
 * Rows a lane and generations a pass are chosen by what they take at least. More
 * generations need fewer launches but more halo. Of a slab each pass between two exchanges has its
 * own number of them: one that stores much of the halos takes fewer, so that its blocks are not
 * more than run at once. All sizes take this path; generations that leave a tile no rows to store
 * are refused. A width that is not a multiple of 128 costs a small kernel more a pass, which fills
 * the halo of rows.
 */
#ifndef CALAB_KERNELS_MOORE_CUDA_OVERLAPPED_CUH
#define CALAB_KERNELS_MOORE_CUDA_OVERLAPPED_CUH

#include "kernels/moore/cuda_bits.cuh"
#include "kernels/moore/cuda_overlapped_step.cuh"

/* A rule's kernels, for 1, 2, 4, 6, 8 and 12 rows a lane. */
#define MOORE_TILE_SHAPES 6
struct moore_overlapped_kernels {
    const char *name;
    int edges; /* groups of words that threads exchange of a row */
    moore_tiles_kernel *step[MOORE_TILE_SHAPES];
};

#define MOORE_OVERLAPPED_KERNELS(name, Rule, dead)                                                 \
    {                                                                                              \
        name, Rule::EDGES,                                                                         \
        {                                                                                          \
            moore_cuda_overlapped_step<Rule, 1, dead>, moore_cuda_overlapped_step<Rule, 2, dead>,  \
                moore_cuda_overlapped_step<Rule, 4, dead>,                                         \
                moore_cuda_overlapped_step<Rule, 6, dead>,                                         \
                moore_cuda_overlapped_step<Rule, 8, dead>,                                         \
                moore_cuda_overlapped_step<Rule, 12, dead>                                         \
        }                                                                                          \
    }

struct moore_overlapped {
    struct moore_bits bits;
    const struct moore_overlapped_kernels *kernels;
    struct moore_overlapped_kernels own_kernels; /* to which `kernels` leads when they are there */
    int shape;                                   /* index of rows a lane */
};

/* The plan of a backend, and what else its operations are. */
enum ca_status moore_overlapped_plan(struct cuda *cuda, const struct moore_rule *rule,
                                     const struct moore_overlapped_kernels *kernels,
                                     const struct moore_own_rule *own, struct ca_error *error);
enum ca_status moore_overlapped_start(struct cuda *cuda, struct ca_error *error);
enum ca_status moore_overlapped_pass(struct cuda *cuda, uint64_t t, int n, struct ca_error *error);
struct cuda_band_sizes moore_overlapped_bands(const struct cuda *cuda, int n);
double moore_overlapped_bound(const struct cuda *cuda, int n);

#define MOORE_OVERLAPPED_OPS(plan_function, access_of_bits)                                        \
    {                                                                                              \
        .state_size = sizeof(struct moore_overlapped), .plan = (plan_function),                    \
        .access = &(access_of_bits), .pass = moore_overlapped_pass, .swap = moore_bits_swap,       \
        .bands = moore_overlapped_bands, .bound = moore_overlapped_bound,                          \
        .start = moore_overlapped_start                                                            \
    }

#endif
