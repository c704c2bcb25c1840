/* SPDX-License-Identifier: MIT */
/*
 * The writing of one file, or of one picture of a film, in a thread of its own, while the
 * simulation steps on: a job takes what is written from the present state, so that later states
 * leave it as it is.
 */
#ifndef CALAB_TUI_OUTPUT_JOB_H
#define CALAB_TUI_OUTPUT_JOB_H

#include <pthread.h>

#include "core/files/film.h"
#include "core/files/series.h"
#include "core/sim/fields.h"
#include "core/sim/output.h"

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

/* Whether there is memory to write a state or picture beside the simulation: an eighth of what is
 * available; else it is written straight from it. */
bool output_job_fits(const struct ca_output *output, const struct ca_simulation *simulation);
/* Takes what is to be written of the present state, a window as it is, and begins. CA_IO,
 * CA_NO_MEMORY, or what reading the state has failed with. */
enum ca_status output_job_begin(struct output_job *job, const struct ca_output *output,
                                const char *path, struct ca_film *film, struct ca_window *window,
                                struct ca_simulation *simulation, struct ca_error *error);
/* Waits for its end. *done: there was one, which was written where this returns CA_OK. */
enum ca_status output_job_end(struct output_job *job, bool *done, struct ca_error *error);

#endif
