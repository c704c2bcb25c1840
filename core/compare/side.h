/* SPDX-License-Identifier: MIT */
/*
 * A side of a comparison: a simulation of this process, an engine, a backend in a check, a kernel
 * of a lab.
 *
 * A driver asks a side for an operation by one of its functions, which may return before the
 * operation has ended, and takes the result when it has (core/compare/drive.h). A side has the
 * functions that its comparisons ask for; the others may be NULL.
 */
#ifndef CALAB_CORE_COMPARE_SIDE_H
#define CALAB_CORE_COMPARE_SIDE_H

#include "core/machine/interference.h"
#include "core/model/lattice.h"

/* Cells x ... x + columns - 1 of rows first ... first + rows - 1. */
struct ca_block_of_cells {
    int64_t first, rows, x, columns;
};

struct ca_side_result {
    double seconds;                /* of a burst */
    struct ca_interference others; /* meanwhile */
    uint64_t digest;
    const void *cells; /* canonical values, plane after plane, row after row */
};

struct ca_side {
    void *self;
    enum ca_status (*step)(void *self, uint64_t generations, struct ca_error *error); /* a call */
    /* Calls that are timed, from the state that was marked, or any other. */
    enum ca_status (*burst)(void *self, uint64_t generations, uint64_t calls,
                            struct ca_error *error);
    enum ca_status (*back)(void *self, struct ca_error *error); /* to the state that was marked */
    enum ca_status (*digest)(void *self, int64_t first, int64_t rows, struct ca_error *error);
    enum ca_status (*cells)(void *self, const struct ca_block_of_cells *block,
                            struct ca_error *error);
    /* The whole state in, at a generation, and out. */
    enum ca_status (*load)(void *self, const struct ca_lattice *state, uint64_t generation,
                           struct ca_error *error);
    enum ca_status (*store)(void *self, struct ca_lattice *state, struct ca_error *error);
    /* Fills in what the operation that has ended last has found. */
    enum ca_status (*result)(void *self, struct ca_side_result *result, struct ca_error *error);
};

/* Called with what is done before each call of a backend; false stops. */
typedef bool ca_watch(void *context, const char *what);

#endif
