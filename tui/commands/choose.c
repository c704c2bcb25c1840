/* SPDX-License-Identifier: MIT */
/* This file makes an experiment of the saved view, the experiment file, CALAB_* and the command
 * line. */
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/model/backend_glob.h"
#include "core/sim/backend_spec.h"
#include "core/sim/output.h"
#include "core/sim/shipped.h"
#include "tui/commands/commands.h"

static enum ca_status choose_model(const struct ca_model **model, enum ca_origin *origin,
                                   const struct options *options, struct ca_error *error)
{
    const char *variable = getenv("CALAB_MODEL");

    *model = NULL;
    *origin = CA_BUILT_IN;
    if (options->operands > 0) {
        *origin = CA_FROM_COMMAND_LINE;
        return ca_model_open(model, options->operand[0], error);
    }
    if (variable && variable[0]) {
        struct ca_error inner;

        *origin = CA_FROM_ENVIRONMENT;
        if (ca_model_open(model, variable, &inner) != CA_OK)
            return ca_fail(error, CA_USAGE, "CALAB_MODEL: %s", inner.text);
    }
    return CA_OK;
}

static enum ca_status no_model(struct ca_error *error)
{
    char list[256] = "";

    for (int i = 0; ca_models[i]; i++) {
        strcat(list, i ? ", " : "");
        strcat(list, ca_models[i]->name);
    }
    return ca_fail(
        error, CA_USAGE,
        "no model is given: name one (%s), an experiment file with -c, or set CALAB_MODEL", list);
}

/* --threads and --device set an option that the backend must have. */
static enum ca_status check_option(const struct ca_experiment *experiment, const char *option,
                                   struct ca_error *error)
{
    const struct ca_model *model = experiment->model;
    char list[256] = "";

    if (ca_backend_has_option(experiment->backend, option))
        return CA_OK;
    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
        if (ca_backend_has_option(b, option)) {
            strcat(list, list[0] ? ", " : "");
            strcat(list, b->name);
        }
    if (list[0])
        return ca_fail(error, CA_USAGE,
                       "--%s: backend %s of %s does not have this option; these do: %s", option,
                       experiment->backend->name, model->name, list);
    return ca_fail(error, CA_USAGE, "--%s: no backend of %s has this option", option, model->name);
}

/* The backends of -b, none without it. */
static enum ca_status read_backends(struct ca_backend_spec spec[], int max, int *count,
                                    const struct options *options, struct ca_error *error)
{
    char list[CA_TEXT_MAX];

    *count = 0;
    if (!options_has(options, OPTION_BACKEND))
        return CA_OK;
    CA_TRY(choose_list(list, options, OPTION_BACKEND, error));
    return ca_backend_specs_parse(spec, max, count, list, "--backend", error);
}

static enum ca_status refuse_hosts(const struct ca_backend_spec spec[], int max, int count,
                                   struct ca_error *error)
{
    for (int i = 0; i < count; i++)
        if (spec[i].host[0])
            return ca_fail(error, CA_USAGE,
                           "--backend: host '%.80s' is not allowed here, where everything runs in "
                           "this process; allowed: BACKEND[/OPTION=VALUE...]%s",
                           spec[i].host, max > 1 ? ", or two of them with a comma" : "");
    return CA_OK;
}

static const enum option_id of_pictures[] = {OPTION_SCALE, OPTION_PROJECT, OPTION_SLICE};

#define OF_PICTURES ((int)(sizeof of_pictures / sizeof of_pictures[0]))

/* Adds what --slice, --project and --scale say to the text of an output that is a picture. */
static bool with_snapshot(char text[CA_TEXT_MAX], const struct options *options)
{
    bool picture = false;

    for (int i = 0; i < OF_PICTURES; i++) {
        const char *value = options_value(options, of_pictures[i]);
        char longer[CA_TEXT_MAX];

        if (value && ca_output_with(longer, text, option_rows[of_pictures[i]].name, value)) {
            memcpy(text, longer, sizeof longer);
            picture = true;
        }
    }
    return picture;
}

/* `pictures`: the outputs of the command line to which they were added. */
static enum ca_status check_snapshot(const struct options *options, int pictures,
                                     struct ca_error *error)
{
    struct ca_snapshot snapshot = ca_snapshot_default();

    for (int i = 0; i < OF_PICTURES; i++) {
        const char *value = options_value(options, of_pictures[i]);
        const char *name = option_rows[of_pictures[i]].name;

        if (!value)
            continue;
        CA_TRY(ca_snapshot_set(&snapshot, name, value, error));
        if (!pictures)
            return ca_fail(error, CA_USAGE, "--%s: goes with a picture, as in -o FILE.png", name);
    }
    return CA_OK;
}

