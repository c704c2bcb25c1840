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
#include "core/machine/thread_pool.h"

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

/* A band: the rows that chunks side by side hold. Bands are counted from the lattice's first row.
 */
struct h5_band {
    int64_t first, rows;
};

size_t h5_stored_bytes(const struct h5_chunks *chunks);

/*
 * A block of rows on its way to an HDF5 file or from one: its chunks, which all cores encode or
 * decode side by side, and the digest of all rows so far.
 */
struct h5_item {
    struct h5_band band;
    int64_t column;
    int plane;
    bool deflated;
    uint8_t *stored;   /* h5_stored_bytes at most */
    size_t bytes;      /* of it */
    const char *wrong; /* with these bytes; NULL: nothing */
};

/* The chunks of so many rows. */
struct h5_batch {
    struct h5_item *item;
    int64_t items, capacity;
    uint8_t *stored; /* of each item */
};

struct h5_block {
    const char *path;      /* for messages */
    struct ca_setup setup; /* model and size */
    struct h5_chunks chunks;
    struct ca_thread_pool *pool;
    _Atomic uint64_t digest;

    void *const *planes; /* at row `first` */
    int64_t first, rows;
    struct h5_batch batch, before; /* present, and encoded before it */
    uint8_t *work;                 /* of each thread */
    _Atomic int64_t next, next_row;
    void (*meanwhile)(void *context);
    void *context;
};

/* CA_NO_MEMORY. h5_block_close takes a zeroed block, too. */
enum ca_status h5_block_open(struct h5_block *block, const char *path, const struct ca_model *model,
                             const struct h5_chunks *chunks, struct ca_error *error);
void h5_block_close(struct h5_block *block);

/* Cuts the rows, with enough of them for all threads. */
struct ca_row_cut h5_block_cut(const struct h5_block *block);

/* The chunks of so many rows, of whole bands; CA_NO_MEMORY. */
enum ca_status h5_block_list(struct h5_block *block, void *const planes[], int64_t first,
                             int64_t rows, struct ca_error *error);
/* Fills `stored` of each item from the planes, and then is `before`. One of the threads, that of
 * the caller, begins with meanwhile(context), which may take what is before until then.
 * CA_NO_MEMORY. */
enum ca_status h5_block_encode(struct h5_block *block, void (*meanwhile)(void *context),
                               void *context, struct ca_error *error);
/* The reverse. CA_IO with the chunk's place for what is wrong. */
enum ca_status h5_block_decode(struct h5_block *block, struct ca_error *error);

#endif
