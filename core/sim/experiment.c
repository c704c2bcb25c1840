/* SPDX-License-Identifier: MIT */
/* This file fills an experiment: with defaults, changes of model and backend, and settings by name
 * and text, from a command line and others. */
#include "core/sim/experiment.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
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
    snprintf(experiment->init, sizeof experiment->init, "%s", model->start->named[0].name);
    experiment->steps = CA_STEPS_DEFAULT;
    ca_values_default(&experiment->params, model->params);
    ca_values_default(&experiment->options, experiment->backend->options);
    ca_initial_view_default(&experiment->initial_view, model);
}

void ca_experiment_model(struct ca_experiment *experiment, const struct ca_model *model,
                         enum ca_origin origin)
{
    const struct ca_experiment old = *experiment;
    struct ca_error ignored; /* any model takes what it is given here */

    if (old.model != model)
        ca_experiment_default(experiment, model);
    for (int i = 0; i < CA_KEY_COUNT && old.model != model; i++)
        if ((ca_key_rows[i].places & CA_OF_ANY_MODEL) && old.origin[i] != CA_BUILT_IN)
            ca_experiment_copy_key(experiment, &old, (enum ca_key)i, NULL, &ignored);
    experiment->origin[CA_KEY_MODEL] = origin;
}

/* Names the values that were set in `old` and are not in `values`, or are others. */
static void values_lost(char lost[CA_TEXT_MAX], const struct ca_values *old,
                        const struct ca_values *values)
{
    for (int i = 0; i < old->count; i++) {
        int at = ca_values_find(values, old->table[i].name);

        if (old->value[i].origin > CA_TUNED &&
            (at < 0 || !ca_value_equal(&old->value[i], &values->value[at])))
            ca_text_add(lost, CA_TEXT_MAX, "%s%s", lost[0] ? ", " : "", old->table[i].name);
    }
}

void ca_experiment_edition(struct ca_experiment *experiment, const struct ca_model *model,
                           char lost[CA_TEXT_MAX])
{
    const struct ca_experiment old = *experiment;
    const struct ca_backend *named = ca_experiment_named(&old), *backend;
    struct ca_error ignored;

    lost[0] = '\0';
    ca_experiment_default(experiment, model);
    experiment->origin[CA_KEY_MODEL] = old.origin[CA_KEY_MODEL];
    if (old.origin[CA_KEY_BACKEND] != CA_BUILT_IN &&
        ca_backend_find(&backend, model, named->name, &ignored) == CA_OK)
        ca_experiment_backend(experiment, backend, old.origin[CA_KEY_BACKEND]);
    ca_values_take(&experiment->options, &old.options);
    ca_values_take(&experiment->params, &old.params);
    experiment->initial_view = old.initial_view;
    for (int i = CA_KEY_BACKEND + 1; i <= CA_KEY_GENERATION; i++)
        if (old.origin[i] != CA_BUILT_IN &&
            ca_experiment_copy_key(experiment, &old, (enum ca_key)i, NULL, &ignored) != CA_OK)
            ca_text_add(lost, CA_TEXT_MAX, "%s%s", lost[0] ? ", " : "", ca_key_rows[i].name);
    values_lost(lost, &old.params, &experiment->params);
}

void ca_experiment_backend(struct ca_experiment *experiment, const struct ca_backend *backend,
                           enum ca_origin origin)
{
    struct ca_values old = experiment->options;

    ca_values_default(&experiment->options, backend->options);
    ca_values_take(&experiment->options, &old);
    experiment->backend = backend;
    experiment->choice = NULL;
    experiment->why[0] = '\0';
    experiment->origin[CA_KEY_BACKEND] = origin;
}

