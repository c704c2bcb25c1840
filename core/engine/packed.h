/* SPDX-License-Identifier: MIT */
/*
 * Rows of a state as the bytes of a message: row after row, of each its planes. A u8 plane is its
 * bits, the lowest first, cell x at bit x mod 8 of byte x div 8; bits beyond the row are 0. An f32
 * plane is 4 bytes a cell, the low one first. Messages, not files: both ends check what they hold.
 */
#ifndef CALAB_CORE_ENGINE_PACKED_H
#define CALAB_CORE_ENGINE_PACKED_H

#include "core/model/model.h"

#define CA_PACKED_MAX (INT64_C(1) << 30) /* bytes of a state that travels */

/* Bytes of a row of w cells, and of a state. */
int64_t ca_packed_row(const struct ca_model *model, int64_t w);
double ca_packed_state(const struct ca_model *model, struct ca_size size);
/* CA_USAGE, with the bytes, for a state of more than CA_PACKED_MAX. */
enum ca_status ca_packed_check(const struct ca_model *model, struct ca_size size,
                               struct ca_error *error);

/* planes[] point at the first of so many rows, bytes at rows * ca_packed_row. CA_NO_MEMORY. */
enum ca_status ca_rows_pack(uint8_t *bytes, const struct ca_model *model, int64_t w,
                            const void *const planes[], int64_t rows, struct ca_error *error);
/* CA_USAGE for a value that the model does not have: row and cell count from the first. */
enum ca_status ca_rows_unpack(const uint8_t *bytes, const struct ca_model *model, int64_t w,
                              void *const planes[], int64_t rows, struct ca_error *error);

#endif
