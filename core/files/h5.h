/* SPDX-License-Identifier: MIT */
/*
 * HDF5 files of a state (.h5): all its planes, the run that it belongs to, its generation and hash.
 *
 *     /VTKHDF             a VTKHDF ImageData of a point more than cells a side, as ParaView opens
 * it /VTKHDF/CellData    a dataset a plane, by its name, of shape (H, W) or (D, H, W) /calab
 * attributes: version, model, seed, init, at, init_generation, generation, modified,
 *                         hash /calab/parameters   an
 * attribute a parameter of the model: a double or a text
 *
 * Planes are stored in chunks (core/files/h5_chunk.h), which all cores compress and check side by
 * side. A file is written and read by blocks of rows. What cannot be read is CA_IO.
 */
#ifndef CALAB_CORE_FILES_H5_H
#define CALAB_CORE_FILES_H5_H

#include "core/files/file.h"

/* The functions of the format (core/files/formats.h). The model is that of the file, or CA_IO. */
enum ca_status ca_h5_run(const char *path, struct ca_state_run *run, struct ca_error *error);
enum ca_status ca_h5_size(const char *path, const struct ca_model *model, struct ca_size *size,
                          struct ca_error *error);
/* The rows are those that were written, or CA_IO: each chunk has a checksum, and the hash of all is
 * compared at the end. The sink may have got rows before a failure. */
enum ca_status ca_h5_read(const char *path, const struct ca_model *model, struct ca_size size,
                          const struct ca_row_sink *sink, uint64_t *generation,
                          struct ca_error *error);
/* The rows must be of a run: source->setup. Not to a pipe or a device: CA_IO. */
enum ca_status ca_h5_write(const char *path, const struct ca_model *model,
                           const struct ca_row_source *source, struct ca_error *error);

#endif
