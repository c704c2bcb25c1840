/* SPDX-License-Identifier: MIT */
/*
 * Patterns of Golly: run-length encoded, .rle in two dimensions and .rle3 in three.
 *
 * A pattern stands in a lattice of its own where the file says so: a torus by the suffix :TW,H of
 * the rule, about whose middle `Pos` of a line #CXRLE counts, or the cube of an .rle3's first line,
 * from whose corner `pos` counts. Otherwise, and without a position, it goes to the middle of the
 * lattice that is wanted. The generation is written, and ignored. As in Golly the cells may reach
 * beyond the box that the header says, which grows with them, and the final ! may be missing, but
 * no cell behind a count.
 */
#ifndef CALAB_CORE_FILES_RLE_H
#define CALAB_CORE_FILES_RLE_H

#include "core/files/rows.h"

/* *size: in, the lattice that is wanted; out, that of the file, or, where a pattern without a
 * lattice of its own is larger, its own sides. CA_IO with the line. */
enum ca_status ca_rle_size(const char *path, const struct ca_model *model, struct ca_size *size,
                           struct ca_error *error);
/* Reads it into a lattice of a size that ca_rle_size has told. CA_IO with the line; the sink may
 * have got rows before that. */
enum ca_status ca_rle_read(const char *path, const struct ca_model *model, struct ca_size size,
                           const struct ca_row_sink *sink, struct ca_error *error);
/* The same for the box of cells alone, without its lattice and place. */
enum ca_status ca_rle_box_size(const char *path, const struct ca_model *model, struct ca_size *size,
                               struct ca_error *error);
enum ca_status ca_rle_box_read(const char *path, const struct ca_model *model,
                               const struct ca_row_sink *sink, struct ca_error *error);
/* The rule of the file without the suffix of its torus; "" where it has none. CA_IO. */
enum ca_status ca_rle_rule(const char *path, const struct ca_model *model, char rule[CA_TEXT_MAX],
                           struct ca_error *error);

/* CA_USAGE where Golly has no such lattice: one that is no torus or, in three dimensions, no cube.
 */
enum ca_status ca_rle_check(const struct ca_setup *setup, struct ca_error *error);
/* Writes the live cells as Golly does: their bounding box, its place, rule, torus and, but for the
 * first, generation. CA_USAGE as above, CA_IO, CA_NO_MEMORY. */
enum ca_status ca_rle_write(const char *path, const struct ca_row_source *source,
                            struct ca_error *error);

#endif
