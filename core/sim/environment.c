/* SPDX-License-Identifier: MIT */
/* Reads the variables CALAB_* that say something of an experiment. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/device.h"
#include "core/model/backend_glob.h"
#include "core/sim/experiment.h"

#define NAME_MAX_BYTES 32

/* NULL where it is not set; an empty one counts as that. */
static const char *variable(const char *name)
{
    const char *text = getenv(name);

    return text && text[0] ? text : NULL;
}

/* "CALAB_SIZE" of "size". Returns name. */
static char *variable_name(char name[NAME_MAX_BYTES], const struct ca_key_row *row)
{
    snprintf(name, NAME_MAX_BYTES, "CALAB_%s", row->name);
    for (char *c = name; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return name;
}

/* Takes the next of the items "key=value" from *rest into item. CA_USAGE for an empty one, and for
 * a key that has been there, of `list`. */
static enum ca_status next_pair(const char *list, const char **rest, char item[CA_TEXT_MAX],
                                struct ca_error *error)
{
    const char *start = *rest;
    size_t length;

    *rest = ca_glob_next(start, item);
    length = strcspn(item, "=");
    if (length == 0 || !item[length])
        return ca_fail(error, CA_USAGE,
                       "CALAB_SET: '%.80s' is not of the form key=value; several have commas in "
                       "between",
                       item);
    for (const char *at = list; at < start; at += strcspn(at, ",") + 1)
        if (strncmp(at, item, length + 1) == 0)
            return ca_fail(error, CA_USAGE, "CALAB_SET: %.*s is set twice; once is allowed",
                           (int)(length < 64 ? length : 64), item);
    return CA_OK;
}

static enum ca_status check_pairs(struct ca_error *error)
{
    const char *list = variable("CALAB_SET"), *rest = list;
    char item[CA_TEXT_MAX];

    if (!list)
        return CA_OK;
    CA_TRY(ca_list_check(list, "CALAB_SET", error));
    while (rest && *rest)
        CA_TRY(next_pair(list, &rest, item, error));
    return CA_OK;
}

/* The row of an option in the tables of all backends: they have the same. */
static bool find_option(const char *name, struct ca_values *values, int *index)
{
    for (int m = 0; ca_models[m]; m++)
        for (const struct ca_backend *b = ca_models[m]->backends; b;
             b = ca_backend_next(ca_models[m], b)) {
            ca_values_default(values, b->options);
            *index = ca_values_find(values, name);
            if (*index >= 0)
                return true;
        }
    return false;
}

static enum ca_status check_machine(struct ca_error *error)
{
    for (int i = CA_KEY_THREADS; i < CA_KEY_SET; i++) {
        char name[NAME_MAX_BYTES];
        const char *text = variable(variable_name(name, &ca_key_rows[i]));
        struct ca_values values;
        struct ca_error cause;
        int index;

        if (!text || !find_option(ca_key_rows[i].name, &values, &index))
            continue;
        CA_TRY(ca_values_set(&values, index, text, CA_FROM_ENVIRONMENT, name, error));
        if (i == CA_KEY_DEVICES && ca_devices_check(text, &cause) != CA_OK)
            return ca_fail(error, CA_USAGE, "%s: %s", name, cause.text);
    }
    return CA_OK;
}

enum ca_status ca_environment_check(struct ca_error *error)
{
    const unsigned wanted = CA_IN_VARIABLE | CA_OF_ANY_MODEL;
    const char *model = variable("CALAB_MODEL"), *backend = variable("CALAB_BACKEND");
    const char *size = variable("CALAB_SIZE"), *at = variable("CALAB_AT");
    const struct ca_backend *of_model;
    const struct ca_model *found;
    struct ca_experiment scratch;
    struct ca_error cause;
    struct ca_size parsed;
    struct ca_at cell;
    char name[NAME_MAX_BYTES];
    bool known = !backend;

    if (model && ca_model_open(&found, model, &cause) != CA_OK)
        return ca_fail(error, CA_USAGE, "CALAB_MODEL: %s", cause.text);
    for (int m = 0; ca_models[m] && !known; m++)
        known = ca_backend_find(&of_model, ca_models[m], backend, &cause) == CA_OK;
    if (!known)
        CA_TRY(ca_backend_glob_check(backend, ca_models, "CALAB_BACKEND", error));
    ca_experiment_default(&scratch, ca_models[0]);
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & wanted) == wanted &&
            variable(variable_name(name, &ca_key_rows[i])))
            CA_TRY(ca_experiment_set(&scratch, ca_key_rows[i].name, variable(name),
                                     CA_FROM_ENVIRONMENT, name, error));
    /* A size or a cell may be one of two or of three dimensions. */
    if (size && ca_size_parse(&parsed, size, 3, "CALAB_SIZE", &cause) != CA_OK)
        CA_TRY(ca_size_parse(&parsed, size, strchr(size, 'x') == strrchr(size, 'x') ? 2 : 3,
                             "CALAB_SIZE", error));
    if (at)
        CA_TRY(ca_at_parse(&cell, at, 3, "CALAB_AT", error));
    CA_TRY(check_machine(error));
    return check_pairs(error);
}

static void keep_later(struct ca_values *values, const struct ca_values *kept)
{
    for (int i = 0; i < kept->count; i++)
        if (kept->value[i].origin > CA_FROM_ENVIRONMENT)
            values->value[i] = kept->value[i];
}

enum ca_status ca_experiment_environment(struct ca_experiment *experiment, struct ca_error *error)
{
    const struct ca_experiment given = *experiment;
    const char *list = variable("CALAB_SET"), *rest = list;
    char name[NAME_MAX_BYTES], item[CA_TEXT_MAX];

    for (int i = 0; i < CA_KEY_THREADS; i++) {
        const struct ca_key_row *row = &ca_key_rows[i];

        if ((row->places & CA_IN_VARIABLE) && variable(variable_name(name, row)) &&
            given.origin[i] <= CA_FROM_ENVIRONMENT)
            CA_TRY(ca_experiment_set(experiment, row->name, variable(name), CA_FROM_ENVIRONMENT,
                                     name, error));
    }
    CA_TRY(check_machine(error));
    /* A backend without the option ignores it: the variable describes the machine. */
    for (int i = CA_KEY_THREADS; i < CA_KEY_SET; i++) {
        int index = ca_values_find(&experiment->options, ca_key_rows[i].name);
        const char *text = variable(variable_name(name, &ca_key_rows[i]));

        if (text && index >= 0 && experiment->options.value[index].origin <= CA_FROM_ENVIRONMENT)
            CA_TRY(
                ca_values_set(&experiment->options, index, text, CA_FROM_ENVIRONMENT, name, error));
    }
    /* CALAB_SET="key=value,key=value". */
    CA_TRY(check_pairs(error));
    while (rest && *rest) {
        struct ca_values params = experiment->params, options = experiment->options;

        rest = ca_glob_next(rest, item);
        CA_TRY(ca_experiment_set(experiment, "set", item, CA_FROM_ENVIRONMENT, "CALAB_SET", error));
        keep_later(&experiment->params, &params);
        keep_later(&experiment->options, &options);
    }
    return CA_OK;
}
