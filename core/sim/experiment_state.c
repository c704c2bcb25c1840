/* SPDX-License-Identifier: MIT */
/* This file continues an experiment from a state file, and reads what such a file says of it. */
#include "core/sim/simulation_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/files/file.h"
#include "core/sim/simulation.h"

/* The run of a file, of the experiment's model. */
static enum ca_status experiment_state_read_run(const struct ca_experiment *experiment,
                                                const char *path, struct ca_state_run *run,
                                                struct ca_error *error)
{
    CA_TRY(ca_state_run(path, run, error));
    return ca_model_same(run->model, experiment->model)
               ? CA_OK
               : ca_fail(error, CA_IO, "%.300s: a state of %s, expected one of %s", path,
                         run->model->name, experiment->model->name);
}

int experiment_notes(const struct ca_experiment *experiment, struct ca_note note[CA_NOTES_MAX])
{
    int notes = 0;

    for (int i = 0; i < CA_KEY_COUNT && notes < CA_NOTES_MAX; i++) {
        const struct ca_key_row *row = &ca_key_rows[i];

        if (!(row->places & CA_IN_NOTE) ||
            !ca_experiment_format(note[notes].text, experiment, (enum ca_key)i)[0])
            continue;
        snprintf(note[notes++].name, sizeof note->name, "%s", row->name);
    }
    return notes;
}

/* The experiment that the run of a file began as. CA_IO. */
static enum ca_status experiment_of_run(struct ca_experiment *experiment,
                                        const struct ca_state_run *run, const char *path,
                                        struct ca_error *error)
{
    char where[CA_TEXT_MAX];

    ca_experiment_default(experiment, run->model);
    experiment->size = run->size;
    experiment->seed = run->seed;
    experiment->generation = run->init_generation;
    experiment->params = run->params;
    memcpy(experiment->init, run->init, sizeof experiment->init);
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & (CA_IN_STATE | CA_IN_NOTE)) == CA_IN_STATE)
            experiment->origin[i] = CA_FROM_EXPERIMENT;
    /* Notes of a later calab, which no row knows, are left alone. */
    for (int n = 0; n < run->notes; n++)
        for (int i = 0; i < CA_KEY_COUNT; i++) {
            const struct ca_note *note = &run->note[n];

            if (!(ca_key_rows[i].places & CA_IN_NOTE) ||
                strcmp(ca_key_rows[i].name, note->name) != 0)
                continue;
            snprintf(where, sizeof where, "%.300s: %s", path, note->name);
            if (ca_experiment_set(experiment, note->name, note->text, CA_FROM_EXPERIMENT, where,
                                  error) != CA_OK)
                return error->status = CA_IO;
        }
    return CA_OK;
}

enum ca_status experiment_read_state(struct ca_experiment *experiment, const char *path,
                                     struct ca_error *error)
{
    struct ca_experiment read = *experiment, begun;
    struct ca_state_run run;

    if (strlen(path) >= sizeof read.state)
        return ca_fail(error, CA_USAGE, "the path of a state has at most %zu bytes",
                       sizeof read.state - 1);
    CA_TRY(ca_state_run(path, &run, error));
    if (!ca_model_same(read.model, run.model) && read.origin[CA_KEY_MODEL] >= CA_FROM_ENVIRONMENT)
        return ca_fail(
            error, CA_USAGE, "%.300s: the state is one of %s, but the model %s is asked for (%s)",
            path, run.model->name, read.model->name, ca_origin_name(read.origin[CA_KEY_MODEL]));
    if (!ca_model_same(read.model, run.model))
        ca_experiment_model(&read, run.model, CA_FROM_EXPERIMENT);
    CA_TRY(experiment_of_run(&begun, &run, path, error));
    /* The start, and all that command line and environment have not set, are taken from the run. */
    if (ca_init_check(run.model, run.init, error) != CA_OK)
        return error->status = CA_IO;
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & CA_IN_STATE) && read.origin[i] < CA_FROM_ENVIRONMENT &&
            ca_experiment_copy_key(&read, &begun, (enum ca_key)i, NULL, error) != CA_OK)
            return error->status = CA_IO;
    for (int i = 0; i < begun.params.count; i++)
        if (read.params.value[i].origin < CA_FROM_ENVIRONMENT)
            read.params.value[i] = begun.params.value[i];
    if (read.origin[CA_KEY_INIT] < CA_FROM_ENVIRONMENT) {
        memcpy(read.state, path, strlen(path) + 1);
        read.state_generation = run.generation;
    }
    *experiment = read;
    return CA_OK;
}

