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

struct sliced;

#define SLICED_PLANES_MAX 8

struct sliced_rule {
    /* Rows first ... last - 1 of the slab, the step from generation t to t + 1; from now to next.
     */
    void (*pass)(const struct sliced *sliced, int64_t first, int64_t last, uint64_t t);
    int bits;  /* of a value of the model; 0 counts as 1 */
    int fixed; /* the last bit planes, which no step changes: they have no next */
    /* The same for n = 1 ... `generations` generations; closes the rows it writes by itself. */
    void (*blocked)(const struct sliced *sliced, int64_t first, int64_t last, uint64_t t, int n,
                    void *scratch);
    /* For blocked: sets generations, group_rows and scratch_bytes; `wanted` 0: chosen by size. */
    void (*plan)(struct sliced *sliced, int wanted);
    bool (*torus)(const struct ca_setup *setup); /* whether x is closed; NULL: always */
    size_t context_size;                         /* of what prepare makes from the setup, or 0 */
    void (*prepare)(const struct ca_setup *setup, void *context);
};

struct sliced {
    const struct sliced_rule *rule;
    struct ca_setup setup;
    struct ca_size size;  /* of the slab */
    int planes, changing; /* bit planes; those before the fixed ones */
    bool torus;
    struct bits memory[2];                                       /* of all planes now and next */
    struct bits now[SLICED_PLANES_MAX], next[SLICED_PLANES_MAX]; /* the last row of each is empty */
    void *context;
    struct team *team;
    int generations;      /* of one pass */
    int64_t group_rows;   /* that a blocked pass takes at once through all its generations */
    bool streams;         /* larger than all caches: results are written past them */
    size_t scratch_bytes; /* of each member */
    void **scratch;
};

/* threads as team_create's count, but 0 takes no more members than the lattice gives work to. */
enum ca_status sliced_create(void **self, const struct ca_setup *setup,
                             const struct sliced_rule *rule, int threads, struct ca_error *error);
void sliced_destroy(void *self);
enum ca_status sliced_load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error);
enum ca_status sliced_store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error);
enum ca_status sliced_step(void *self, uint64_t t, uint64_t n, struct ca_error *error);
int sliced_generations(const void *self);

/* Row r of a plane as it is now; the empty row for r = -1, as plain_layer says "there is none". */
static inline const uint64_t *sliced_row(const struct sliced *sliced, int plane, int64_t r)
{
    return bits_row(&sliced->now[plane], r < 0 ? ca_rows(sliced->size) : r);
}

#endif
