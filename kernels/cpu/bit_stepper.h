/* SPDX-License-Identifier: MIT */
/*
 * The bit stepper: what byte_stepper.h is for bytes, for planes of cells that are 0 or 1.
 *
 * It keeps each plane twice as bit rows, reads one copy and writes the other, and calls the
 * backend's pass. The workers of the thread pool own disjoint bands of rows; a barrier follows each
 * pass. Each worker swaps the two copies in its own copy of the stepper, so one barrier is enough:
 * behind it every worker has finished reading what the next pass overwrites.
 *
 * A pass may take several generations (temporal blocking): such a backend has a plan and
 * GENERATIONS_OPTION among its options. Each worker then has a scratch buffer, so that the
 * generations between t and t + n stay in its core's caches.
 *
 * Where a model's byte holds several bits, each of them is a bit plane: bit b of the model's plane
 * p is bit plane p * bits + b. Row r of all bit planes is contiguous in memory.
 */
#ifndef CALAB_KERNELS_CPU_BIT_STEPPER_H
#define CALAB_KERNELS_CPU_BIT_STEPPER_H

#include <stdbool.h>

#include "core/model/model.h"
#include "kernels/cpu/bit_rows.h"
#include "kernels/cpu/mark.h"
#include "core/machine/thread_pool.h"
#include "kernels/cpu/word_rows.h"

struct bit_stepper;

#define BIT_PLANES_MAX 8

struct bit_ops {
    int lanes; /* of the backend's word, 64 bits each */
    /*
     * Rows first ... last - 1 of the slab from generation t to t + n, n = 1 ... `generations`;
     * reads `now`, writes `next` and the halo of the rows in it.
     */
    void (*pass)(const struct bit_stepper *stepper, int64_t first, int64_t last, uint64_t t, int n,
                 void *scratch);
    int bits;  /* of a value of the model; 0 counts as 1 */
    int fixed; /* the last bit planes, which no step changes: they have no `next` */
    /* Sets generations, group_rows, streams and scratch_bytes; `requested` generations, 0: chosen
     * by size. NULL: one generation. */
    void (*plan)(struct bit_stepper *stepper, int requested);
    /* The operations of a setup, as a multiple of the backend's. NULL: 1. */
    double (*work)(const struct ca_setup *setup);
    /* Whether the lattice is a torus, so that rows are periodic; NULL: they are. */
    bool (*torus)(const struct ca_setup *setup);
    size_t context_size; /* of what prepare makes from the setup, or 0 */
    void (*prepare)(const struct ca_setup *setup, void *context);
};

struct bit_stepper {
    struct word_rows rows; /* first: see word_rows.h */
    const struct bit_ops *ops;
    struct ca_setup setup;
    struct ca_size size;       /* of the slab */
    int planes, changing;      /* bit planes, and those before the fixed ones */
    struct bit_rows memory[2]; /* of all planes of now, and next */
    struct bit_rows now[BIT_PLANES_MAX], next[BIT_PLANES_MAX]; /* the last row of each is empty */
    struct mark mark;
    int marked; /* which memory the changing planes of the mark were in */
    void *context;
    int threads;
    struct ca_thread_pool *thread_pool;
    int generations;    /* of one pass */
    int64_t group_rows; /* that a pass takes through all its generations at a time; 0: row by row */
    bool streams;       /* the lattice exceeds all caches: results take non-temporal stores */
    size_t scratch_bytes; /* of each worker */
    void **scratch;
};

/* Takes the option `threads` where the backend has it. `ops` is a struct bit_ops. */
extern const struct ca_stepper bit_stepper;

/* Row r of a plane as it is now; an empty row for r = -1, which slab_layer gives beyond the slab.
 */
static inline const uint64_t *bit_row(const struct bit_stepper *stepper, int plane, int64_t r)
{
    return bit_rows_at(&stepper->now[plane], r < 0 ? ca_rows(stepper->size) : r);
}

#endif
