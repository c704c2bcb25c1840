/* SPDX-License-Identifier: MIT */
/* This file reads an experiment file over an experiment, and checks all of it. */
#include "core/files/config.h"
#include "core/files/file.h"
#include "core/files/series.h"
#include "core/sim/experiment.h"
#include "core/sim/experiment_group.h"
#include "core/sim/simulation_inside.h"
#include "core/sim/output.h"
#include "core/sim/shipped.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Besides the rows of settings. */
static const char *const groups[] = {"output", "every", "parameters", "options",  "view",
                                     "pace",   "drawn", "range",      "look_for", "measure"};
/* A pattern's alone, which core/sim/shipped.c reads. */
static const char *const pattern_keys[] = {"name", "title", "origin", "period", "moves"};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const char *const view_keys[CA_INITIAL_VIEW] = {"axis", "slice", "projection", "x",
                                                       "y",    "zoom",  "magnify"};

struct reader {
    const char *path;
    const config_setting_t *root;
    const char *folder; /* of the files that a pattern names; NULL: paths are as they are */
    struct ca_experiment experiment; /* the result, with the files that it wants */
    struct ca_outputs outputs;
    bool keep_outputs; /* those named before are kept */
    struct ca_error *error;
};

/* A file of a pattern is in its folder. */
static enum ca_status experiment_file_beside(const struct reader *reader, char text[CA_TEXT_MAX],
                                             const config_setting_t *setting)
{
    char path[2 * PATH_MAX];

    if (!reader->folder || !text[0] || text[0] == '/')
        return CA_OK;
    snprintf(path, sizeof path, "%s/%s", reader->folder, text);
    ca_shipped_prefer_folders(path);
    if (strlen(path) >= CA_TEXT_MAX)
        return ca_config_fail(setting, reader->path, reader->error,
                              "the path of the file is longer than %d bytes", CA_TEXT_MAX - 1);
    memcpy(text, path, strlen(path) + 1);
    return CA_OK;
}

/* Sets one key, unless the command line or the environment has set it: then its value is checked
 * all the same, so that every mistake in a file is told. A pattern begins with a start or a file,
 * never with another pattern. */
static enum ca_status read_setting(struct reader *reader, enum ca_key setting)
{
    const config_setting_t *key =
        config_setting_get_member(reader->root, ca_key_rows[setting].name);
    const struct ca_model *model = reader->experiment.model;
    struct ca_experiment kept = reader->experiment;
    enum ca_status status;
    struct ca_error cause;
    char text[CA_TEXT_MAX];

    if (!key)
        return CA_OK;
    CA_TRY(ca_config_text(text, key, reader->path, reader->error));
    if (setting == CA_KEY_INIT && reader->folder && ca_init_check(model, text, &cause) != CA_OK)
        return ca_config_fail(key, reader->path, reader->error, "%s", cause.text);
    if (setting == CA_KEY_INIT && ca_state_is_file(text, model))
        CA_TRY(experiment_file_beside(reader, text, key));
    status = ca_experiment_set_key(&reader->experiment, text, key, CA_FROM_EXPERIMENT, reader->path,
                                   reader->error);
    if (kept.origin[setting] >= CA_FROM_ENVIRONMENT)
        reader->experiment = kept;
    return status;
}

/* Restores what the command line and the environment set before the file changed the model. */
static enum ca_status carry(struct reader *reader, const struct ca_experiment *old)
{
    struct ca_experiment *new = &reader->experiment;
    const struct ca_values *sets[] = {&old->params, &old->options};
    char text[CA_TEXT_MAX];

    for (int i = CA_KEY_BACKEND; i < CA_KEY_THREADS; i++)
        if (old->origin[i] >= CA_FROM_ENVIRONMENT)
            CA_TRY(ca_experiment_copy_key(new, old, (enum ca_key)i, ca_origin_name(old->origin[i]),
                                          reader->error));
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < sets[s]->count; i++) {
            const struct ca_value *value = &sets[s]->value[i];

            if (value->origin >= CA_FROM_ENVIRONMENT)
                CA_TRY(ca_experiment_value(
                    new, sets[s]->table[i].name, ca_value_format(text, &sets[s]->table[i], value),
                    value->origin, ca_origin_name(value->origin), reader->error));
        }
    return CA_OK;
}

static enum ca_status read_model(struct reader *reader)
{
    const config_setting_t *setting = config_setting_get_member(reader->root, "model");
    struct ca_experiment *experiment = &reader->experiment;
    struct ca_experiment old = *experiment;
    const struct ca_model *model;
    char text[CA_TEXT_MAX], folder[PATH_MAX];
    const char *slash = strrchr(reader->path, '/');

