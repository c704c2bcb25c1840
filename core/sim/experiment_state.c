/* SPDX-License-Identifier: MIT */
/* Owns how an experiment goes on from a state file, and what such a file says of it. */
#include "core/sim/experiment_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/files/file.h"
#include "core/sim/simulation.h"

/* The run of a file, of the experiment's model. */
static enum ca_status read_run(const struct ca_experiment *experiment, const char *path,
                               struct ca_state_run *run, struct ca_error *error)
{
    CA_TRY(ca_state_run(path, run, error));
    return run->model == experiment->model
               ? CA_OK
               : ca_fail(error, CA_IO, "%.300s: a state of %s, expected one of %s", path,
                         run->model->name, experiment->model->name);
}

/* What the command line and the environment have not set is as the run has it. */
static void take_run(struct ca_experiment *experiment, const struct ca_state_run *run)
{
    if (experiment->size_origin < CA_FROM_ENVIRONMENT) {
        experiment->size = run->size;
        experiment->size_origin = CA_FROM_EXPERIMENT;
    }
    if (experiment->seed_origin < CA_FROM_ENVIRONMENT) {
        experiment->seed = run->seed;
        experiment->seed_origin = CA_FROM_EXPERIMENT;
    }
    if (experiment->generation_origin < CA_FROM_ENVIRONMENT) {
        experiment->generation = run->init_generation;
        experiment->generation_origin = CA_FROM_EXPERIMENT;
    }
    if (experiment->at_origin < CA_FROM_ENVIRONMENT) {
        experiment->at = run->at;
        experiment->at_origin = run->at.given ? CA_FROM_EXPERIMENT : CA_BUILT_IN;
    }
    for (int i = 0; i < run->params.count; i++)
        if (experiment->params.value[i].origin < CA_FROM_ENVIRONMENT)
            experiment->params.value[i] = run->params.value[i];
}

enum ca_status experiment_read_state(struct ca_experiment *experiment, const char *path,
                                     struct ca_error *error)
{
    struct ca_experiment read = *experiment;
    struct ca_state_run run;

    if (strlen(path) >= sizeof read.state)
        return ca_fail(error, CA_USAGE, "the path of a state has at most %zu bytes",
                       sizeof read.state - 1);
    CA_TRY(ca_state_run(path, &run, error));
    if (read.model != run.model && read.model_origin >= CA_FROM_ENVIRONMENT)
        return ca_fail(error, CA_USAGE, "%.300s: a state of %s, and %s is asked for (%s)", path,
                       run.model->name, read.model->name, ca_origin_name(read.model_origin));
    if (read.model != run.model)
        ca_experiment_model(&read, run.model, CA_FROM_EXPERIMENT);
    if (read.init_origin < CA_FROM_ENVIRONMENT) {
        if (ca_init_check(run.model, run.init, error) != CA_OK)
            return error->status = CA_IO;
        memcpy(read.init, run.init, sizeof read.init);
        memcpy(read.state, path, strlen(path) + 1);
        read.state_generation = run.generation;
    }
    take_run(&read, &run);
    *experiment = read;
    return CA_OK;
}

/* The same but for the size, which files may impose, and whatever has steered it. */
static bool begins_alike(const struct ca_experiment *experiment, const struct ca_state_run *run)
{
    return experiment->model == run->model && experiment->seed == run->seed &&
           strcmp(experiment->init, run->init) == 0 && ca_at_equal(experiment->at, run->at) &&
           experiment->generation == run->init_generation &&
           ca_values_equal(&experiment->params, &run->params);
}

bool experiment_is_own(const struct ca_experiment *experiment, const struct ca_state_run *run)
{
    return !run->steered && begins_alike(experiment, run);
}

bool ca_experiment_is_of(const struct ca_experiment *experiment, const struct ca_state_run *run)
{
    return begins_alike(experiment, run) && ca_size_equal(experiment->size, run->size);
}

