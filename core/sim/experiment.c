/* SPDX-License-Identifier: MIT */
/* Owns the contents of an experiment: defaults, changes of model and backend, and settings by
 * name and text, from a command line and others. */
#include "core/sim/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/files/series.h"
#include "core/machine/device.h"
#include "core/sim/output.h"
#include "core/sim/shipped.h"

void ca_experiment_default(struct ca_experiment *experiment, const struct ca_model *model)
{
    memset(experiment, 0, sizeof *experiment);
    experiment->model = model;
    experiment->backend = ca_backend_auto(model);
    experiment->size = model->default_size;
    experiment->seed = CA_SEED_DEFAULT;
    snprintf(experiment->init, sizeof experiment->init, "%s", model->starts[0].name);
    experiment->steps = CA_STEPS_DEFAULT;
    ca_values_default(&experiment->params, model->params);
    ca_values_default(&experiment->options, experiment->backend->options);
    ca_opening_default(&experiment->opening, model);
}

void ca_experiment_model(struct ca_experiment *experiment, const struct ca_model *model,
                         enum ca_origin origin)
{
    uint64_t seed = experiment->seed, steps = experiment->steps;
    enum ca_origin seed_origin = experiment->seed_origin, steps_origin = experiment->steps_origin;

    if (experiment->model != model) {
        ca_experiment_default(experiment, model);
        if (seed_origin != CA_BUILT_IN) {
            experiment->seed = seed;
            experiment->seed_origin = seed_origin;
        }
        if (steps_origin != CA_BUILT_IN) {
            experiment->steps = steps;
            experiment->steps_origin = steps_origin;
        }
    }
    experiment->model_origin = origin;
}

void ca_experiment_backend(struct ca_experiment *experiment, const struct ca_backend *backend,
                           enum ca_origin origin)
{
    struct ca_values old = experiment->options;

    ca_values_default(&experiment->options, backend->options);
    for (int i = 0; i < old.count; i++) {
        int at = ca_values_find(&experiment->options, old.table[i].name);
        char text[CA_TEXT_MAX];
        struct ca_error error;

        /* A value outside the new backend's range is replaced by the default. */
        if (at >= 0 && old.value[i].origin > CA_TUNED)
            ca_values_set(&experiment->options, at,
                          ca_value_format(text, &old.table[i], &old.value[i]), old.value[i].origin,
                          NULL, &error);
    }
    experiment->backend = backend;
    experiment->choice = NULL;
    experiment->why[0] = '\0';
    experiment->backend_origin = origin;
}

void ca_experiment_chosen(struct ca_experiment *experiment, const struct ca_backend *choice,
                          const struct ca_backend *backend)
{
    ca_experiment_backend(experiment, backend, experiment->backend_origin);
    experiment->choice = choice;
}

char *ca_experiment_start(char text[CA_TEXT_MAX + 64], const struct ca_experiment *experiment)
{
    char at[64] = "";

    if (experiment->at.given)
        ca_at_format(at, experiment->at, experiment->model->dimensions);
    snprintf(text, CA_TEXT_MAX + 64, "%s%s%.59s", experiment->init, at[0] ? " at " : "", at);
    return text;
}

const struct ca_backend *ca_experiment_named(const struct ca_experiment *experiment)
{
    return experiment->choice ? experiment->choice : experiment->backend;
}

/* Prefixes the text of an error with "where: ". Returns its status. */
static enum ca_status at(const char *where, struct ca_error *error)
{
    struct ca_error plain = *error;

    if (!where)
        return error->status;
    return ca_fail(error, plain.status, "%s: %s", where, plain.text);
}

static enum ca_status parse_whole(uint64_t *number, const char *text, uint64_t min, uint64_t max,
                                  const char *where, struct ca_error *error)
{
    uint64_t value;

    if (!ca_read_unsigned(text, &value) || value < min || value > max) {
        ca_error_set(error, CA_USAGE,
                     "'%.80s' is not allowed: a whole number %" PRIu64 " ... %" PRIu64
                     ", in decimal digits",
                     text, min, max);
        return at(where, error);
    }
    *number = value;
    return CA_OK;
}

static enum ca_status set_backend(struct ca_experiment *experiment, const char *text,
                                  enum ca_origin origin, const char *where, struct ca_error *error)
{
    const struct ca_backend *backend;

    if (ca_backend_find(&backend, experiment->model, text, error) != CA_OK)
        return at(where, error);
    ca_experiment_backend(experiment, backend, origin);
    return CA_OK;
}

static enum ca_status set_size(struct ca_experiment *experiment, const char *text,
                               enum ca_origin origin, const char *where, struct ca_error *error)
{
    CA_TRY(ca_size_parse(&experiment->size, text, experiment->model->dimensions,
                         where ? where : "size", error));
    experiment->size_origin = origin;
    return CA_OK;
}