    if (!setting)
        return reader->folder ? ca_config_fail(reader->root, reader->path, reader->error,
                                               "the key 'model' is missing")
                              : ca_fail(reader->error, CA_SETTINGS,
                                        "%s: the key 'model' is missing", reader->path);
    CA_TRY(ca_config_text(text, setting, reader->path, reader->error));
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - reader->path) : 1,
             slash ? reader->path : ".");
    if (ca_model_open_in(&model, folder[0] ? folder : "/", text, reader->error) != CA_OK) {
        struct ca_error cause = *reader->error;

        return ca_config_fail(setting, reader->path, reader->error, "%s", cause.text);
    }
    if (old.model == model) {
        if (old.origin[CA_KEY_MODEL] < CA_FROM_ENVIRONMENT)
            experiment->origin[CA_KEY_MODEL] = CA_FROM_EXPERIMENT;
        return CA_OK;
    }
    if (old.origin[CA_KEY_MODEL] >= CA_FROM_ENVIRONMENT) {
        char where[CA_TEXT_MAX];

        return ca_fail(
            reader->error, CA_USAGE,
            "%.400s: model: the file is an experiment of %s, but the model %s is asked for (%s)",
            ca_config_where(where, setting, reader->path), model->name, old.model->name,
            ca_origin_name(old.origin[CA_KEY_MODEL]));
    }
    ca_experiment_model(experiment, model, CA_FROM_EXPERIMENT);
    return carry(reader, &old);
}

static enum ca_status add_output(struct reader *reader, const config_setting_t *setting)
{
    char text[CA_TEXT_MAX], where[CA_TEXT_MAX], place[CA_TEXT_MAX];
    struct ca_output output;
    enum ca_status status;
    bool series;

    CA_TRY(ca_config_text(text, setting, reader->path, reader->error));
    snprintf(where, sizeof where, "%.400s: output", ca_config_where(place, setting, reader->path));
    /* Whether the file can be written is checked before the run. */
    status = ca_output_parse(&output, reader->experiment.model, text, reader->error);
    if (status == CA_OK)
        status = ca_output_writable(&output, reader->experiment.model, output.path, reader->error);
    if (status != CA_USAGE)
        status = ca_series_check(output.path, &series, reader->error);
    if (status == CA_USAGE) {
        struct ca_error cause = *reader->error;

        return ca_fail(reader->error, CA_SETTINGS, "%s: %s", where, cause.text);
    }
    if (reader->keep_outputs)
        return CA_OK;
    return ca_config_refused(
        ca_outputs_add(&reader->outputs, reader->experiment.model, text, where, reader->error),
        reader->error);
}

static enum ca_status read_outputs(struct reader *reader)
{
    const config_setting_t *setting = config_setting_get_member(reader->root, "output");

    if (!setting)
        return CA_OK;
    if (!config_setting_is_array(setting) && !config_setting_is_list(setting))
        return add_output(reader, setting);
    for (int i = 0; i < config_setting_length(setting); i++)
        CA_TRY(add_output(reader, config_setting_get_elem(setting, (unsigned)i)));
    return CA_OK;
}

/* Reads `every`. A file whose outputs count is refused unless it goes with them. */
static enum ca_status read_every(struct reader *reader)
{
    const config_setting_t *every = config_setting_get_member(reader->root, "every"),
                           *output = config_setting_get_member(reader->root, "output");
    char text[CA_TEXT_MAX], where[CA_TEXT_MAX], place[CA_TEXT_MAX];
    struct ca_error cause;

    if (every) {
        struct ca_outputs kept = reader->outputs;

        CA_TRY(ca_config_text(text, every, reader->path, reader->error));
        snprintf(where, sizeof where, "%.400s: every", ca_config_where(place, every, reader->path));
        CA_TRY(ca_config_refused(
            ca_outputs_set_every(&reader->outputs, text, CA_FROM_EXPERIMENT, where, reader->error),
            reader->error));
        if (kept.every_origin >= CA_FROM_ENVIRONMENT)
            reader->outputs = kept;
    }
    if ((!every && !output) || reader->keep_outputs ||
        ca_outputs_check_series(&reader->outputs, &cause) == CA_OK)
        return CA_OK;
    return ca_config_fail(every ? every : output, reader->path, reader->error, "%s", cause.text);
}

static enum ca_status experiment_file_read_values(struct reader *reader, const char *name,
                                                  struct ca_values *values, const char *what)
{
    const config_setting_t *group = config_setting_get_member(reader->root, name);
    char hint[CA_TEXT_MAX], text[CA_TEXT_MAX];

