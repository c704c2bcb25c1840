/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced stepper: what plain.h is to bytes, for planes of cells that are 0 or 1.
 *
 * It keeps each plane twice as bit rows, reads one copy and writes the other, closes the rows that
 * were written, and calls the backend's pass, which is all that a backend has to bring. Members of
 * the team own disjoint bands of rows and meet at a barrier after each generation.
 */
#ifndef CALAB_KERNELS_SLICED_H
#define CALAB_KERNELS_SLICED_H

#include <stdbool.h>

#include "core/model.h"
#include "kernels/common/bits.h"
#include "kernels/common/team.h"

struct sliced;

struct sliced_rule {
    /* Rows first ... last - 1 of the slab, the step from generation t to t + 1; from now to next.
     */
    void (*pass)(const struct sliced *sliced, int64_t first, int64_t last, uint64_t t);
    bool (*torus)(const struct ca_setup *setup); /* whether x is closed; NULL: always */
    size_t context_size;                         /* of what prepare makes from the setup, or 0 */
    void (*prepare)(const struct ca_setup *setup, void *context);
};

struct sliced {
    const struct sliced_rule *rule;
    struct ca_setup setup;
    struct ca_size size; /* of the slab */
    int planes;
    bool torus;
    struct bits now[CA_PLANES_MAX], next[CA_PLANES_MAX]; /* a row more than the slab's: empty */
    void *context;
    struct team *team;
};

/* threads as team_create's count. */
enum ca_status sliced_create(void **self, const struct ca_setup *setup,
                             const struct sliced_rule *rule, int threads, struct ca_error *error);
void sliced_destroy(void *self);
enum ca_status sliced_load(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error);
enum ca_status sliced_store(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error);
enum ca_status sliced_step(void *self, uint64_t t, uint64_t n, struct ca_error *error);

/* Row r of a plane as it is now; the empty row for r = -1, as plain_layer says "there is none". */
static inline const uint64_t *sliced_row(const struct sliced *sliced, int plane, int64_t r)
{
    return bits_row(&sliced->now[plane], r < 0 ? ca_rows(sliced->size) : r);
}

#endif