enum ca_status choose_apply(struct ca_experiment *experiment, struct ca_outputs *outputs,
                            const struct options *options, struct ca_error *error)
{
    int pictures = 0;

    CA_TRY(check_snapshot(options, 1, error)); /* before they become a part of a text */
    if (options_has(options, OPTION_OUTPUT))
        outputs->count = 0; /* the command line replaces the files of the experiment */
    if (options_has(options, OPTION_INIT)) /* before --set: a pattern brings parameters */
        CA_TRY(ca_experiment_set(experiment, "init", options_value(options, OPTION_INIT),
                                 CA_FROM_COMMAND_LINE, "--init", error));
    for (int i = 0; i < options->count; i++) {
        enum option_id id = options->given[i].id;
        const char *value = options->given[i].text;
        char where[32], text[CA_TEXT_MAX];

        if (!option_rows[id].experiment || id == OPTION_BACKEND || id == OPTION_INIT)
            continue;
        if (id == OPTION_THREADS || id == OPTION_DEVICE || id == OPTION_DEVICES ||
            id == OPTION_RANKS)
            CA_TRY(check_option(experiment, option_rows[id].name, error));
        snprintf(where, sizeof where, "--%s", option_rows[id].name);
        if (id == OPTION_OUTPUT && strlen(value) < sizeof text) {
            pictures += with_snapshot(strcpy(text, value), options);
            value = text;
        }
        if (id == OPTION_OUTPUT)
            CA_TRY(ca_outputs_add(outputs, experiment->model, value, where, error));
        else if (id == OPTION_EVERY)
            CA_TRY(ca_outputs_set_every(outputs, value, CA_FROM_COMMAND_LINE, where, error));
        else
            CA_TRY(ca_experiment_set(experiment, option_rows[id].name, value, CA_FROM_COMMAND_LINE,
                                     where, error));
    }
    /* An `every` of the experiment goes with its files. */
    if (options_has(options, OPTION_OUTPUT) && !options_has(options, OPTION_EVERY) &&
        !ca_outputs_have_series(outputs))
        outputs->every = 0;
    return check_snapshot(options, pictures, error);
}

static enum ca_status choose_with(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                  const struct ca_backend_spec *spec, const struct options *options,
                                  const struct ca_settings *settings, struct ca_error *error)
{
    const char *path = options_value(options, OPTION_CONFIG);
    const struct ca_model *model;
    enum ca_origin origin;

    CA_TRY(choose_model(&model, &origin, options, error));
    if (!model && path) {
        struct ca_experiment scratch;

        /* The model that an experiment file names. */
        ca_experiment_default(&scratch, ca_models[0]);
        CA_TRY(ca_shipped_open(&scratch, NULL, path, error));
        model = scratch.model;
    }
    if (!model && settings) {
        model = ca_settings_model(settings);
        origin = model ? CA_FROM_SETTINGS : CA_BUILT_IN;
        model = model ? model : ca_models[0];
    }
    if (!model)
        return no_model(error);
    /* The built-in or saved values of a model, which all other sources overwrite. */
    if (settings) {
        struct ca_saved_view saved;

        ca_settings_recall(settings, model, &saved);
        *experiment = saved.experiment;
    } else {
        ca_experiment_default(experiment, model);
    }
    experiment->origin[CA_KEY_MODEL] = origin;
    *outputs = (struct ca_outputs){.model = model};
    if (path)
        CA_TRY(ca_shipped_open(experiment, outputs, path, error));
    /* The backend is set first, because it determines which options CALAB_* can set. */
    if (spec)
        CA_TRY(ca_backend_spec_apply(spec, experiment, CA_FROM_COMMAND_LINE, "--backend", error));
    CA_TRY(ca_experiment_environment(experiment, error));
    return choose_apply(experiment, outputs, options, error);
}

enum ca_status choose_experiment(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                 const struct options *options, const struct ca_settings *settings,
                                 struct ca_error *error)
{
    struct ca_backend_spec spec;
    int count;

    CA_TRY(read_backends(&spec, 1, &count, options, error));
    CA_TRY(refuse_hosts(&spec, 1, count, error));
    return choose_with(experiment, outputs, count ? &spec : NULL, options, settings, error);
}