void ca_experiment_chosen(struct ca_experiment *experiment, const struct ca_backend *choice,
                          const struct ca_backend *backend)
{
    ca_experiment_backend(experiment, backend, experiment->origin[CA_KEY_BACKEND]);
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

static enum ca_status parse_whole(uint64_t *number, const char *text, bool hex, uint64_t min,
                                  uint64_t max, const char *where, struct ca_error *error)
{
    uint64_t value;

    if ((hex ? ca_read_seed(text, &value) : ca_read_unsigned(text, &value)) && value >= min &&
        value <= max) {
        *number = value;
        return CA_OK;
    }
    ca_error_set(error, CA_USAGE,
                 "'%.80s' is not allowed: a whole number %" PRIu64 " ... %" PRIu64 ", %s", text,
                 min, max, hex ? "decimal or 0x..." : "in decimal digits");
    return at(where, error);
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
    (void)origin;
    return ca_size_parse(&experiment->size, text, experiment->model->dimensions,
                         where ? where : "size", error);
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
    while (model->start->named[count].name)
        count++;
    return ca_fail(error, CA_USAGE,
                   "'%.80s' is neither an initial state of %s nor a file that ends in %s%s", init,
                   model->name, ca_format_endings(endings, model, ca_format_restores),
                   ca_suggest(hint, init, count, start_name, model->start->named));
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
    experiment->state[0] = '\0';
    if (experiment->origin[CA_KEY_SIZE] == CA_BUILT_IN) /* a file may have imposed one */
        experiment->size = experiment->model->default_size;
    if ((experiment->origin[CA_KEY_AT] < origin &&
         experiment->origin[CA_KEY_AT] < CA_FROM_ENVIRONMENT) ||
        origin == CA_FROM_WORKBENCH) {
        experiment->at = (struct ca_at){0}; /* it was that of another file */
        experiment->origin[CA_KEY_AT] = CA_BUILT_IN;
    }
    if (experiment->origin[CA_KEY_GENERATION] < origin) { /* it was that of another file */
        experiment->generation = 0;
        experiment->origin[CA_KEY_GENERATION] = CA_BUILT_IN;
    }
    return CA_OK;
}

static enum ca_status set_at(struct ca_experiment *experiment, const char *text,
                             enum ca_origin origin, const char *where, struct ca_error *error)
{
    (void)origin;
    CA_TRY(ca_at_parse(&experiment->at, text, experiment->model->dimensions, where ? where : "at",
                       error));
    experiment->state[0] = '\0';
    return CA_OK;
}

enum ca_status ca_outputs_set_every(struct ca_outputs *outputs, const char *text,
                                    enum ca_origin origin, const char *where,
                                    struct ca_error *error)
{
    CA_TRY(parse_whole(&outputs->every, text, false, 1, INT64_MAX, where, error));
    outputs->every_origin = origin;
    return CA_OK;
}

enum ca_status ca_outputs_add(struct ca_outputs *outputs, const struct ca_model *model,
                              const char *text, const char *where, struct ca_error *error)
{
    struct ca_output output;
    bool series;

    if (outputs->model != model)
        outputs->count = 0;
    outputs->model = model;
    if (outputs->count == CA_OUTPUTS_MAX) {
        ca_error_set(error, CA_USAGE, "'%.80s' is one too many: at most %d files", text,
                     CA_OUTPUTS_MAX);
        return at(where, error);
    }
    if (!text[0] || strlen(text) >= CA_TEXT_MAX) {
        ca_error_set(error, CA_USAGE, "the path of a file, 1 ... %d bytes, is expected",
                     CA_TEXT_MAX - 1);
        return at(where, error);
    }
    if (ca_output_parse(&output, model, text, error) != CA_OK ||
        ca_series_check(output.path, &series, error) != CA_OK)
        return at(where, error);
    memmove(outputs->text[outputs->count++], text, strlen(text) + 1);
    return CA_OK;
}

bool ca_outputs_have_series(const struct ca_outputs *outputs)
{
    bool any = false;

    for (int i = 0; i < outputs->count; i++) {
        struct ca_output output;
        struct ca_error ignored;
        bool series;

        any |= ca_output_parse(&output, outputs->model, outputs->text[i], &ignored) == CA_OK &&
               ca_series_check(output.path, &series, &ignored) == CA_OK &&
               (series || ca_output_gathers(&output));
    }
    return any;
}

enum ca_status ca_outputs_check_series(const struct ca_outputs *outputs, struct ca_error *error)
{
    bool any = ca_outputs_have_series(outputs);

    if (any && !outputs->every)
        return ca_fail(
            error, CA_USAGE,
            "the generation is in the name of an output, or it has observables or is a film: "
            "'every' "
            "(--every N) has to say how many generations pass from one file to the next, "
            "or from one line or picture");
    if (!any && outputs->every)
        return ca_fail(
            error, CA_USAGE,
            "'every' (--every) is %" PRIu64 ", but no output has a place for the "
            "generation in its name, as in 'state%%06d.npy', is 'observables:FILE' or a film",
            outputs->every);
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
static enum ca_status experiment_set_option(struct ca_experiment *experiment, const char *name,
                                            const char *text, enum ca_origin origin,
                                            const char *where, struct ca_error *error)
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

/* --- the rows --------------------------------------------------------------------------------- */

#define IN_FILES (CA_IN_FILE | CA_IN_JSON | CA_IN_SAVED)
#define IN_ALL (IN_FILES | CA_IN_COMMAND | CA_IN_VARIABLE)
#define OF_MACHINE (CA_IN_COMMAND | CA_IN_VARIABLE)

const struct ca_key_row ca_key_rows[CA_KEY_COUNT] = {
    [CA_KEY_MODEL] = {"model", CA_IN_RESULT | CA_MAKES_RUN},
    [CA_KEY_BACKEND] = {"backend", IN_ALL | CA_IN_RESULT,
                        .always = CA_IN_FILE | CA_IN_JSON | CA_IN_RESULT | CA_IN_COMMAND,
                        .letter = 'b', .set = set_backend},
    [CA_KEY_SIZE] = {"size", IN_ALL | CA_IN_RESULT | CA_IN_STATE | CA_MAKES_RUN,
                     .always = CA_IN_FILE | CA_IN_JSON | CA_IN_RESULT | CA_IN_COMMAND,
                     .letter = 's', .list = true, .set = set_size},
    [CA_KEY_SEED] = {"seed",
                     IN_ALL | CA_IN_RESULT | CA_IN_CASE | CA_IN_STATE | CA_MAKES_RUN |
                         CA_OF_ANY_MODEL,
                     .always = CA_IN_FILE | CA_IN_JSON | CA_IN_RESULT | CA_IN_COMMAND,
                     .number = true, .max = UINT64_MAX,
                     .member = offsetof(struct ca_experiment, seed)},
    [CA_KEY_STEPS] = {"steps",
                      CA_IN_FILE | CA_IN_REQUEST | CA_IN_COMMAND | CA_IN_VARIABLE | CA_IN_CASE |
                          CA_OF_ANY_MODEL,
                      .always = CA_IN_FILE | CA_IN_COMMAND, .letter = 'n', .number = true,
                      .max = INT64_MAX, .member = offsetof(struct ca_experiment, steps)},
    [CA_KEY_INIT] = {"init", IN_ALL | CA_IN_RESULT | CA_IN_CASE | CA_IN_STATE | CA_MAKES_RUN,
                     .always = CA_IN_FILE | CA_IN_JSON | CA_IN_RESULT, .set = set_init},
    [CA_KEY_AT] = {"at",
                   IN_ALL | CA_IN_RESULT | CA_IN_CASE | CA_IN_STATE | CA_IN_NOTE | CA_MAKES_RUN,
                   .set = set_at},
    [CA_KEY_GENERATION] = {"generation", IN_FILES | CA_IN_COMMAND | CA_IN_STATE, .number = true,
                           .json = "init_generation", .max = INT64_MAX / 2,
                           .member = offsetof(struct ca_experiment, generation)},
    [CA_KEY_THREADS] = {"threads", OF_MACHINE},
    [CA_KEY_DEVICE] = {"device", OF_MACHINE},
    [CA_KEY_DEVICES] = {"devices", OF_MACHINE},
    [CA_KEY_RANKS] = {"ranks", OF_MACHINE},
    [CA_KEY_SET] = {"set", .set = set_pair},
};

char *ca_experiment_format(char text[CA_TEXT_MAX], const struct ca_experiment *experiment,
                           enum ca_key key)
{
    const struct ca_key_row *row = &ca_key_rows[key];

    text[0] = '\0';
    if (row->number)
        sprintf(text, "%" PRIu64, *(const uint64_t *)((const char *)experiment + row->member));
    else if (key == CA_KEY_MODEL)
        snprintf(text, CA_TEXT_MAX, "%s", ca_model_word(experiment->model));
    else if (key == CA_KEY_BACKEND)
        strcpy(text, ca_experiment_named(experiment)->name);
    else if (key == CA_KEY_SIZE)
        ca_size_format(text, experiment->size, experiment->model->dimensions);
    else if (key == CA_KEY_INIT)
        strcpy(text, experiment->init);
    else if (key == CA_KEY_AT && experiment->at.given)
        ca_at_format(text, experiment->at, experiment->model->dimensions);
    return text;
}

bool ca_experiment_tells(const struct ca_experiment *experiment, enum ca_key key, unsigned place)
{
    const struct ca_key_row *row = &ca_key_rows[key];
    char text[CA_TEXT_MAX], standard[CA_TEXT_MAX];
    struct ca_experiment fresh;

    if (!(row->places & place) || key >= CA_KEY_THREADS)
        return false;
    if (row->always & place)
        return true;
    ca_experiment_default(&fresh, experiment->model);
    return strcmp(ca_experiment_format(text, experiment, key),
                  ca_experiment_format(standard, &fresh, key)) != 0;
}

enum ca_key ca_experiment_differs(const struct ca_experiment *a, const struct ca_experiment *b,
                                  unsigned places)
{
    char text[CA_TEXT_MAX], other[CA_TEXT_MAX];

    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & places) == places &&
            strcmp(ca_experiment_format(text, a, (enum ca_key)i),
                   ca_experiment_format(other, b, (enum ca_key)i)) != 0)
            return (enum ca_key)i;
    return CA_KEY_COUNT;
}

