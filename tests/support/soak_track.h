/* SPDX-License-Identifier: MIT */
/*
 * What a workbench was made to do to one run, generation by generation: with which value of a
 * parameter it went on from where. From that a run that nobody watches makes the same state.
 */
#ifndef CALAB_TESTS_SOAK_TRACK_H
#define CALAB_TESTS_SOAK_TRACK_H

#include <stdint.h>

#define TRACK_SEGMENTS 256

/* A model as it is run: a parameter that may change at any generation, and values for it. */
struct soak_model {
    const char *model, *size, *parameter;
    const char *values[4];
    const char *backends; /* those that are taken, as wildcards */
};

struct track {
    const struct soak_model *model;
    unsigned seed;
    int count;
    struct {
        uint64_t from; /* generation */
        const char *value;
    } segment[TRACK_SEGMENTS];
};

/* At generation 0 with this value of the parameter. */
void track_begin(struct track *track, const struct soak_model *model, unsigned seed,
                 const char *value);
/* The parameter has this value from this generation on. */
void track_change(struct track *track, uint64_t generation, const char *value);
/* The run goes on from an earlier generation, with the value that the parameter has now. */
void track_return(struct track *track, uint64_t generation);
const char *track_text(const struct track *track); /* for messages */
const char *track_value(const struct track *track);
/* Runs all of it to a generation, unwatched, by `calab run`; its hash, in static storage. */
const char *track_unwatched_hash(const struct track *track, uint64_t generation);
/* The hash of the state in a file, by `calab run -n 0`. */
const char *track_file_hash(const struct track *track, const char *path);

#endif
