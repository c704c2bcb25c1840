/* SPDX-License-Identifier: MIT */
/*
 * Files in and out. Writing is atomic: a temporary file in the same folder, fsync, rename; links
 * are followed and an existing file's mode is kept. Reading checks sizes before it allocates.
 * A failure is CA_IO with file, line or offset, and what was expected, or CA_NO_MEMORY.
 */
#ifndef CALAB_CORE_FILES_FILE_H
#define CALAB_CORE_FILES_FILE_H

#include <limits.h>
#include <stdio.h>

#include "core/files/rows.h"

struct ca_file_writer {
    FILE *stream; /* write here */
    int fd;       /* to which it writes */
    char *path, *temporary;
    struct ca_file_target *target;
};

/* Has a function be asked, some times a second, while the reader of a pipe is waited for: to open
 * it, or to take more. Where it returns false the wait is over, with CA_TIMEOUT. NULL: none. */
void ca_file_wait_while(bool (*go_on)(void));

enum ca_status ca_file_begin(struct ca_file_writer *writer, const char *path,
                             struct ca_error *error);
/* Puts the file in place, or, on any write error so far, removes what was written. */
enum ca_status ca_file_commit(struct ca_file_writer *writer, struct ca_error *error);
/* The same of a table, whose first line has the names: after a write error its whole lines are put
 * in place, if there is a row among them, and the error says how many. */
enum ca_status ca_file_commit_table(struct ca_file_writer *writer, struct ca_error *error);
void ca_file_abandon(struct ca_file_writer *writer);
/* CA_IO if the stream has failed. A row sink that writes returns it, so that no further rows are
 * made. */
enum ca_status ca_file_check(FILE *stream, struct ca_error *error);
/* Commits where the rows were written with CA_OK or where the stream itself failed, which it then
 * reports with the cause; abandons after any other failure. */
enum ca_status ca_file_end(struct ca_file_writer *writer, enum ca_status written,
                           struct ca_error *error);

/* Puts a file in the place of another of its folder, where it is after a power cut, too. false: it
 * is not, with errno. */
bool ca_file_replace(const char *from, const char *to);

/* CA_IO for a pipe or a device, which takes bytes in their order alone. Touches nothing. */
enum ca_status ca_file_seekable(const char *path, struct ca_error *error);
/* Whether ca_file_begin would succeed, asked without touching anything. */
enum ca_status ca_file_writable(const char *path, struct ca_error *error);

/*
 * The path `end` below the folder that a variable of the environment names, else below `below_home`
 * in the home folder; "" without any. Returns path.
 */
char *ca_file_place(char path[PATH_MAX], const char *variable, const char *below_home,
                    const char *end);
/* Makes the folders above `path` that are missing, for their owner alone (0700), to last. */
enum ca_status ca_file_parents(const char *path, struct ca_error *error);

/* Whether a folder of the variable PATH has a program of that name. */
bool ca_file_is_program(const char *name);

/* Whether there is anything at a path, outside or in the program (core/files/embedded.h). */
bool ca_file_exists(const char *path);
/* The path of a file or folder from the root, without links; one in the program has no other.
 * CA_IO. */
enum ca_status ca_file_resolve(const char *path, char resolved[PATH_MAX], struct ca_error *error);
/* Opens a regular file, or one that is part of the program, for reading, and stores its size in
 * bytes. */
enum ca_status ca_file_open(const char *path, int64_t *size, FILE **stream, struct ca_error *error);
/* Reads a whole regular file of at most `max` bytes, with a NUL after it; malloc'd. */
enum ca_status ca_file_read(const char *path, int64_t max, char **bytes, size_t *size,
                            struct ca_error *error);
/* The same of a text, without the byte order mark of UTF-8 that an editor may have put before it;
 * and past that of a stream. Returns how many bytes it had, 0 or 3. */
enum ca_status ca_file_read_text(const char *path, int64_t max, char **text, size_t *size,
                                 struct ca_error *error);
int ca_file_skip_mark(FILE *stream);

/* PBM: 1 is black, where a cell has a bit of `mask`. Writes P4, or P1 if `plain`: a row a line, a
 * digit and a blank a cell. Reads both, comments included, as cells 0 or 1 of one u8 plane; the
 * sink may have got rows before a failure. */