static const char *setting_name(const void *context, int i)
{
    (void)context;
    return ca_key_rows[CA_KEY_BACKEND + i].name;
}

enum ca_status ca_experiment_set(struct ca_experiment *experiment, const char *name,
                                 const char *text, enum ca_origin origin, const char *where,
                                 struct ca_error *error)
{
    char hint[CA_TEXT_MAX];

    for (int i = CA_KEY_BACKEND; i < CA_KEY_COUNT; i++) {
        const struct ca_key_row *row = &ca_key_rows[i];

        if (strcmp(row->name, name) != 0)
            continue;
        if (row->number)
            CA_TRY(parse_whole((uint64_t *)((char *)experiment + row->member), text,
                               i == CA_KEY_SEED, 0, row->max, where, error));
        else if (row->set)
            CA_TRY(row->set(experiment, text, origin, where, error));
        else
            return experiment_set_option(experiment, name, text, origin, where, error);
        experiment->origin[i] = origin;
        return CA_OK;
    }
    ca_error_set(error, CA_USAGE, "'%.80s' is not a setting of an experiment%s", name,
                 ca_suggest(hint, name, CA_KEY_COUNT - CA_KEY_BACKEND, setting_name, NULL));
    return at(where, error);
}

enum ca_status ca_experiment_copy_key(struct ca_experiment *to, const struct ca_experiment *from,
                                      enum ca_key key, const char *where, struct ca_error *error)
{
    char text[CA_TEXT_MAX];

    return ca_experiment_format(text, from, key)[0]
               ? ca_experiment_set(to, ca_key_rows[key].name, text, from->origin[key], where, error)
               : CA_OK;
}

void ca_experiment_begin_with(struct ca_experiment *experiment, const char *init,
                              enum ca_origin origin)
{
    snprintf(experiment->init, sizeof experiment->init, "%s", init);
    experiment->origin[CA_KEY_INIT] = origin;
    experiment->at = (struct ca_at){0};
    experiment->origin[CA_KEY_AT] = CA_BUILT_IN;
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