static enum ca_status set_seed(struct ca_experiment *experiment, const char *text,
                               enum ca_origin origin, const char *where, struct ca_error *error)
{
    if (!ca_read_seed(text, &experiment->seed)) {
        ca_error_set(error, CA_USAGE,
                     "'%.80s' is not allowed: a whole number 0 ... %" PRIu64 ", decimal or 0x...",
                     text, UINT64_MAX);
        return at(where, error);
    }
    experiment->seed_origin = origin;
    return CA_OK;
}

static enum ca_status set_steps(struct ca_experiment *experiment, const char *text,
                                enum ca_origin origin, const char *where, struct ca_error *error)
{
    CA_TRY(parse_whole(&experiment->steps, text, 0, INT64_MAX, where, error));
    experiment->steps_origin = origin;
    return CA_OK;
}

static enum ca_status set_every(struct ca_experiment *experiment, const char *text,
                                enum ca_origin origin, const char *where, struct ca_error *error)
{
    CA_TRY(parse_whole(&experiment->every, text, 1, INT64_MAX, where, error));
    experiment->every_origin = origin;
    return CA_OK;
}

static const char *start_name(const void *context, int i)
{
    return ((const struct ca_start *)context)[i].name;
}

enum ca_status ca_init_check(const struct ca_model *model, const char *init, struct ca_error *error)
{
    char endings[CA_TEXT_MAX], hint[CA_TEXT_MAX];
    int count = 0;

    if (strlen(init) < CA_TEXT_MAX &&
        (ca_state_is_file(init, model) || ca_start_find(model, init) >= 0))
        return CA_OK;
    while (model->starts[count].name)
        count++;
    return ca_fail(error, CA_USAGE,
                   "'%.80s' is neither an initial state of %s nor a file that ends in %s%s", init,
                   model->name, ca_format_endings(endings, model, ca_format_restores),
                   ca_suggest(hint, init, count, start_name, model->starts));
}

/* A start of the model, a file, or a pattern. */
static enum ca_status set_init(struct ca_experiment *experiment, const char *text,
                               enum ca_origin origin, const char *where, struct ca_error *error)
{
    struct ca_error refusal;

    if (ca_init_check(experiment->model, text, &refusal) == CA_OK)
        memmove(experiment->init, text, strlen(text) + 1);
    else if (ca_shipped_start(experiment, text, origin, &refusal, error) != CA_OK)
        return at(where, error);
    experiment->init_origin = origin;
    experiment->state[0] = '\0';
    if (experiment->size_origin == CA_BUILT_IN) /* a file may have imposed one */
        experiment->size = experiment->model->default_size;
    if ((experiment->at_origin < origin && experiment->at_origin < CA_FROM_ENVIRONMENT) ||
        origin == CA_FROM_WORKBENCH) {
        experiment->at = (struct ca_at){0}; /* it was that of another file */
        experiment->at_origin = CA_BUILT_IN;
    }
    if (experiment->generation_origin < origin) { /* it was that of another file */
        experiment->generation = 0;
        experiment->generation_origin = CA_BUILT_IN;
    }
    return CA_OK;
}

static enum ca_status set_at(struct ca_experiment *experiment, const char *text,
                             enum ca_origin origin, const char *where, struct ca_error *error)
{
    CA_TRY(ca_at_parse(&experiment->at, text, experiment->model->dimensions, where ? where : "at",
                       error));
    experiment->at_origin = origin;
    experiment->state[0] = '\0';
    return CA_OK;
}

static enum ca_status set_generation(struct ca_experiment *experiment, const char *text,
                                     enum ca_origin origin, const char *where,
                                     struct ca_error *error)
{
    CA_TRY(parse_whole(&experiment->generation, text, 0, INT64_MAX / 2, where, error));
    experiment->generation_origin = origin;
    return CA_OK;
}

static enum ca_status add_output(struct ca_experiment *experiment, const char *text,
                                 enum ca_origin origin, const char *where, struct ca_error *error)
{
    struct ca_output output;
    bool series;

    (void)origin;
    if (experiment->outputs == CA_OUTPUTS_MAX) {
        ca_error_set(error, CA_USAGE, "'%.80s' is one too many: at most %d files", text,
                     CA_OUTPUTS_MAX);
        return at(where, error);
    }
    if (!text[0] || strlen(text) >= CA_TEXT_MAX) {
        ca_error_set(error, CA_USAGE, "the path of a file of 1 ... %d bytes is wanted",
                     CA_TEXT_MAX - 1);
        return at(where, error);
    }
    if (ca_output_parse(&output, experiment->model, text, error) != CA_OK ||
        ca_series_check(output.path, &series, error) != CA_OK)
        return at(where, error);
    memmove(experiment->output[experiment->outputs++], text, strlen(text) + 1);
    return CA_OK;
}