enum ca_status ca_pbm_write(const char *path, const struct ca_row_source *source, uint8_t mask,
                            bool plain, struct ca_error *error);
enum ca_status ca_pbm_size(const char *path, struct ca_size *size, struct ca_error *error);
enum ca_status ca_pbm_read(const char *path, const struct ca_row_sink *sink,
                           struct ca_error *error);

/*
 * ESRI ASCII grid (.asc): header keys in any case and order, cells that are square; values beyond
 * CA_ASC_MAX are refused with the line that they stand in, and so are those that mean no data, by
 * the header or as nan, unless `no_gaps` is NULL: then they become NaN. Else it is what the message
 * adds. -0 becomes +0. Values w x h, first row north, malloc'd.
 */
#define CA_ASC_MAX 10000000 /* beyond 2^24 a float loses a unit of water */
enum ca_status ca_asc_size(const char *path, struct ca_size *size, struct ca_error *error);
enum ca_status ca_asc_map(const char *path, struct ca_map *map, struct ca_error *error);
enum ca_status ca_asc_read(const char *path, const char *no_gaps, float **values,
                           struct ca_size *size, struct ca_error *error);

/* Whether a path names a file that holds all of a state of the model, by its ending
 * (core/files/formats.h). */
bool ca_state_is_file(const char *path, const struct ca_model *model);
/* *size is the size that is wanted, which stays where the file lies in a lattice of any size. */
enum ca_status ca_state_size(const char *path, const struct ca_model *model, struct ca_size *size,
                             struct ca_error *error);
/*
 * Reads a state of the setup's model and size, which may refuse or normalise its rows
 * (check_state), and sets *generation where the file says it. After a failure the sink may have got
 * some of the rows. sink NULL: the file is checked alone.
 */
enum ca_status ca_state_read(const char *path, const struct ca_setup *setup,
                             const struct ca_row_sink *sink, uint64_t *generation,
                             struct ca_error *error);

/* The same of any size that ca_state_size has told, and unchecked by the model. */
enum ca_status ca_state_read_cells(const char *path, const struct ca_model *model,
                                   struct ca_size size, const struct ca_row_sink *sink,
                                   uint64_t *generation, struct ca_error *error);

/*
 * Patterns: the cells of a state file, without the lattice that the file may say it is in, which go
 * to a cell of another lattice.
 */
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

/* The run whose state a file holds. */
struct ca_state_run {
    const struct ca_model *model;
    struct ca_size size;
    uint64_t seed;
    char init[CA_TEXT_MAX];   /* a start's name, or the state file that the run began with */
    uint64_t init_generation; /* of that file, 0 for a start */
    struct ca_note note[CA_NOTES_MAX];
    int notes;
    uint64_t generation, hash;
    bool
        modified; /* parameters or cells have been changed since: that does not lead to the state */
    struct ca_values params;
    struct ca_map map; /* where its lattice lies */
};

/* Whether files with that ending say of which run they are, and what a file says. CA_IO. */
bool ca_state_has_run(const char *path);
enum ca_status ca_state_run(const char *path, struct ca_state_run *run, struct ca_error *error);
/* The rule that a file is of, and the lattice that it says with it. */
struct ca_state_rule {
    char text[CA_TEXT_MAX]; /* in Golly's form; "": none */
    enum { CA_EDGES_NOT_SAID, CA_EDGES_TORUS, CA_EDGES_DEAD } edges;
};

/* CA_IO. */
enum ca_status ca_state_rule(const char *path, const struct ca_model *model,
                             struct ca_state_rule *rule, struct ca_error *error);
/*
 * Writes a state in the format that the ending of the path chooses from the table in
 * core/files/formats.h; a device or a pipe gets the first format whatever its name. CA_USAGE for
 * another ending, or for a format that has no form of this model, with the endings allowed.
 */
enum ca_status ca_state_write(const char *path, const struct ca_model *model,
                              const struct ca_row_source *source, struct ca_error *error);
/* Whether ca_state_write would find a format and a place to write to, asked before a long run. */
enum ca_status ca_state_writable(const char *path, const struct ca_model *model,
                                 struct ca_error *error);

/* Writes to a stream as fprintf does; whether all was written is known when the file is closed. */
void ca_file_put(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
