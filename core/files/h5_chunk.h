/* SPDX-License-Identifier: MIT */
/*
 * Chunks of a plane in an HDF5 file: where they lie, and their bytes as HDF5's own filters make
 * them, so that any reader of HDF5 takes them apart again. Pure: no HDF5 here.
 *
 * Values of one bit are packed, eight a byte from the highest bit down (the filter n-bit); floats
 * are shuffled, all first bytes first. Then deflate, left out where it gains nothing, and a
 * Fletcher-32 checksum.
 */
#ifndef CALAB_CORE_FILES_H5_CHUNK_H
#define CALAB_CORE_FILES_H5_CHUNK_H

#include "core/files/rows.h"

#define H5_CHUNK_CELLS (1 << 20)     /* of a chunk that is written, at most; */
#define H5_CHUNK_CELLS_MAX (1 << 24) /* of one that is read */
#define H5_DEFLATE_LEVEL 1

/* Chunks of a plane: `d` layers of `h` rows of `w` cells. A chunk of several layers has whole ones,
 * and one of several rows whole rows. Those at the lattice's end are filled with zeros. */
struct h5_chunks {
    struct ca_size size, chunk; /* of the lattice, and of a chunk */
    enum ca_type type;
    bool packed;
};

struct h5_chunks h5_chunks_of(const struct ca_model *model, struct ca_size size);
/* Whether chunks of a file are of that form. */
bool h5_chunks_allowed(const struct h5_chunks *chunks);

static inline int64_t h5_cells(const struct h5_chunks *chunks) { return ca_cells(chunks->chunk); }
/* Chunks side by side along a row. */
int64_t h5_columns(const struct h5_chunks *chunks);

/* A band: the rows that chunks side by side hold. Bands are counted from the lattice's first row.
 */
struct h5_band {
    int64_t first, rows;
};
int64_t h5_band_of(const struct h5_chunks *chunks, int64_t row);
struct h5_band h5_band(const struct h5_chunks *chunks, int64_t band);

/* Blocks of rows that consist of whole bands. */
struct ca_row_cut h5_cut(const struct h5_chunks *chunks, int64_t bytes);

/* Bytes of a chunk before deflate, and at most as it is stored. */
size_t h5_plain_bytes(const struct h5_chunks *chunks);
size_t h5_stored_bytes(const struct h5_chunks *chunks);
/* Bytes that the next two functions work in. */
size_t h5_work_bytes(const struct h5_chunks *chunks);

/*
 * The stored bytes of column `column` of a band, whose rows `cells` points at; returns how many,
 * and in *deflated whether deflate was of use. 0 without memory.
 */
size_t h5_encode(const struct h5_chunks *chunks, struct h5_band band, int64_t column,
                 const void *cells, void *work, uint8_t *stored, bool *deflated);
/* The reverse. NULL, or what is wrong with the bytes. */
const char *h5_decode(const struct h5_chunks *chunks, struct h5_band band, int64_t column,
                      const uint8_t *stored, size_t bytes, bool deflated, void *work, void *cells);

#endif