enum ca_status ca_experiment_take_run(struct ca_experiment *experiment, const char *path,
                                      struct ca_error *error)
{
    struct ca_experiment taken = *experiment;

    CA_TRY(experiment_read_state(&taken, path, error));
    memcpy(taken.state, experiment->state, sizeof taken.state);
    taken.state_generation = experiment->state_generation;
    *experiment = taken;
    return CA_OK;
}

/* Whether the run of a file begins as the experiment does, whatever has modified it. Without
 * `sized` the size, which files may impose, may be another. */
static bool begins_alike(const struct ca_experiment *experiment, const struct ca_state_run *run,
                         bool sized)
{
    struct ca_experiment begun;
    struct ca_error ignored;

    if (experiment->model != run->model || experiment_of_run(&begun, run, "", &ignored) != CA_OK)
        return false;
    if (!sized)
        begun.size = experiment->size;
    return ca_experiment_differs(experiment, &begun, CA_IN_STATE) == CA_KEY_COUNT &&
           ca_values_equal(&experiment->params, &begun.params);
}

bool experiment_is_own(const struct ca_experiment *experiment, const struct ca_state_run *run)
{
    return !run->modified && begins_alike(experiment, run, false);
}

bool ca_experiment_is_of(const struct ca_experiment *experiment, const struct ca_state_run *run)
{
    return begins_alike(experiment, run, true);
}

enum ca_status ca_experiment_begin(struct ca_experiment *experiment, struct ca_error *error)
{
    bool file = ca_state_is_file(experiment->init, experiment->model);
    struct ca_state_run run;

    if (!file && experiment->origin[CA_KEY_GENERATION] >= CA_FROM_EXPERIMENT &&
        experiment->generation)
        return ca_fail(error, CA_USAGE,
                       "generation is %" PRIu64
                       ", but the start '%.80s' is at generation 0: only a "
                       "state from a file may be at another",
                       experiment->generation, experiment->init);
    if (!file)
        experiment->generation = 0;
    if (!file || experiment->origin[CA_KEY_GENERATION] != CA_BUILT_IN ||
        !ca_state_has_run(experiment->init))
        return CA_OK;
    CA_TRY(experiment_state_read_run(experiment, experiment->init, &run, error));
    experiment->generation = run.generation;
    experiment->origin[CA_KEY_GENERATION] = CA_FROM_EXPERIMENT;
    return CA_OK;
}

enum ca_status ca_experiment_resume(struct ca_experiment *experiment, struct ca_error *error)
{
    char state[sizeof experiment->state];
    struct ca_state_run run;

    if (!experiment->state[0])
        return ca_experiment_begin(experiment, error);
    CA_TRY(experiment_state_read_run(experiment, experiment->state, &run, error));
    experiment->state_generation = run.generation;
    if (experiment_is_own(experiment, &run))
        return CA_OK;
    memcpy(state, experiment->state, sizeof state);
    ca_experiment_begin_with(experiment, state, CA_FROM_EXPERIMENT);
    experiment->state[0] = '\0';
    if (experiment->origin[CA_KEY_GENERATION] < CA_FROM_ENVIRONMENT) {
        experiment->generation = run.generation;
        experiment->origin[CA_KEY_GENERATION] = CA_FROM_EXPERIMENT;
    }
    return CA_OK;
}

enum ca_status ca_experiment_go_on(struct ca_experiment *experiment, const char *path,
                                   struct ca_error *error)
{
    struct ca_experiment sized = *experiment;
    struct ca_state_run run;
    struct ca_error ignored;
    const char *other = NULL;

