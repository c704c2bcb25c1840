/* SPDX-License-Identifier: MIT */
/*
 * A block of rows on its way to an HDF5 file or from one: its chunks, which all cores encode or
 * decode side by side, and the digest of all rows so far. Inside core/files/h5_*.c only.
 */
#ifndef CALAB_CORE_FILES_H5_BLOCK_H
#define CALAB_CORE_FILES_H5_BLOCK_H

#include "core/files/h5_chunk.h"
#include "core/machine/thread_pool.h"

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
