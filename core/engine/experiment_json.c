/* SPDX-License-Identifier: MIT */
/* This file converts experiments to and from JSON objects, for the protocol and for results. */
#include "core/engine/experiment_json.h"
#include "core/sim/plan_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *ca_json_text(const char *text)
{
    json_t *json = json_string(text);
    char *plain = json ? NULL : strdup(text);

    if (!plain)
        return json;
    for (char *c = plain; *c; c++)
        if (*c < 0 || *c > '~')
            *c = '?';
    json = json_string(plain);
    free(plain);
    return json;
}

static json_t *values_to_json(const struct ca_values *values)
{
    json_t *object = json_object();

    for (int i = 0; i < values->count; i++) {
        const struct ca_param *param = &values->table[i];
        const struct ca_value *value = &values->value[i];
        json_t *item;

        if (param->kind == CA_INT)
            item = json_integer((json_int_t)value->number);
        else if (param->kind == CA_REAL || param->kind == CA_PROBABILITY)
            item = json_real(value->number);
        else
            item = ca_json_text(value->text);
        json_object_set_new(object, param->name, item);
    }
    return object;
}

static enum ca_status read_value(struct ca_values *values, int index, const json_t *item,
                                 enum ca_origin origin, const char *where, struct ca_error *error)
{
    if (json_is_number(item))
        return ca_values_set_number(values, index, json_number_value(item), origin, where, error);
    if (json_is_string(item))
        return ca_values_set(values, index, json_string_value(item), origin, where, error);
    return ca_fail(error, CA_USAGE, "%s: %s: a number or a string is expected", where,
                   values->table[index].name);
}

static json_t *tuned(const struct ca_values *options)
{
    json_t *list = json_array();

    for (int i = 0; i < options->count; i++)
        if (options->value[i].origin == CA_TUNED)
            json_array_append_new(list, json_string(options->table[i].name));
    return list;
}

json_t *ca_json_seed(uint64_t seed)
{
    char text[32];

    if (seed <= INT64_MAX)
        return json_integer((json_int_t)seed);
    snprintf(text, sizeof text, "%" PRIu64, seed);
    return json_string(text);
}

/* "32x16x8" as [32, 16, 8]. */
static json_t *experiment_json_list_of(const char *sides)
{
    json_t *list = json_array();
    char *end;

    for (; *sides; sides = *end ? end + 1 : end)
        json_array_append_new(list, json_integer(strtoll(sides, &end, 10)));
    return list;
}

static const char *setting_key(const struct ca_key_row *row)
{
    return row->json ? row->json : row->name;
}

static json_t *digest_to_json(uint64_t digest) { return json_sprintf("%016" PRIx64, digest); }

void ca_model_to_json(json_t *json, const struct ca_model *model)
{
    json_object_set_new(json, "model", ca_json_text(ca_model_word(model)));
    if (model->source)
        json_object_set_new(json, "model_digest", digest_to_json(model->source->digest));
}

/* A file is compiled here: its text comes with the request, or it is read. */
enum ca_status ca_model_from_json(const struct ca_model **model, const json_t *json,
                                  struct ca_error *error)
{
    const char *word = json_string_value(json_object_get(json, "model"));
    const json_t *item = json_object_get(json, "model_digest"),
                 *text = json_object_get(json, "bytes");
    const char *digits = json_string_value(item);
    uint64_t digest = digits ? strtoull(digits, NULL, 16) : 0;

    if (!word)
        return ca_fail(error, CA_USAGE, "model: the name of a model is expected");
    if (item && (!digits || strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16))
        return ca_fail(error, CA_USAGE, "model_digest: 16 hexadecimal digits are expected");
    if (!item || !ca_model_is_path(word))
        return ca_model_open(model, word, error);
    *model = ca_model_opened(word, digest);
    if (*model)
        return CA_OK;
    if (json_string_length(text) > 0)
        return ca_model_open_text(model, word, digest, json_string_value(text),
                                  json_string_length(text), error);
    CA_TRY(ca_model_open(model, word, error));
    if ((*model)->source->digest == digest)
        return CA_OK;
    return ca_fail(error, CA_USAGE,
                   "%.300s: the file is another than the one that was opened: open it anew", word);
}

