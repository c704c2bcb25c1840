/* SPDX-License-Identifier: MIT */
/*
 * Patterns: the cells of a state file, without the lattice that the file may say it is in, which go
 * to a cell of another lattice.
 */
#ifndef CALAB_CORE_FILES_PATTERN_H
#define CALAB_CORE_FILES_PATTERN_H

#include "core/files/rows.h"

/* The sides of the pattern: of all cells of the file or, in Golly's formats, of their box. CA_IO.
 */
enum ca_status ca_pattern_size(const char *path, const struct ca_model *model, struct ca_size *size,
                               struct ca_error *error);
/* Reads all of it, unchecked by the model; *cells is allocated here. CA_IO, CA_NO_MEMORY. */
enum ca_status ca_pattern_read(const char *path, const struct ca_model *model,
                               struct ca_lattice *cells, struct ca_error *error);

/*
 * Whether a file can be put at a cell of the setup's lattice. CA_USAGE where it has the state of a
 * whole run, where it is larger than the lattice, or reaches beyond an edge that is not closed, or
 * where its rows would become others; CA_IO.
 */
enum ca_status ca_pattern_fits(const char *path, const struct ca_setup *setup, struct ca_at at,
                               struct ca_error *error);
/*
 * The rows of a lattice that is zero but for the pattern at a cell, on a torus round its edges, on
 * their way to `sink`; the model checks them as those of a state file. sink NULL: they are checked
 * alone. Errors as above.
 */
enum ca_status ca_pattern_place(const char *path, const struct ca_setup *setup, struct ca_at at,
                                const struct ca_row_sink *sink, struct ca_error *error);

#endif
