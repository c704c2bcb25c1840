/* SPDX-License-Identifier: MIT */
/*
 * Rows of a state on their way to a file or from one. They pass in chunks, so that a state larger
 * than the machine's memory can be saved and loaded, and the disk works on one chunk while the
 * other end works on the next.
 */
#ifndef CALAB_CORE_FILES_ROWS_H
#define CALAB_CORE_FILES_ROWS_H

#include "core/model/model.h"

#define CA_NOTES_MAX 8

/* A note says one more thing that a run began with: the text of an experiment's key. */
struct ca_note {
    char name[32];
    char text[CA_TEXT_MAX];
};

/* Rows come from a source: it fills planes[] with canonical rows first ... first + rows - 1. */
struct ca_row_source {
    struct ca_size size;
    enum ca_type type;
    int planes;
    enum ca_status (*rows)(void *context, void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error);
    void *context;
    /* The run whose state they are: its setup, its generation, and its start, which is a name or a
     * state file of so many generations. NULL: they are of no run, and formats that name one cannot
     * be written. */
    const struct ca_setup *setup;
    uint64_t generation;
    const char *init;
    uint64_t init_generation;
    const struct ca_note *note; /* `notes` of them */
    int notes;
    bool modified; /* parameters or cells have been changed since: that does not lead to them */
};

/* Rows go to a sink, in order. It may change what planes[] hold. */
struct ca_row_sink {
    enum ca_status (*rows)(void *context, void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error);
    void *context;
};

/* The rows of a lattice, and into one that is allocated. */
struct ca_row_source ca_lattice_source(const struct ca_lattice *lattice);
struct ca_row_sink ca_lattice_sink(struct ca_lattice *lattice);

/* Chunks of rows may end after each `band` of rows of each `layer` of rows; and how many bytes of
 * all planes one has at most, unless a band has more. */
struct ca_row_cut {
    int64_t layer, band, bytes;
};

#define CA_ROW_CHUNK_BYTES (32 << 20)

/*
 * Moves all rows of a state, in order: `to` takes a chunk, in a thread of its own, while `from`
 * makes the next one. Ends with the first failure of either. The second function cuts chunks as
 * `cut` has it.
 */
enum ca_status ca_rows_pass(const struct ca_row_source *from, const struct ca_row_sink *to,
                            struct ca_error *error);
enum ca_status ca_rows_pass_by(const struct ca_row_source *from, const struct ca_row_sink *to,
                               const struct ca_row_cut *cut, struct ca_error *error);

#endif
