/* SPDX-License-Identifier: MIT */
/*
 * HDF5 files of a state (.h5): all its planes, the run that it belongs to, its generation and hash.
 *
 *     /VTKHDF             a VTKHDF ImageData of a point more than cells a side, as ParaView opens
 *                         it
 *     /VTKHDF/CellData    a dataset a plane, by its name, of shape (H, W) or (D, H, W)
 *     /calab              attributes: version, model, seed, init, at, init_generation, generation,
 *                         modified, hash
 *     /calab/model_source of a model that a file describes the bytes of that file, whose path and
 *                         digest are the attributes model_file and model_digest
 *     /calab/parameters   an attribute a parameter of the model: a double or a text
 *
 * Planes are stored in chunks (core/files/h5_chunk.h), which all cores compress and check side by
 * side: each has a checksum, and the hash of all is compared at the end. A file is written and read
 * by blocks of rows, never to a pipe or a device. What cannot be read is CA_IO.
 *
 * HDF5 as the files of this folder use it: open files, attributes, and the library's error stack
 * as one line of ours. The library prints nothing. Inside core/files/h5_*.c only.
 *
 * Functions that return a bool leave it to h5_fail to tell the cause of a failure.
 */
#ifndef CALAB_CORE_FILES_H5_FILE_H
#define CALAB_CORE_FILES_H5_FILE_H

#include <hdf5.h>

#include "core/files/h5_chunk.h"

/* HDF5 writes to an open descriptor by a driver of our own. After a write has failed, the driver
 * drops what follows and reports success, since HDF5 1.10 cannot close a file whose last writes
 * fail; `cause` keeps the errno. */
struct h5_target {
    int fd;
    int *cause; /* 0, or why a write has failed */
};

#define H5_STATE_VERSION 1 /* of the group calab */
#define H5_PLANES "/VTKHDF/CellData"
#define H5_RUN "/calab"
#define H5_PARAMETERS "/calab/parameters"
#define H5_SOURCE "model_source" /* of the group calab: the text of the model's file */

/* Errors are those of a thread: each thread calls this before it calls HDF5. It forgets those of
 * before. */
void h5_quiet(void);

/* CA_IO: "PATH: WHAT: the innermost cause of the library's first failure". */
#define h5_fail(path, what, error) (h5_error_set(path, what, error), CA_IO)
void h5_error_set(const char *path, const char *what, struct ca_error *error);

/* CA_NO_MEMORY where there is none for what the library allocates without looking whether it can.
 */
enum ca_status h5_room(const char *path, struct ca_error *error);
/* H5I_INVALID_HID after a failure. Closing a file closes what is open in it, but no spaces, types
 * and lists of properties. */
hid_t h5_open(const char *path);
hid_t h5_create(const struct h5_target *target);

/* Attributes of an object. A text has fewer than CA_TEXT_MAX bytes. */
bool h5_put_text(hid_t object, const char *name, const char *text);
bool h5_put_number(hid_t object, const char *name, hid_t type, int count, const void *values);
bool h5_get_text(hid_t object, const char *name, char text[CA_TEXT_MAX]);
bool h5_get_number(hid_t object, const char *name, hid_t type, void *value);

/* Which file the model is of, and its text (h5_source.c). */
bool h5_put_source(hid_t run, const struct ca_model_source *source);
/* The open model of the file with that name and digest or, where models are trusted, the one of the
 * text that is kept. CA_IO, which says what is to be given; CA_COMPILE. */
enum ca_status h5_source_open(const struct ca_model **model, hid_t run, const char *path,
                              const char *name, uint64_t digest, struct ca_error *error);

/* Sizes along the axes of a plane as HDF5 counts them, the slowest first; returns the axes. */
int h5_axes(hsize_t axes[3], const struct ca_model *model, struct ca_size size);
/* The filters of a plane in their order, which h5_encode follows; how many in *count. */
const H5Z_filter_t *h5_filters(const struct h5_chunks *chunks, int *count);
/* The bit of deflate in the mask of filters that a chunk leaves out. */
uint32_t h5_deflate_bit(const struct h5_chunks *chunks);
/* Finds where a chunk begins, in cells. */
void h5_chunk_at(hsize_t at[3], const struct ca_model *model, const struct h5_chunks *chunks,
                 struct h5_band band, int64_t column);

#endif
