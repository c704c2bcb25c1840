/* SPDX-License-Identifier: MIT */
/* Rows of all planes in separate memory, poisoned, with guard bands before and behind. */
#ifndef CALAB_CORE_VERIFY_GUARDED_BUFFER_H
#define CALAB_CORE_VERIFY_GUARDED_BUFFER_H

#include "core/model/lattice.h"

struct verify_buffer {
    uint8_t *block;             /* guard, rows, guard for each plane */
    void *plane[CA_PLANES_MAX]; /* the planes that a backend gets */
    int planes;
    size_t guard, bytes; /* of one plane */
};

/* Allocates `rows` rows of such a lattice. CA_NO_MEMORY. */
enum ca_status verify_buffer_open(struct verify_buffer *buffer, const struct ca_lattice *like,
                                  int64_t rows, struct ca_error *error);
void verify_buffer_close(struct verify_buffer *buffer);
/* Fills from, copies to, and compares with the rows of a state from `row` on. */
void verify_buffer_fill(struct verify_buffer *buffer, const struct ca_lattice *state, int64_t row);
void verify_buffer_take(const struct verify_buffer *buffer, struct ca_lattice *state, int64_t row);
bool verify_buffer_equals(const struct verify_buffer *buffer, const struct ca_lattice *state,
                          int64_t row);
/* Whether the guard bands are intact. */
bool verify_buffer_kept(const struct verify_buffer *buffer);

#endif