enum ca_status ca_experiment_begin(struct ca_experiment *experiment, struct ca_error *error)
{
    bool file = ca_state_is_file(experiment->init, experiment->model);
    struct ca_state_run run;

    if (!file && experiment->generation_origin >= CA_FROM_EXPERIMENT && experiment->generation)
        return ca_fail(error, CA_USAGE,
                       "generation is %" PRIu64
                       ", but the start '%.80s' is at generation 0: only a "
                       "state from a file may be at another",
                       experiment->generation, experiment->init);
    if (!file)
        experiment->generation = 0;
    if (!file || experiment->generation_origin != CA_BUILT_IN ||
        !ca_state_has_run(experiment->init))
        return CA_OK;
    CA_TRY(read_run(experiment, experiment->init, &run, error));
    experiment->generation = run.generation;
    experiment->generation_origin = CA_FROM_EXPERIMENT;
    return CA_OK;
}

enum ca_status ca_experiment_resume(struct ca_experiment *experiment, struct ca_error *error)
{
    struct ca_state_run run;

    if (!experiment->state[0])
        return ca_experiment_begin(experiment, error);
    CA_TRY(read_run(experiment, experiment->state, &run, error));
    experiment->state_generation = run.generation;
    if (experiment_is_own(experiment, &run))
        return CA_OK;
    memcpy(experiment->init, experiment->state, sizeof experiment->init);
    experiment->init_origin = CA_FROM_EXPERIMENT;
    experiment->at = (struct ca_at){0}; /* the state is all of the lattice */
    experiment->at_origin = CA_BUILT_IN;
    experiment->state[0] = '\0';
    if (experiment->generation_origin < CA_FROM_ENVIRONMENT) {
        experiment->generation = run.generation;
        experiment->generation_origin = CA_FROM_EXPERIMENT;
    }
    return CA_OK;
}

/* The first thing in which the run is not the experiment's; "" where it is. The size may be one
 * that files impose. */
static const char *difference(const struct ca_experiment *experiment,
                              const struct ca_state_run *run)
{
    struct ca_experiment sized = *experiment;
    struct ca_error ignored;

    for (int i = 0; i < run->params.count; i++)
        if (!ca_value_equal(&experiment->params.value[i], &run->params.value[i]))
            return run->params.table[i].name;
    if (ca_experiment_check(&sized, &ignored) == CA_OK && !ca_size_equal(sized.size, run->size))
        return "size";
    if (experiment->seed != run->seed)
        return "seed";
    return experiment_is_own(experiment, run) ? "" : "start";
}

enum ca_status ca_experiment_go_on(struct ca_experiment *experiment, const char *path,
                                   struct ca_error *error)
{
    struct ca_state_run run;
    const char *other;

    if (strlen(path) >= sizeof experiment->state)
        return ca_fail(error, CA_USAGE, "the path of a state has at most %zu bytes",
                       sizeof experiment->state - 1);
    CA_TRY(ca_state_run(path, &run, error));
    if (run.model != experiment->model)
        return ca_fail(error, CA_USAGE, "%.300s is of another experiment: of %s", path,
                       run.model->name);
    other = difference(experiment, &run);
    if (other[0])
        return ca_fail(error, CA_USAGE,
                       "%.300s is of another experiment: its %s is not that of this one", path,
                       other);
    if (run.generation < ca_experiment_first(experiment))
        return ca_fail(error, CA_USAGE,
                       "%.300s is of generation %" PRIu64 ", and the run begins with %" PRIu64,
                       path, run.generation, ca_experiment_first(experiment));
    memcpy(experiment->state, path, strlen(path) + 1);
    experiment->state_generation = run.generation;
    experiment->size = run.size;
    return CA_OK;
}

bool ca_experiment_guesses(const struct ca_experiment *experiment)
{
    struct ca_setup setup = {.model = experiment->model, .params = experiment->params};

    return !experiment->state[0] && ca_state_is_file(experiment->init, experiment->model) &&
           experiment->generation_origin == CA_BUILT_IN && experiment->model->draws &&
           experiment->model->draws(&setup);
}