json_t *ca_experiment_to_json(const struct ca_experiment *experiment)
{
    struct ca_experiment run = *experiment;
    json_t *object = json_object();

    run.choice = NULL; /* what has been chosen is told */
    ca_model_to_json(object, run.model);
    for (int i = 0; i < CA_KEY_COUNT; i++) {
        const struct ca_key_row *row = &ca_key_rows[i];
        char text[CA_TEXT_MAX];

        if (!ca_experiment_tells(&run, (enum ca_key)i, CA_IN_JSON))
            continue;
        ca_experiment_format(text, &run, (enum ca_key)i);
        json_object_set_new(object, setting_key(row),
                            row->number ? ca_json_seed(strtoull(text, NULL, 10))
                            : row->list ? experiment_json_list_of(text)
                                        : ca_json_text(text));
    }
    if (experiment->choice)
        json_object_set_new(object, "choice", json_string(experiment->choice->name));
    if (experiment->why[0])
        json_object_set_new(object, "choice_why", ca_json_text(experiment->why));
    json_object_set_new(object, "parameters", values_to_json(&experiment->params));
    json_object_set_new(object, "options", values_to_json(&experiment->options));
    json_object_set_new(object, "tuned", tuned(&experiment->options));
    return object;
}

json_t *ca_experiment_request(const struct ca_experiment *experiment)
{
    json_t *object = ca_experiment_to_json(experiment);
    bool choice = ca_experiment_named(experiment)->choice;

    /* The engine lets a choice take only backends that have all options of the request, so that an
     * option at its default is left out. */
    for (int i = 0; i < experiment->options.count; i++)
        if (ca_tunable(&experiment->options, i) ||
            (choice && experiment->options.value[i].origin == CA_BUILT_IN))
            json_object_del(json_object_get(object, "options"), experiment->options.table[i].name);
    /* A size that nobody has set is left out: the engine knows whether a file imposes one. */
    if (experiment->origin[CA_KEY_SIZE] == CA_BUILT_IN &&
        ca_size_equal(experiment->size, experiment->model->default_size))
        json_object_del(object, "size");
    json_object_del(object, "tuned");
    json_object_del(object, "choice");
    json_object_del(object, "choice_why");
    json_object_set_new(object, "backend", json_string(ca_experiment_named(experiment)->name));
    return object;
}

void ca_experiment_take_reply(struct ca_experiment *experiment, const json_t *json)
{
    const json_t *options = json_object_get(json, "options"),
                 *parameters = json_object_get(json, "parameters"),
                 *list = json_object_get(json, "tuned"), *size = json_object_get(json, "size");
    const char *backend = json_string_value(json_object_get(json, "backend"));
    const char *why = json_string_value(json_object_get(json, "choice_why"));
    const struct ca_backend *named = ca_experiment_named(experiment), *chosen;
    struct ca_values *params = &experiment->params;
    struct ca_error ignored;

    if (named->choice && backend &&
        ca_backend_find(&chosen, experiment->model, backend, &ignored) == CA_OK) {
        ca_experiment_chosen(experiment, named, chosen);
        if (why)
            snprintf(experiment->why, sizeof experiment->why, "%s", why);
    }
    if (json_array_size(size) == (size_t)experiment->model->dimensions)
        experiment->size = (struct ca_size){
            json_integer_value(json_array_get(size, 0)),
            json_integer_value(json_array_get(size, 1)),
            experiment->model->dimensions == 3 ? json_integer_value(json_array_get(size, 2)) : 1};
    /* A parameter that nobody has set may come from the file of the start: its rule. */
    for (int i = 0; i < params->count; i++) {
        struct ca_values read = *params;
        const json_t *item = json_object_get(parameters, params->table[i].name);

        if (item && params->value[i].origin == CA_BUILT_IN &&
            read_value(&read, i, item, CA_FROM_EXPERIMENT, "reply", &ignored) == CA_OK &&
            !ca_value_equal(&read.value[i], &params->value[i]))
            params->value[i] = read.value[i];
    }
    ca_values_untune(&experiment->options);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        int index = name ? ca_values_find(&experiment->options, name) : -1;

        if (index >= 0 && ca_tunable(&experiment->options, index))
            read_value(&experiment->options, index, json_object_get(options, name), CA_TUNED,
                       "tuned", &ignored);
    }
}

