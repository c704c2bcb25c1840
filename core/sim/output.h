/* SPDX-License-Identifier: MIT */
/*
 * The text of an output of an experiment is one of these:
 *
 *     FILE                                        the state, or where the format is one of
 *                                                 pictures, a picture
 *     picture[,slice=SLICE][,project=max|sum][,scale=N][,rate=N]:FILE
 *                                                 a picture (core/sim/snapshot.h), or a film of
 * them, N a second FIELD[,block=BLOCK][,window=T[/K]]:FILE     a field of the model
 *     observables:FILE                            the observables by generation
 *
 * each in the format of the file's ending (core/files/formats.h). A name of two characters or more,
 * of letters, digits, - and _, that stands before a ':' is that of a field; of a file with such a
 * name ./ is written before it.
 *
 * BLOCK is WxH or, in three dimensions, WxHxD: the cells of a block along each axis, where the
 * letter W, H or D is the whole side of the lattice; without it 8 cells along each. A window is the
 * mean over the last T generations, of which every K-th state counts (1 without), so T / K states,
 * the last one among them; without it the last state alone.
 */
#ifndef CALAB_CORE_SIM_OUTPUT_H
#define CALAB_CORE_SIM_OUTPUT_H

#include "core/files/film.h"
#include "core/model/field.h"
#include "core/sim/experiment.h"
#include "core/sim/snapshot.h"

struct ca_output {
    const char *path;             /* in the text */
    const struct ca_field *field; /* NULL: no field */
    bool observables;
    bool picture, film; /* none of these: a state */
    struct ca_snapshot snapshot;
    int rate;               /* pictures of a film a second */
    struct ca_size block;   /* a side of 0: the lattice's */
    uint64_t window, every; /* generations */
};

/* CA_USAGE for a text that begins like a field, observables or a picture and does not go on as
 * above, or whose file has an ending that no format for it has. */
enum ca_status ca_output_parse(struct ca_output *output, const struct ca_model *model,
                               const char *text, struct ca_error *error);
/* The same, and whether `path`, in the place of output->path, can be written. CA_IO. */
enum ca_status ca_output_writable(const struct ca_output *output, const struct ca_model *model,
                                  const char *path, struct ca_error *error);

/* Whether one file has something of many generations: a line, or a picture of a film. */
static inline bool ca_output_gathers(const struct ca_output *output)
{
    return output->observables || output->film;
}

/* Writes `text` as that of a picture with one more property in *longer, where it is one, unless it
 * has that property itself. Returns whether it is. */
bool ca_output_with(char longer[CA_TEXT_MAX], const char *text, const char *name,
                    const char *value);

/* The blocks of a field's output. */
struct ca_size ca_output_block(const struct ca_output *output, struct ca_size lattice);

/*
 * Checks whether all can be written; `goal` is how many generations the run has, UINT64_MAX where
 * that is not known. CA_USAGE for a format or a name that is not allowed, for a window that does
 * not go with the run, for a series without `every`, and the other way round; CA_IO.
 */
enum ca_status ca_outputs_check(const struct ca_outputs *outputs,
                                const struct ca_experiment *experiment, uint64_t goal,
                                struct ca_error *error);
/* The same for what depends on the lattice, whose size has to be known: CA_USAGE for a picture of
 * what it has not, or a format that cannot hold its states. */
enum ca_status ca_outputs_check_lattice(const struct ca_outputs *outputs,
                                        const struct ca_experiment *experiment,
                                        struct ca_error *error);
/* The pictures of a film of that lattice. */
struct ca_film_shape ca_output_film(const struct ca_output *output, struct ca_size lattice);
/* Generations from one end of an output's windows to the next, 0: not known. */
uint64_t ca_output_period(const struct ca_outputs *outputs, bool series, uint64_t goal);

#endif