    if (strlen(path) >= sizeof experiment->state)
        return ca_fail(error, CA_USAGE, "the path of a state has at most %zu bytes",
                       sizeof experiment->state - 1);
    CA_TRY(ca_state_run(path, &run, error));
    if (run.model != experiment->model)
        return ca_fail(error, CA_USAGE, "%.300s is of another experiment: of %s", path,
                       run.model->name);
    /* The first thing in which the run is not the experiment's. The size may be one that files
     * impose. */
    for (int i = run.params.count - 1; i >= 0; i--)
        if (!ca_value_equal(&experiment->params.value[i], &run.params.value[i]))
            other = run.params.table[i].name;
    if (!other && ca_experiment_check(&sized, &ignored) == CA_OK &&
        !ca_size_equal(sized.size, run.size))
        other = "size";
    if (!other && experiment->seed != run.seed)
        other = "seed";
    if (!other && !experiment_is_own(experiment, &run))
        other = "start";
    if (other)
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

bool ca_experiment_flashes(const struct ca_experiment *experiment)
{
    const struct ca_rule_notation *notation = ca_rule_notation_of(experiment->model);
    struct ca_setup setup = {.model = experiment->model, .params = experiment->params};
    struct ca_state_rule rule;
    struct ca_error ignored;

    return notation && notation->flashes && notation->flashes(&setup) && !experiment->state[0] &&
           ca_state_is_file(experiment->init, experiment->model) &&
           ca_state_rule(experiment->init, experiment->model, &rule, &ignored) == CA_OK &&
           rule.text[0] && rule.edges == CA_EDGES_NOT_SAID;
}

bool ca_experiment_overrides(const struct ca_experiment *experiment, char text[CA_TEXT_MAX])
{
    const struct ca_rule_notation *notation = ca_rule_notation_of(experiment->model);
    struct ca_setup setup = ca_setup_of(experiment);
    bool torus = ca_is_torus(&setup), rule_differs, edges_differ;
    struct ca_state_rule rule;
    struct ca_error ignored;
    char own[CA_TEXT_MAX];

    text[0] = '\0';
    if (!notation || experiment->state[0] ||
        !ca_state_is_file(experiment->init, experiment->model) ||
        ca_state_rule(experiment->init, experiment->model, &rule, &ignored) != CA_OK)
        return false;
    rule_differs = rule.text[0] && !notation->matches(&setup, rule.text);
    edges_differ = rule.edges != CA_EDGES_NOT_SAID && !experiment->at.given &&
                   (rule.edges == CA_EDGES_TORUS) != torus;
    if (rule_differs) {
        notation->write(&setup, own);
        snprintf(text, CA_TEXT_MAX, " is a pattern of %.200s: it runs by %.200s, which was set",
                 rule.text, own);
    } else if (edges_differ) {
        snprintf(text, CA_TEXT_MAX, " has %s: it runs %s, which was set",
                 torus ? "dead edges (:P)" : "the edges of a torus (:T)",
                 torus ? "on a torus" : "with dead edges");
    }
    return rule_differs || edges_differ;
}

void ca_experiment_leave_rule(struct ca_experiment *experiment, const char *path)
{
    struct ca_values *params = &experiment->params, defaults;
    struct ca_state_rule rule;
    struct ca_error ignored;

    if (!ca_rule_notation_of(experiment->model) || !ca_state_is_file(path, experiment->model) ||
        ca_state_rule(path, experiment->model, &rule, &ignored) != CA_OK)
        return;
    ca_values_default(&defaults, params->table);
    for (int i = 0; i < params->count; i++)
        if (!params->table[i].initial &&
            (params->table[i].kind == CA_CHOICE ? rule.edges != CA_EDGES_NOT_SAID
                                                : rule.text[0] != '\0'))
            params->value[i] = defaults.value[i];
}

/* Whether a model has a rule, or takes it as its parameter `rule`. */
static enum ca_status takes_rule(const struct ca_model *model, const char *rule,
                                 struct ca_error *error)
{
    struct ca_experiment experiment;
    struct ca_setup setup;
    int index;

    ca_experiment_default(&experiment, model);
    setup = ca_setup_of(&experiment);
    if (ca_rule_notation_of(model)->matches(&setup, rule))
        return CA_OK;
    index = ca_values_find(&setup.params, "rule");
    if (index < 0 || !model->check)
        return ca_fail(error, CA_USAGE, "the rule of %s is another than %.200s", model->name, rule);
    CA_TRY(ca_values_set(&setup.params, index, rule, CA_FROM_EXPERIMENT, NULL, error));
    return model->check(&setup, error);
}

enum ca_status ca_pattern_model(const struct ca_model **model, const char *path,
                                struct ca_error *error)
{
    struct ca_error refusal = {.text = ""};
    struct ca_state_rule rule;

    for (int i = 0; ca_models[i]; i++) {
        if (!ca_rule_notation_of(ca_models[i]) || !ca_state_is_file(path, ca_models[i]))
            continue;
        CA_TRY(ca_state_rule(path, ca_models[i], &rule, error));
        *model = ca_models[i];
        /* A pattern that names no rule is, in Golly, one of Life. */
        if (takes_rule(*model, rule.text[0] ? rule.text : "B3/S23", &refusal) == CA_OK)
            return CA_OK;
    }
    return ca_fail(error, CA_USAGE, "%.300s: %.400s", path, refusal.text);
}

bool ca_experiment_guesses(const struct ca_experiment *experiment)
{
    struct ca_setup setup = {.model = experiment->model, .params = experiment->params};

    return !experiment->state[0] && ca_state_is_file(experiment->init, experiment->model) &&
           experiment->origin[CA_KEY_GENERATION] == CA_BUILT_IN && ca_draws(&setup);
}