enum ca_status choose_two(struct ca_experiment experiment[2], struct ca_outputs *outputs,
                          int *count, const struct options *options,
                          const struct ca_settings *settings, struct ca_error *error)
{
    struct ca_backend_spec spec[2];

    CA_TRY(read_backends(spec, 2, count, options, error));
    CA_TRY(refuse_hosts(spec, 2, *count, error));
    CA_TRY(
        choose_with(&experiment[0], outputs, *count ? &spec[0] : NULL, options, settings, error));
    if (*count == 2)
        return choose_with(&experiment[1], outputs, &spec[1], options, settings, error);
    *count = 1;
    return CA_OK;
}

enum ca_status choose_contenders(struct contender contender[CONTENDERS_MAX], int *count,
                                 const struct options *options, const struct ca_settings *settings,
                                 struct ca_error *error)
{
    struct ca_backend_spec spec[CONTENDERS_MAX] = {0};

    CA_TRY(read_backends(spec, CONTENDERS_MAX, count, options, error));
    for (int i = 0; i < *count || i == 0; i++) {
        CA_TRY(choose_with(&contender[i].experiment, &contender[i].outputs,
                           *count ? &spec[i] : NULL, options, settings, error));
        memcpy(contender[i].host, spec[i].host, sizeof contender[i].host);
    }
    *count = *count ? *count : 1;
    return CA_OK;
}

/* --- the lists and numbers of verify and bench ------------------------------------------------ */

/* Refuses two files that tables and messages could not tell apart. */
static enum ca_status tell_apart(const struct ca_model *a, const struct ca_model *b,
                                 struct ca_error *error)
{
    if (ca_model_same(a, b))
        return ca_fail(error, CA_USAGE, "model '%s' is named twice", ca_model_word(a));
    if (strcmp(a->name, b->name) == 0)
        return ca_fail(error, CA_USAGE,
                       "%.250s and %.250s both declare the model %.80s, and could not be told "
                       "apart: CA_MODEL of one of them needs another name",
                       ca_model_word(a), ca_model_word(b), a->name);
    return CA_OK;
}

enum ca_status choose_models(const struct ca_model *models[], const struct options *options,
                             struct ca_error *error)
{
    int count = 0;

    for (int i = 0; i < options->operands; i++) {
        const struct ca_model *model;

        CA_TRY(ca_model_open(&model, options->operand[i], error));
        for (int j = 0; j < count; j++)
            CA_TRY(tell_apart(models[j], model, error));
        models[count++] = model;
    }
    for (int i = 0; options->operands == 0 && ca_models[i]; i++)
        models[count++] = ca_models[i];
    models[count] = NULL;
    return CA_OK;
}

enum ca_status choose_list(char text[CA_TEXT_MAX], const struct options *options, enum option_id id,
                           struct ca_error *error)
{
    text[0] = '\0';
    for (int i = 0; i < options->count; i++) {
        const char *given = options->given[i].text;
        char where[32];

        if (options->given[i].id != id)
            continue;
        if (strlen(text) + strlen(given) + 2 > CA_TEXT_MAX)
            return ca_fail(error, CA_USAGE, "--%s: the text is longer than %d bytes",
                           option_rows[id].name, CA_TEXT_MAX - 1);
        if (!given[0])
            return ca_fail(error, CA_USAGE, "--%s: the argument is empty", option_rows[id].name);
        snprintf(where, sizeof where, "--%s", option_rows[id].name);
        CA_TRY(ca_list_check(given, where, error));
        if (text[0])
            strcat(text, ",");
        strcat(text, given);
    }
    return CA_OK;
}

enum ca_status choose_whole(int64_t *value, const struct options *options, enum option_id id,
                            int64_t low, int64_t high, struct ca_error *error)
{
    const char *text = options_value(options, id);
    int64_t number;

    if (!text)
        return CA_OK;
    if (!ca_read_whole(text, &number) || number < low || number > high)
        return ca_fail(error, CA_USAGE,
                       "--%s: '%.80s' is not allowed; allowed: a whole number %lld ... %lld",
                       option_rows[id].name, text, (long long)low, (long long)high);
    *value = number;
    return CA_OK;
}

enum ca_status choose_number(double *value, const struct options *options, enum option_id id,
                             double low, double high, struct ca_error *error)
{
    const char *text = options_value(options, id);
    char least[CA_NUMBER_MAX], most[CA_NUMBER_MAX];
    double number;

    if (!text)
        return CA_OK;
    if (!ca_read_real(text, &number) || number < low || number > high)
        return ca_fail(error, CA_USAGE, "--%s: '%.80s' is not allowed; allowed: a number %s ... %s",
                       option_rows[id].name, text, ca_number_format(least, low),
                       ca_number_format(most, high));
    *value = number;
    return CA_OK;
}