/* A string, or a whole number or a list as text. */
static enum ca_status read_setting(struct ca_experiment *experiment, const json_t *json,
                                   const struct ca_key_row *row, struct ca_error *error)
{
    const char *key = setting_key(row), *said = NULL;
    const json_t *item = json_object_get(json, key);
    char text[CA_TEXT_MAX];

    if (!item)
        return CA_OK;
    if (json_is_string(item))
        said = json_string_value(item);
    else if (json_is_array(item) && row->list) {
        int dimensions = experiment->model->dimensions;
        size_t used = 0;

        /* [W, H] or [W, H, D] as "WxHxD". */
        if (json_array_size(item) != (size_t)dimensions)
            return ca_fail(error, CA_USAGE, "%s: %zu sides, expected %d for %s", key,
                           json_array_size(item), dimensions, experiment->model->name);
        for (int i = 0; i < dimensions; i++) {
            const json_t *number = json_array_get(item, (size_t)i);

            if (!json_is_integer(number))
                return ca_fail(error, CA_USAGE, "%s: whole numbers are expected", key);
            used += (size_t)snprintf(text + used, CA_TEXT_MAX - used, "%s%" JSON_INTEGER_FORMAT,
                                     i ? "x" : "", json_integer_value(number));
        }
    } else if (json_is_integer(item))
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(item));
    else
        return ca_fail(error, CA_USAGE, "%s: a string or a whole number is expected", key);
    return ca_experiment_set(experiment, row->name, said ? said : text, CA_FROM_EXPERIMENT, key,
                             error);
}

static enum ca_status experiment_json_read_values(struct ca_experiment *experiment,
                                                  const json_t *json, const char *name,
                                                  struct ca_values *values, struct ca_error *error)
{
    json_t *object = json_object_get(json, name), *item;
    const char *key;

    if (object && !json_is_object(object))
        return ca_fail(error, CA_USAGE, "%s: an object is expected", name);
    json_object_foreach(object, key, item)
    {
        int index = ca_values_find(values, key);

        if (index >= 0)
            CA_TRY(read_value(values, index, item, CA_FROM_EXPERIMENT, name, error));
        else /* no such name, which this says with the nearest one */
            CA_TRY(ca_experiment_value(experiment, key, "", CA_FROM_EXPERIMENT, name, error));
    }
    return CA_OK;
}

enum ca_status ca_experiment_values(struct ca_experiment *experiment, const json_t *json,
                                    struct ca_error *error)
{
    CA_TRY(experiment_json_read_values(experiment, json, "parameters", &experiment->params, error));
    return experiment_json_read_values(experiment, json, "options", &experiment->options, error);
}

enum ca_status ca_experiment_from_json(struct ca_experiment *experiment, const json_t *json,
                                       struct ca_error *error)
{
    struct ca_experiment read;
    const struct ca_model *model;

    CA_TRY(ca_model_from_json(&model, json, error));
    ca_experiment_default(&read, model);
    read.origin[CA_KEY_MODEL] = CA_FROM_EXPERIMENT;
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_key_rows[i].places & (CA_IN_JSON | CA_IN_REQUEST))
            CA_TRY(read_setting(&read, json, &ca_key_rows[i], error));
    CA_TRY(ca_experiment_values(&read, json, error));
    *experiment = read;
    return CA_OK;
}

static void set_sides(json_t *object, const char *name, const unsigned side[3])
{
    if (side[0] > 0)
        json_object_set_new(
            object, name,
            json_pack("[I, I, I]", (json_int_t)side[0], (json_int_t)side[1], (json_int_t)side[2]));
}

json_t *ca_plan_to_json(const struct ca_plan *plan)
{
    json_t *object = json_object();
    char text[CA_TEXT_MAX];
    const struct {
        const char *name;
        int64_t value;
    } whole[] = {
        {"generations", plan->generations},
        {"threads", plan->threads},
        {"vector_bits", plan->vector_bits},
        {"cluster", plan->cluster},
        {"shared_bytes", plan->shared_bytes},
        {"memory_bytes", plan->memory_bytes},
        {"ranks", plan->ranks},
        {"halo", plan->halo},
        {"exchange", plan->exchange},
        {"processes", plan->processes > 1 ? plan->processes : 0},
    };
    const struct {
        const char *name;
        double value;
    } real[] = {
        {"bytes_per_cell_step", plan->bytes_per_cell_step},
        {"ops_per_cell_step", plan->ops_per_cell_step},
        {"predicted_s", plan->step_s},
        {"exchange_s", plan->exchange_s},
        {"hidden_s", plan->hidden_s},
    };

    json_object_set_new(object, "text", json_string(ca_plan_text(text, plan)));
    if (plan->variant[0])
        json_object_set_new(object, "variant", json_string(plan->variant));
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (whole[i].value > 0)
            json_object_set_new(object, whole[i].name, json_integer(whole[i].value));
    set_sides(object, "grid", plan->grid);
    set_sides(object, "block", plan->block);
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        if (real[i].value > 0)
            json_object_set_new(object, real[i].name, json_real(real[i].value));
    return object;
}
