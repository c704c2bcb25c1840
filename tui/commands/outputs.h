/* SPDX-License-Identifier: MIT */
/*
 * The files that a run writes: the last state, and series of states, one in so many generations
 * from generation 0 on. Each appears whole or not at all; after a failure or a signal those
 * written before stay.
 */
#ifndef CALAB_TUI_OUTPUTS_H
#define CALAB_TUI_OUTPUTS_H

#include <jansson.h>

#include "core/sim/simulation.h"

struct outputs {
    const struct ca_experiment *experiment;
    struct {
        bool series;
        uint64_t count, last; /* files written, and the generation of the last one */
    } file[CA_OUTPUTS_MAX];
};

/*
 * Checks before the run whether all can be written; `goal` is its last generation, UINT64_MAX where
 * that is not known. CA_USAGE for a format or a name that is not allowed, for a series without
 * `every`, and the other way round; CA_IO.
 */
enum ca_status outputs_open(struct outputs *outputs, const struct ca_experiment *experiment,
                            uint64_t goal, struct ca_error *error);
/* Generations from this one to the next of which series have a file; UINT64_MAX for none. */
uint64_t outputs_distance(const struct outputs *outputs, uint64_t generation);
/* Writes the files of series, if they have one of the present generation. */
enum ca_status outputs_step(struct outputs *outputs, struct ca_simulation *simulation,
                            struct ca_error *error);
/* Writes the files of the last state, and ends early after a signal. */
enum ca_status outputs_last(struct outputs *outputs, struct ca_simulation *simulation,
                            struct ca_error *error);
/* How many files have been written. */
uint64_t outputs_count(const struct outputs *outputs);

/* "file: PATH" and "files: FIRST ... LAST, COUNT" lines, and the same as a JSON list. */
void outputs_print(const struct outputs *outputs);
json_t *outputs_json(const struct outputs *outputs);

#endif
