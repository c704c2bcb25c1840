/* SPDX-License-Identifier: MIT */
/* Rows of all planes in memory of their own, poisoned, with guard bands before and behind. */
#ifndef CALAB_CORE_VERIFY_GUARDED_BUFFER_H
#define CALAB_CORE_VERIFY_GUARDED_BUFFER_H

#include "core/model/lattice.h"

struct verify_buffer {
    uint8_t *block;             /* guard, rows, guard for each plane */
    void *plane[CA_PLANES_MAX]; /* what a backend gets */
    int planes;
    size_t guard, bytes; /* of one plane */
};

/* For `rows` rows of a lattice like that. CA_NO_MEMORY. */
enum ca_status verify_buffer_open(struct verify_buffer *buffer, const struct ca_lattice *like,
                                  int64_t rows, struct ca_error *error);
void verify_buffer_close(struct verify_buffer *buffer);
/* In from, out to, and compared with the rows of a state from `row` on. */
void verify_buffer_fill(struct verify_buffer *buffer, const struct ca_lattice *state, int64_t row);
void verify_buffer_take(const struct verify_buffer *buffer, struct ca_lattice *state, int64_t row);
bool verify_buffer_equals(const struct verify_buffer *buffer, const struct ca_lattice *state,
                          int64_t row);
/* Whether the guard bands are as they were. */
bool verify_buffer_kept(const struct verify_buffer *buffer);

#endif
