/* SPDX-License-Identifier: MIT */
/*
 * Measures a quantity of a model (core/model/model.h): runs the experiment from its wave,
 * follows the wave's amplitude in the profile of a field, and fits it. A flow that sheds vortices
 * is run for the experiment's steps, and the spectrum of the last two thirds is looked at.
 *
 * A file of an experiment lists measurements beside it:
 *
 *     measure = ( { quantity = "viscosity"; size = ["2048x64", "2048x128"]; seeds = 4;
 *                   parameters : { collisions = ["fhp1", "fhp2"]; density = [0.1, 0.2]; }; } );
 *
 * Each value may be one or a list; every combination of them is measured, with so many seeds from
 * the experiment's on. What is not named is the experiment's.
 */
#ifndef CALAB_CORE_SIM_MEASURE_H
#define CALAB_CORE_SIM_MEASURE_H

#include "core/model/model.h"
#include "core/sim/experiment.h"

#define CA_MEASURE_SEEDS_MAX 100

struct ca_measure {
    const struct ca_measurement *quantity;
    struct ca_experiment experiment;
    int seeds;
    /* Filled by ca_measure_run. */
    double value, error; /* the mean over the seeds and its standard error, NaN of one seed */
    double theory;
    double speed;         /* of a flow that sheds, the last seed's; else 0 */
    uint64_t generations; /* of each run */
};

/* Whether value / theory lies in the quantity's range; NaN does not. */
bool ca_measure_agrees(const struct ca_measure *measure);

struct ca_measures {
    struct ca_measure *line;
    int count;
};

/*
 * The lines of a file's `measure` over the experiment that was read from it; none where the file
 * has no such key. Backends are chosen for each by the experiment's choice. CA_SETTINGS with file,
 * line, key and what is allowed.
 */
enum ca_status ca_measures_read(struct ca_measures *measures, const char *path,
                                const struct ca_experiment *experiment, struct ca_error *error);
void ca_measures_free(struct ca_measures *measures); /* takes {0} */

/* All that a line with a chosen backend can be refused for before it is run. */
enum ca_status ca_measure_check(struct ca_measure *measure, struct ca_error *error);
/*
 * Runs a line. `watch` (may be NULL) is called now and then; false stops it: CA_TIMEOUT. CA_USAGE
 * as ca_measure_check, CA_WRONG where the wave was lost in noise too soon for a fit, or no
 * line stands out of it.
 */
enum ca_status ca_measure_run(struct ca_measure *measure, bool (*watch)(void *context),
                              void *context, struct ca_error *error);

#endif
