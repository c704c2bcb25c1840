/* SPDX-License-Identifier: MIT */
/* This file reads the key `measure` of experiment files: every combination of the values that it
 * lists. */
#include <stdlib.h>
#include <string.h>

#include "core/files/config.h"
#include "core/sim/measure.h"

#define LINES_MAX 4096
#define LISTS_MAX 16

/* A setting of a case with one value or several. */
struct list {
    const config_setting_t *setting;
    int parameter; /* its index, -1: the size */
};

struct reader {
    const char *path;
    struct ca_measures *measures;
    const struct ca_experiment *experiment;
    struct ca_error *error;
    struct list list[LISTS_MAX];
    int lists;
};

static bool has_several(const config_setting_t *setting)
{
    return config_setting_is_array(setting) || config_setting_is_list(setting);
}

/* All combinations of the lists from number i on. */
static enum ca_status combine(struct reader *reader, const struct ca_measure *line, int i)
{
    struct ca_measures *measures = reader->measures;
    const struct list *list = &reader->list[i < reader->lists ? i : 0];
    int values = i == reader->lists           ? 0
                 : has_several(list->setting) ? config_setting_length(list->setting)
                                              : 1;
    struct ca_measure *lines;
    char text[CA_TEXT_MAX], where[CA_TEXT_MAX];

    for (int v = 0; v < values; v++) {
        const config_setting_t *value = has_several(list->setting)
                                            ? config_setting_get_elem(list->setting, (unsigned)v)
                                            : list->setting;
        struct ca_measure next = *line;

        if (list->parameter >= 0) {
            CA_TRY(ca_config_value(&next.experiment.params, list->parameter, value,
                                   CA_FROM_EXPERIMENT, reader->path, reader->error));
        } else {
            CA_TRY(ca_config_text(text, value, reader->path, reader->error));
            CA_TRY(ca_config_refused(
                ca_experiment_set(&next.experiment, "size", text, CA_FROM_EXPERIMENT,
                                  ca_config_where(where, list->setting, reader->path),
                                  reader->error),
                reader->error));
        }
        CA_TRY(combine(reader, &next, i + 1));
    }
    if (i < reader->lists)
        return CA_OK;
    if (measures->count == LINES_MAX)
        return ca_fail(reader->error, CA_SETTINGS, "%s: measure: more than %d combinations",
                       reader->path, LINES_MAX);
    lines = realloc(measures->line, (size_t)(measures->count + 1) * sizeof *lines);
    if (!lines)
        return ca_fail(reader->error, CA_NO_MEMORY, "no memory for %d measurements",
                       measures->count + 1);
    measures->line = lines;
    lines[measures->count++] = *line;
    return CA_OK;
}

static enum ca_status find_quantity(const struct ca_measurement **found, struct reader *reader,
                                    const config_setting_t *group)
{
    const config_setting_t *setting = config_setting_get_member(group, "quantity");
    const struct ca_measurement *rows = ca_measurements(reader->experiment->model);
    char text[CA_TEXT_MAX], names[200] = "";

    if (!rows->name)
        return ca_config_fail(group, reader->path, reader->error, "%s has nothing to measure",
                              reader->experiment->model->name);
    if (!setting)
        return ca_config_fail(group, reader->path, reader->error, "the key 'quantity' is missing");
    CA_TRY(ca_config_text(text, setting, reader->path, reader->error));
    for (*found = rows; (*found)->name; ++*found) {
        if (strcmp((*found)->name, text) == 0)
            return CA_OK;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 *found == rows ? "" : ", ", (*found)->name);
    }
    return ca_config_fail(setting, reader->path, reader->error, "'%s' is not allowed: one of %s",
                          text, names);
}

static enum ca_status read_case(struct reader *reader, const config_setting_t *group)
{
    static const char *const keys[] = {"quantity", "size", "seeds", "parameters"};
    const config_setting_t *size, *seeds, *params;
    const struct ca_values *values = &reader->experiment->params;
    struct ca_measure line = {.experiment = *reader->experiment, .seeds = 1};
    char hint[CA_TEXT_MAX];

    CA_TRY(ca_config_group(group, reader->path, reader->error));
    CA_TRY(ca_config_keys(group, reader->path, keys, sizeof keys / sizeof keys[0], "a measurement",
                          reader->error));
    CA_TRY(find_quantity(&line.quantity, reader, group));
    size = config_setting_get_member(group, "size");
    seeds = config_setting_get_member(group, "seeds");
    params = config_setting_get_member(group, "parameters");
    if (seeds) {
        line.seeds = config_setting_get_int(seeds);
        if (!ca_config_is_whole(seeds) || line.seeds < 1 || line.seeds > CA_MEASURE_SEEDS_MAX)
            return ca_config_fail(seeds, reader->path, reader->error,
                                  "a whole number from 1 to %d is allowed", CA_MEASURE_SEEDS_MAX);
    }
    reader->lists = 0;
    if (params)
        CA_TRY(ca_config_group(params, reader->path, reader->error));
    for (int i = 0; params && i < config_setting_length(params); i++) {
        const config_setting_t *setting = config_setting_get_elem(params, (unsigned)i);
        int index = ca_values_find(values, config_setting_name(setting));

        if (index < 0 || reader->lists == LISTS_MAX - 1)
            return ca_config_fail(setting, reader->path, reader->error,
                                  "is not a parameter of %s%s", reader->experiment->model->name,
                                  ca_suggest(hint, config_setting_name(setting), values->count,
                                             ca_param_name, values->table));
        reader->list[reader->lists++] = (struct list){setting, index};
    }
    if (size)
        reader->list[reader->lists++] = (struct list){size, -1};
    if (line.quantity->start)
        CA_TRY(ca_experiment_set(&line.experiment, "init", line.quantity->start, CA_FROM_EXPERIMENT,
                                 reader->path, reader->error));
    return combine(reader, &line, 0);
}

enum ca_status ca_measures_read(struct ca_measures *measures, const char *path,
                                const struct ca_experiment *experiment, struct ca_error *error)
{
    struct reader reader = {
        .path = path, .measures = measures, .experiment = experiment, .error = error};
    const config_setting_t *root, *list = NULL;
    enum ca_status status;
    config_t config;

    *measures = (struct ca_measures){0};
    status = ca_config_read(&config, path, NULL, error);
    if (status == CA_OK) {
        root = config_root_setting(&config);
        list = config_setting_get_member(root, "measure");
    }
    if (list && !config_setting_is_list(list))
        status = ca_config_fail(list, path, error, "a list of groups is expected: ( { ... } )");
    for (int i = 0; status == CA_OK && list && i < config_setting_length(list); i++)
        status = read_case(&reader, config_setting_get_elem(list, (unsigned)i));
    config_destroy(&config);
    if (status != CA_OK)
        ca_measures_free(measures);
    return status;
}

void ca_measures_free(struct ca_measures *measures)
{
    free(measures->line);
    *measures = (struct ca_measures){0};
}
