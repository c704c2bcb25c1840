/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced stepper: what plain.h is to bytes, for planes of cells that are 0 or 1.
 *
 * It keeps each plane twice as bit rows, reads one copy and writes the other, closes the rows that
 * were written, and calls the backend's pass, which is all that a backend has to bring. Members of
 * the team own disjoint bands of rows and meet at a barrier after each pass. The two copies change
 * roles in each member's own view of the stepper, so that one barrier is enough: who has passed it
 * may write what all have finished reading.
 *
 * A backend that can take several generations in one pass over the lattice brings `blocked` in
 * place of `pass`, and GENERATIONS_OPTION in its options. Each member then has a scratch of its
 * own, so that what lies between generation t and t + n stays in its core's caches.
 *
 * Where a model's byte holds several bits, each of them is a bit plane: bit b of the model's plane
 * p is bit plane p * bits + b. All bit planes' rows r stand side by side in memory.
 */
#ifndef CALAB_KERNELS_CPU_BIT_STEPPER_H
#define CALAB_KERNELS_CPU_BIT_STEPPER_H

#include <stdbool.h>

#include "core/model/model.h"
#include "kernels/cpu/bit_rows.h"
#include "kernels/cpu/thread_pool.h"

struct bit_stepper;

#define BIT_PLANES_MAX 8

struct bit_ops {
    /* Rows first ... last - 1 of the slab, the step from generation t to t + 1; from now to next.
     */
    void (*pass)(const struct bit_stepper *stepper, int64_t first, int64_t last, uint64_t t);
    int bits;  /* of a value of the model; 0 counts as 1 */
    int fixed; /* the last bit planes, which no step changes: they have no next */
    /* The same for n = 1 ... `generations` generations; closes the rows it writes by itself. */
    void (*blocked)(const struct bit_stepper *stepper, int64_t first, int64_t last, uint64_t t,
                    int n, void *scratch);
    /* For blocked: sets generations, group_rows and scratch_bytes; `wanted` 0: chosen by size. */
    void (*plan)(struct bit_stepper *stepper, int wanted);
    bool (*torus)(const struct ca_setup *setup); /* whether x is closed; NULL: always */
    size_t context_size;                         /* of what prepare makes from the setup, or 0 */
    void (*prepare)(const struct ca_setup *setup, void *context);
};

struct bit_stepper {
    const struct bit_ops *ops;
    struct ca_setup setup;
    struct ca_size size;  /* of the slab */
    int planes, changing; /* bit planes; those before the fixed ones */
    bool torus;
    struct bit_rows memory[2];                                 /* of all planes now and next */
    struct bit_rows now[BIT_PLANES_MAX], next[BIT_PLANES_MAX]; /* the last row of each is empty */
    void *context;
    struct thread_pool *thread_pool;
    int generations;      /* of one pass */
    int64_t group_rows;   /* that a blocked pass takes at once through all its generations */
    bool streams;         /* larger than all caches: results are written past them */
    size_t scratch_bytes; /* of each member */
    void **scratch;
};

/* Takes an option `threads` if the backend has one: 0, or as many threads as the lattice gives work
 * to. A backend without the option has one thread. `ops` is a struct bit_ops. */
extern const struct ca_stepper bit_stepper;

/* Row r of a plane as it is now; the empty row for r = -1, as slab_layer says "there is none". */
static inline const uint64_t *bit_row(const struct bit_stepper *stepper, int plane, int64_t r)
{
    return bit_rows_row(&stepper->now[plane], r < 0 ? ca_rows(stepper->size) : r);
}

#endif