    if (!group)
        return CA_OK;
    CA_TRY(ca_config_group(group, reader->path, reader->error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *key = config_setting_name(setting);
        int index = ca_values_find(values, key);
        struct ca_value kept;

        if (index < 0)
            return ca_config_fail(
                setting, reader->path, reader->error, "is not %s%s", what,
                ca_suggest(hint, key, values->count, ca_param_name, values->table));
        kept = values->value[index];
        CA_TRY(ca_config_value(values, index, setting, CA_FROM_EXPERIMENT, reader->path,
                               reader->error));
        if (values->table[index].kind == CA_FILE) {
            snprintf(text, sizeof text, "%s", values->value[index].text);
            CA_TRY(experiment_file_beside(reader, text, setting));
            CA_TRY(ca_values_set(values, index, text, CA_FROM_EXPERIMENT, reader->path,
                                 reader->error));
        }
        if (kept.origin >= CA_FROM_ENVIRONMENT)
            values->value[index] = kept;
    }
    return CA_OK;
}

/* Reads the options of the file's backend. If the command line names another backend, they are
 * checked all the same, and those that both backends have are taken. */
static enum ca_status read_options(struct reader *reader)
{
    const config_setting_t *setting = config_setting_get_member(reader->root, "backend");
    struct ca_experiment *experiment = &reader->experiment;
    const struct ca_backend *backend = experiment->backend;
    struct ca_values values = experiment->options;
    char what[128];

    if (setting)
        CA_TRY(ca_backend_find(&backend, experiment->model, config_setting_get_string(setting),
                               reader->error));
    if (backend != experiment->backend)
        ca_values_default(&values, backend->options);
    snprintf(what, sizeof what, "an option of backend %s of %s", backend->name,
             experiment->model->name);
    CA_TRY(experiment_file_read_values(reader, "options", &values, what));
    if (backend == experiment->backend)
        experiment->options = values;
    else
        ca_values_take(&experiment->options, &values);
    return CA_OK;
}

/* How the experiment opens is the file's alone; nothing of it is left from before. */
static enum ca_status read_initial_view(struct reader *reader)
{
    struct ca_experiment *experiment = &reader->experiment;
    const config_setting_t *view = config_setting_get_member(reader->root, "view"), *setting;
    struct ca_error cause;
    enum ca_initial_view row;

    ca_initial_view_default(&experiment->initial_view, experiment->model);
    if (view) {
        CA_TRY(ca_config_group(view, reader->path, reader->error));
        CA_TRY(ca_config_keys(view, reader->path, view_keys, CA_INITIAL_VIEW, "a view",
                              reader->error));
    }
    for (row = 0; row < CA_INITIAL_COUNT; row++)
        if (view || row >= CA_INITIAL_VIEW) {
            const char *text;

            setting = config_setting_get_member(row < CA_INITIAL_VIEW ? view : reader->root,
                                                ca_initial_view_table[row].name);
            text = setting ? config_setting_get_string(setting) : NULL;
            if (!setting || (row == CA_INITIAL_ZOOM && text && strcmp(text, "fit") == 0))
                continue;
            if (row == CA_INITIAL_ZOOM && text)
                return ca_config_fail(setting, reader->path, reader->error,
                                      "'%.80s' is not allowed: \"fit\" or a whole number of cells "
                                      "across a character",
                                      text);
            CA_TRY(ca_config_value(&experiment->initial_view, (int)row, setting, CA_FROM_EXPERIMENT,
                                   reader->path, reader->error));
        }
    if (experiment->origin[CA_KEY_SIZE] >= CA_FROM_ENVIRONMENT)
        ca_initial_view_refit(&experiment->initial_view); /* the view is that of another lattice */
    if (ca_initial_view_check(&experiment->initial_view, experiment->model, experiment->size, &row,
                              &cause) == CA_OK)
        return CA_OK;
    setting = config_setting_get_member(row < CA_INITIAL_VIEW ? view : reader->root,
                                        ca_initial_view_table[row].name);
    return ca_config_fail(setting, reader->path, reader->error, "%s", cause.text);
}

enum ca_status ca_experiment_set_key(struct ca_experiment *experiment, const char *text,
                                     const config_setting_t *key, enum ca_origin origin,
                                     const char *path, struct ca_error *error)
{
    const char *name = config_setting_name(key);
    char where[CA_TEXT_MAX], place[CA_TEXT_MAX];

    snprintf(where, sizeof where, "%.400s: %s", ca_config_where(place, key, path), name);
    return ca_config_refused(ca_experiment_set(experiment, name, text, origin, where, error),
                             error);
}

enum ca_status ca_experiment_read_group(struct ca_experiment *experiment,
                                        struct ca_outputs *outputs, const config_setting_t *group,
                                        const char *path, const char *folder,
                                        struct ca_error *error)
{
    struct reader reader = {
        .path = path, .root = group, .folder = folder, .experiment = *experiment, .error = error};
    const char *known[CA_KEY_COUNT + COUNT(groups) + COUNT(pattern_keys)];
    char what[128];
    int count = 0;

