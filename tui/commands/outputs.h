/* SPDX-License-Identifier: MIT */
/*
 * The files that a run writes: the last state, series of states, one in so many generations from
 * generation 0 on, fields of these or of windows that end there, and tables of observables and
 * films of pictures, a line or a picture in so many generations. Each appears whole or not at all,
 * but a table, of which on a full disk the lines stay that could be written; after a failure or a
 * signal those written before stay, and tables and films end there. Files are written while the
 * simulation steps on, of each output one at a time.
 */
#ifndef CALAB_TUI_OUTPUTS_H
#define CALAB_TUI_OUTPUTS_H

#include <jansson.h>
#include <pthread.h>

#include "core/files/film.h"
#include "core/files/series.h"
#include "core/sim/fields.h"
#include "core/sim/output.h"

/* The writing of one file, or of one picture of a film, in a thread of its own, while the
 * simulation steps on: a job takes what is written from the present state, so that later states
 * leave it as it is. */
struct output_job {
    const struct ca_output *output;
    const struct ca_model *model;
    char path[CA_SERIES_PATH_MAX];
    uint64_t generation;

    /* One of these. */
    struct ca_lattice state;
    struct ca_row_source source; /* of that */
    struct ca_picture picture;
    struct ca_window window;

    struct ca_film *film; /* to which the picture is added; NULL: none */
    bool begun, has_thread;
    pthread_t thread;
    enum ca_status status;
    struct ca_error error;
};

struct outputs {
    const struct ca_outputs *wanted;
    const struct ca_experiment *experiment;
    uint64_t first; /* generation, at which the run begins */
    struct output_file {
        struct ca_output output;
        bool series;                  /* a file every so many generations */
        uint64_t count, last;         /* files written, and the generation of the last one */
        uint64_t period;              /* generations between the ends of windows, 0: not known */
        struct ca_window window;      /* of a field */
        struct ca_file_writer writer; /* of observables, from the first row on */
        struct ca_film *film;         /* until it has ended */
        struct output_job job;
    } file[CA_OUTPUTS_MAX];
};

/*
 * Checks before the run whether all can be written; `goal` is how many generations it has,
 * UINT64_MAX where that is not known. CA_USAGE for a format or a name that is not allowed, for a
 * series without `every`, and the other way round; CA_IO.
 */
enum ca_status outputs_open(struct outputs *outputs, const struct ca_outputs *wanted,
                            const struct ca_experiment *experiment, uint64_t goal,
                            struct ca_error *error);
/* Begins films. CA_USAGE for a picture of what the lattice has not, or a format that cannot hold
 * its states; CA_IO. */
enum ca_status outputs_begin(struct outputs *outputs, const struct ca_simulation *simulation,
                             struct ca_error *error);
/* Generations from this one to the next of which series have a file; UINT64_MAX for none. */
uint64_t outputs_distance(const struct outputs *outputs, uint64_t generation);
/* Begins to write the files of series, if they have one of the present generation. What has failed
 * of earlier ones is returned with the next one, or at the end. */
enum ca_status outputs_step(struct outputs *outputs, struct ca_simulation *simulation,
                            struct ca_error *error);
/* Writes the files of the last state, and ends early after a signal; waits for all that is being
 * written. */
enum ca_status outputs_last(struct outputs *outputs, struct ca_simulation *simulation,
                            struct ca_error *error);
/* Waits for what is being written, and ends tables and films where they are. */
enum ca_status outputs_stop(struct outputs *outputs, struct ca_error *error);
/* Ends what a failure has left, as outputs_stop does, and frees memory. */
void outputs_close(struct outputs *outputs);
/* How many files have been written. */
uint64_t outputs_count(const struct outputs *outputs);

/* "file: PATH" and "files: FIRST ... LAST, COUNT" lines, and the same as a JSON list. */
void outputs_print(const struct outputs *outputs);
json_t *outputs_json(const struct outputs *outputs);

#endif