bool ca_experiment_has_series(const struct ca_experiment *experiment)
{
    bool any = false;

    for (int i = 0; i < experiment->outputs; i++) {
        struct ca_output output;
        struct ca_error ignored;
        bool series;

        any |=
            ca_output_parse(&output, experiment->model, experiment->output[i], &ignored) == CA_OK &&
            ca_series_check(output.path, &series, &ignored) == CA_OK &&
            (series || ca_output_gathers(&output));
    }
    return any;
}

enum ca_status ca_experiment_check_series(const struct ca_experiment *experiment,
                                          struct ca_error *error)
{
    bool any = ca_experiment_has_series(experiment);

    if (any && !experiment->every)
        return ca_fail(
            error, CA_USAGE,
            "the generation is in the name of an output, or it has observables or is a film: "
            "'every' "
            "(--every N) has to say how many generations pass from one file to the next, "
            "or from one line or picture");
    if (!any && experiment->every)
        return ca_fail(
            error, CA_USAGE,
            "'every' (--every) is %" PRIu64 ", but no output has a place for the "
            "generation in its name, as in 'state%%06d.npy', is 'observables:FILE' or a film",
            experiment->every);
    return CA_OK;
}

/* A parameter or option; a list of GPUs has a form, whether or not there is one. */
static enum ca_status set_value(struct ca_values *values, int index, const char *text,
                                enum ca_origin origin, const char *where, struct ca_error *error)
{
    if (strcmp(values->table[index].name, "devices") == 0 && ca_devices_check(text, error) != CA_OK)
        return at(where, error);
    return ca_values_set(values, index, text, origin, where, error);
}

/* Sets an option of the backend that is also an option of the command line. */
static enum ca_status set_option(struct ca_experiment *experiment, const char *name,
                                 const char *text, enum ca_origin origin, const char *where,
                                 struct ca_error *error)
{
    int index = ca_values_find(&experiment->options, name);

    if (index >= 0)
        return set_value(&experiment->options, index, text, origin, where, error);
    ca_error_set(error, CA_USAGE, "backend %s of %s has no option '%s'", experiment->backend->name,
                 experiment->model->name, name);
    return at(where, error);
}

/* "key=value". */
static enum ca_status set_pair(struct ca_experiment *experiment, const char *text,
                               enum ca_origin origin, const char *where, struct ca_error *error)
{
    const char *equals = strchr(text, '=');
    char key[64];

    if (!equals || equals == text || (size_t)(equals - text) >= sizeof key) {
        ca_error_set(error, CA_USAGE, "'%.80s' is not of the form key=value", text);
        return at(where, error);
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
    return ca_experiment_value(experiment, key, equals + 1, origin, where, error);
}

typedef enum ca_status setter(struct ca_experiment *, const char *, enum ca_origin, const char *,
                              struct ca_error *);

static const struct {
    const char *name;
    setter *set; /* NULL: the backend's option of that name */
} settings[] = {
    {"backend", set_backend},
    {"size", set_size},
    {"seed", set_seed},
    {"steps", set_steps},
    {"init", set_init},
    {"at", set_at},
    {"generation", set_generation},
    {"output", add_output},
    {"every", set_every},
    {"threads", NULL},
    {"device", NULL},
    {"devices", NULL},
    {"ranks", NULL},
    {"set", set_pair},
};

#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

static const char *setting_name(const void *context, int i)
{
    (void)context;
    return settings[i].name;
}

enum ca_status ca_experiment_set(struct ca_experiment *experiment, const char *name,
                                 const char *text, enum ca_origin origin, const char *where,
                                 struct ca_error *error)
{
    char hint[CA_TEXT_MAX];

    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(settings[i].name, name) == 0)
            return settings[i].set ? settings[i].set(experiment, text, origin, where, error)
                                   : set_option(experiment, name, text, origin, where, error);
    ca_error_set(error, CA_USAGE, "'%.80s' is not a setting of an experiment%s", name,
                 ca_suggest(hint, name, SETTINGS, setting_name, NULL));
    return at(where, error);
}

/* The names of parameters, followed by those of options. */
static const char *value_name(const void *context, int i)
{
    const struct ca_experiment *experiment = context;
    int count = experiment->params.count;

    return i < count ? experiment->params.table[i].name : experiment->options.table[i - count].name;
}

enum ca_status ca_experiment_value(struct ca_experiment *experiment, const char *key,
                                   const char *text, enum ca_origin origin, const char *where,
                                   struct ca_error *error)
{
    int count = experiment->params.count + experiment->options.count;
    int index = ca_values_find(&experiment->params, key);
    char hint[CA_TEXT_MAX];

    if (index >= 0)
        return set_value(&experiment->params, index, text, origin, where, error);
    index = ca_values_find(&experiment->options, key);
    if (index >= 0)
        return set_value(&experiment->options, index, text, origin, where, error);
    ca_error_set(error, CA_USAGE,
                 "'%.80s' is neither a parameter of %s nor an option of its backend %s%s", key,
                 experiment->model->name, experiment->backend->name,
                 ca_suggest(hint, key, count, value_name, experiment));
    return at(where, error);
}