    CA_TRY(ca_config_group(group, path, error));
    if (outputs)
        reader.outputs = *outputs;
    reader.keep_outputs = reader.outputs.count > 0;
    known[count++] = ca_key_rows[CA_KEY_MODEL].name;
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_key_rows[i].places & CA_IN_FILE)
            known[count++] = ca_key_rows[i].name;
    for (int i = 0; i < COUNT(groups); i++)
        known[count++] = groups[i];
    for (int i = 0; i < COUNT(pattern_keys) && folder; i++)
        known[count++] = pattern_keys[i];
    CA_TRY(
        ca_config_keys(group, path, known, count, folder ? "a pattern" : "an experiment", error));
    CA_TRY(read_model(&reader));
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_key_rows[i].places & CA_IN_FILE)
            CA_TRY(read_setting(&reader, (enum ca_key)i));
    CA_TRY(read_outputs(&reader));
    CA_TRY(read_every(&reader));
    snprintf(what, sizeof what, "a parameter of %s", reader.experiment.model->name);
    CA_TRY(experiment_file_read_values(&reader, "parameters", &reader.experiment.params, what));
    CA_TRY(read_options(&reader));
    CA_TRY(read_initial_view(&reader));
    *experiment = reader.experiment;
    if (outputs)
        *outputs = reader.outputs;
    return CA_OK;
}

enum ca_status ca_experiment_read(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                  const char *path, struct ca_error *error)
{
    enum ca_status status;
    config_t config;

    if (ca_state_has_run(path))
        return experiment_read_state(experiment, path, error);
    status = ca_config_read(&config, path, NULL, error);
    if (status == CA_OK)
        status = ca_experiment_read_group(experiment, outputs, config_root_setting(&config), path,
                                          NULL, error);
    config_destroy(&config);
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

void ca_experiment_put_key(const struct ca_experiment *experiment, enum ca_key key,
                           config_setting_t *group)
{
    const struct ca_key_row *row = &ca_key_rows[key];
    char text[CA_TEXT_MAX];

    ca_experiment_format(text, experiment, key);
    if (row->number)
        ca_config_set_unsigned(group, row->name, strtoull(text, NULL, 10));
    else
        ca_config_set_string(group, row->name, text);
}

enum ca_status ca_experiment_write(const struct ca_experiment *experiment,
                                   const struct ca_outputs *outputs, const char *path,
                                   struct ca_error *error)
{
    static const char *const names[] = {"parameters", "options"};
    const struct ca_values *const values[] = {&experiment->params, &experiment->options};
    const struct ca_values *initial_view = &experiment->initial_view;
    config_setting_t *root, *group;
    enum ca_status status;
    config_t config;
    char *text;

    config_init(&config);
    root = config_root_setting(&config);
    ca_config_set_string(root, "model", ca_model_word(experiment->model));
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_experiment_tells(experiment, (enum ca_key)i, CA_IN_FILE))
            ca_experiment_put_key(experiment, (enum ca_key)i, root);
    if (outputs && outputs->model == experiment->model) {
        group = outputs->count > 0 ? config_setting_add(root, "output", CONFIG_TYPE_ARRAY) : NULL;
        for (int i = 0; group && i < outputs->count; i++)
            config_setting_set_string_elem(group, -1, outputs->text[i]);
        if (ca_outputs_have_series(outputs))
            ca_config_set_unsigned(root, "every", outputs->every);
    }
    /* Tuned values are left out: the machine that reads the file chooses its own. */
    for (int v = 0; v < 2; v++) {
        group = values[v]->count > 0 ? ca_config_subgroup(root, names[v]) : NULL;
        for (int i = 0; i < values[v]->count; i++)
            if (!ca_tunable(values[v], i))
                ca_config_set_value(group, &values[v]->table[i], &values[v]->value[i]);
    }
    for (int row = 0; row < CA_INITIAL_COUNT; row++)
        if (initial_view->value[row].origin != CA_BUILT_IN)
            ca_config_set_value(row < CA_INITIAL_VIEW ? ca_config_subgroup(root, "view") : root,
                                &ca_initial_view_table[row], &initial_view->value[row]);
    text = ca_config_format(&config, "# calab run -c FILE repeats this experiment.\n");
    config_destroy(&config);
    if (!text)
        return ca_fail(error, CA_NO_MEMORY, "no memory to write %s", path);
    status = ca_config_write(text, path, error);
    free(text);
    return status;
}
