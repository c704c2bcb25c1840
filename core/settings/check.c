/* SPDX-License-Identifier: MIT */
/* This file reads and writes the saved view of a model, experiment and view, and checks settings
 * files: everything in a calab.cfg, or an experiment. */
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/bench/bench.h"
#include "core/bench/run_check.h"
#include "core/files/embedded.h"
#include "core/files/file.h"
#include "core/settings/remembered.h"
#include "core/sim/experiment_group.h"
#include "core/sim/simulation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Besides the rows of settings. */
static const char *const groups[] = {"parameters", "options"};
#define GROUPS 2

/* Notes a key that is none of `count` names, which ca_nearest reads, and which of them it may be.
 */
static void findings_unknown(struct ca_findings *findings, const char *group, const char *key,
                             int count, const char *(*name)(const void *, int), const void *context)
{
    const char *nearest = ca_nearest(key, count, name, context);

    ca_text_add(findings->names, sizeof findings->names, "%s%s%s%s%s%s%s",
                findings->unknown ? ", " : "", group, group[0] ? "." : "", key,
                nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    findings->unknown++;
}

/* Takes the error of a check, so that the next one goes on: CA_OK. */
static enum ca_status findings_wrong(struct ca_findings *findings, enum ca_status status,
                                     const struct ca_error *error, const char *path)
{
    size_t length = strlen(path);
    const char *text = error->text;

    if (status == CA_OK)
        return CA_OK;
    if (findings->wrong++ == 0)
        findings->errors.status = status;
    if (strncmp(text, path, length) == 0 && text[length] == ':') /* which stands before all */
        text += length + 1;
    ca_text_add(findings->errors.text, sizeof findings->errors.text, "%s%s%s",
                findings->errors.text[0] ? "; " : "",
                text > error->text && text[0] != ' ' ? "line " : "", text + (text[0] == ' '));
    return CA_OK;
}

/* Goes on after an error, which the findings hold. */
#define CA_FIND(findings, call) CA_TRY(findings_wrong(findings, call, error, path))

/* CA_OK where nothing was wrong, else the status of the first error, and the texts of all. */
static enum ca_status findings_status(const struct ca_findings *findings, const char *path,
                                      struct ca_error *error)
{
    const char *texts = findings->errors.text;

    if (findings->wrong == 0)
        return CA_OK;
    if (findings->wrong == 1 && strncmp(texts, "line ", 5) == 0)
        return ca_fail(error, findings->errors.status, "%.200s:%.480s", path, texts + 5);
    if (findings->wrong == 1)
        return ca_fail(error, findings->errors.status, "%.200s: %.480s", path, texts);
    return ca_fail(error, findings->errors.status, "%.200s: %d errors: %.400s", path,
                   findings->wrong, texts);
}

static enum ca_status saved_view_read_values(struct ca_experiment *experiment,
                                             const config_setting_t *parent, const char *name,
                                             const char *path, struct ca_findings *findings,
                                             struct ca_error *error)
{
    const config_setting_t *group = config_setting_get_member(parent, name);
    bool options = strcmp(name, "options") == 0;
    struct ca_values *values = options ? &experiment->options : &experiment->params;

    if (!group)
        return CA_OK;
    CA_TRY(ca_config_group(group, path, error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *key = config_setting_name(setting);
        int index = ca_values_find(values, key);

        if (index >= 0)
            CA_FIND(findings,
                    ca_config_value(values, index, setting, CA_FROM_SETTINGS, path, error));
        else if (!options || !ca_model_has_option(experiment->model, key))
            findings_unknown(findings, name, key, values->count, ca_param_name, values->table);
    }
    return CA_OK;
}

/* Names that the group of a model may hold; a setting that is not saved is as far from any. */
#define NAMES (CA_KEY_COUNT + GROUPS + CA_INITIAL_LOOK_FOR)

static const char *view_name(const void *none, int i)
{
    (void)none;
    if (i < CA_KEY_COUNT)
        return ca_key_rows[i].places & CA_IN_SAVED ? ca_key_rows[i].name : "";
    i -= CA_KEY_COUNT;
    return i < GROUPS ? groups[i] : ca_initial_view_table[i - GROUPS].name;
}

enum ca_status ca_saved_view_read(struct ca_saved_view *memory, const config_setting_t *group,
                                  const char *path, struct ca_findings *findings,
                                  struct ca_error *error)
{
    struct ca_experiment *experiment = &memory->experiment;
    const struct ca_model *model = experiment->model;
    enum ca_initial_view impossible;
    struct ca_error ignored;
    struct ca_values fresh;

    CA_TRY(ca_config_group(group, path, error));
    for (int i = 0; i < CA_KEY_COUNT; i++) {
        const config_setting_t *key = config_setting_get_member(group, ca_key_rows[i].name);
        char text[CA_TEXT_MAX];
        enum ca_status status;

        if (!key || !(ca_key_rows[i].places & CA_IN_SAVED))
            continue;
        status = ca_config_text(text, key, path, error);
        if (status == CA_OK)
            status = ca_experiment_set_key(experiment, text, key, CA_FROM_SETTINGS, path, error);
        CA_FIND(findings, status);
    }
    CA_FIND(findings,
            saved_view_read_values(experiment, group, "parameters", path, findings, error));
    CA_FIND(findings, saved_view_read_values(experiment, group, "options", path, findings, error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        int row = ca_values_find(&experiment->initial_view, name), known = 0;

        while (known < NAMES && strcmp(view_name(NULL, known), name) != 0)
            known++;
        if (row >= 0)
            CA_FIND(findings, ca_config_value(&experiment->initial_view, row, setting,
                                              CA_FROM_SETTINGS, path, error));
        else if (known == NAMES)
            findings_unknown(findings, model->name, name, NAMES, view_name, NULL);
    }
    /* A view that the lattice does not have, or something drawn that the model has not, as a newer
     * calab may have saved it, is left to what is built in. */
    ca_initial_view_default(&fresh, model);
    while (ca_initial_view_check(&experiment->initial_view, model, experiment->size, &impossible,
                                 &ignored) != CA_OK)
        experiment->initial_view.value[impossible] = fresh.value[impossible];
    if (experiment->generation && !ca_state_is_file(experiment->init, model)) {
        findings_unknown(findings, model->name, "generation (init is not a file)", 0, NULL, NULL);
        experiment->generation = 0;
    }
    return CA_OK;
}

static void saved_view_drop(config_setting_t *group, const char *name)
{
    if (group && config_setting_get_member(group, name))
        config_setting_remove(group, name);
}

/* Defaults and tuned values are not written, so that better ones take effect later. */
static void saved_view_write_values(const struct ca_values *values, config_setting_t *parent,
                                    const char *name)
{
    config_setting_t *group = config_setting_get_member(parent, name);

    for (int i = 0; i < values->count; i++) {
        if (values->value[i].origin <= CA_TUNED) {
            saved_view_drop(group, values->table[i].name);
            continue;
        }
        group = ca_config_subgroup(parent, name);
        ca_config_set_value(group, &values->table[i], &values->value[i]);
    }
}

void ca_saved_view_write(const struct ca_saved_view *memory, config_setting_t *group)
{
    const struct ca_experiment *experiment = &memory->experiment;
    config_setting_t *options = config_setting_get_member(group, "options");

    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_key_rows[i].places & CA_IN_SAVED) {
            /* What differs from the default is kept, and what somebody has set to it. */
            if (ca_experiment_tells(experiment, (enum ca_key)i, CA_IN_SAVED) ||
                (experiment->origin[i] != CA_BUILT_IN && (ca_key_rows[i].always & CA_IN_FILE)))
                ca_experiment_put_key(experiment, (enum ca_key)i, group);
            else if (experiment->origin[i] != CA_FROM_SETTINGS) /* which had no use for it */
                saved_view_drop(group, ca_key_rows[i].name);
        }
    saved_view_write_values(&experiment->params, group, "parameters");
    /* Options of the model's other backends go. */
    for (int i = options ? config_setting_length(options) - 1 : -1; i >= 0; i--) {
        const char *name = config_setting_name(config_setting_get_elem(options, (unsigned)i));

        if (ca_values_find(&experiment->options, name) < 0 &&
            ca_model_has_option(experiment->model, name))
            config_setting_remove(options, name);
    }
    saved_view_write_values(&experiment->options, group, "options");
    for (int row = 0; row < CA_INITIAL_LOOK_FOR;
         row++) /* which is the experiment's, not the model's */
        if (experiment->initial_view.value[row].origin == CA_BUILT_IN)
            saved_view_drop(group, ca_initial_view_table[row].name);
        else
            ca_config_set_value(group, &ca_initial_view_table[row],
                                &experiment->initial_view.value[row]);
}

void ca_saved_runs_keep(config_t *base, const config_t *ours, config_t *disk, const char *claimed)
{
    const config_setting_t *models = config_lookup(ours, "models");
    const char *run[CA_KEY_COUNT + 1]; /* keys that make another run when they change */
    int keys = 0;

    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & CA_IN_SAVED) && (ca_key_rows[i].places & CA_IN_STATE))
            run[keys++] = ca_key_rows[i].name;
    run[keys++] = "parameters";
    for (int i = 0; models && i < config_setting_length(models); i++) {
        const config_setting_t *group = config_setting_get_elem(models, (unsigned)i);
        const char *name = config_setting_name(group);
        config_setting_t *other[2] = {config_lookup(base, "models"), config_lookup(disk, "models")};
        bool differs = strcmp(name, claimed) == 0;

        for (int o = 0; o < 2; o++)
            other[o] = other[o] ? config_setting_get_member(other[o], name) : NULL;
        for (int k = 0; k < keys; k++)
            differs |=
                !ca_config_equal(config_setting_get_member(group, run[k]),
                                 other[0] ? config_setting_get_member(other[0], run[k]) : NULL);
        for (int k = 0; differs && k < keys; k++)
            for (int o = 0; o < 2; o++)
                if (other[o] && config_setting_get_member(other[o], run[k]))
                    config_setting_remove(other[o], run[k]);
    }
}

/* --- checks of a whole file ---------------------------------------------------------------------
 */

static enum ca_status check_models(const config_setting_t *models, const char *path,
                                   struct ca_findings *findings, struct ca_error *error)
{
    CA_TRY(ca_config_group(models, path, error));
    for (int i = 0; i < config_setting_length(models); i++) {
        const config_setting_t *group = config_setting_get_elem(models, (unsigned)i);
        const struct ca_model *model;
        struct ca_saved_view memory;
        struct ca_error ignored;

        if (ca_model_find(&model, config_setting_name(group), &ignored) != CA_OK) {
            findings_unknown(findings, "models", config_setting_name(group), ca_model_count(),
                             ca_model_name, NULL);
            continue;
        }
        ca_experiment_default(&memory.experiment, model);
        CA_FIND(findings, ca_saved_view_read(&memory, group, path, findings, error));
    }
    return CA_OK;
}

static enum ca_status check_workbench(const config_setting_t *group, struct ca_values *values,
                                      const char *path, struct ca_findings *findings,
                                      struct ca_error *error)
{
    CA_TRY(ca_config_group(group, path, error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        int index = ca_values_find(values, config_setting_name(setting));

        if (index < 0)
            findings_unknown(findings, "workbench", config_setting_name(setting), values->count,
                             ca_param_name, values->table);
        else
            CA_FIND(findings,
                    ca_config_value(values, index, setting, CA_FROM_SETTINGS, path, error));
    }
    return CA_OK;
}

/* Only the workbench knows keys and requests; here a binding is any string. */
static enum ca_status check_keys(const config_setting_t *group, const char *path,
                                 struct ca_findings *findings, struct ca_error *error)
{
    CA_TRY(ca_config_group(group, path, error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *key = config_setting_get_elem(group, (unsigned)i);

        if (config_setting_type(key) != CONFIG_TYPE_STRING)
            CA_FIND(findings,
                    ca_config_fail(key, path, error, "the names of keys, in quotes, are expected"));
    }
    return CA_OK;
}

static const char *request_name(const void *rules, int i)
{
    return ((const struct ca_key_rules *)rules)->request(i);
}

/* Checks bindings by the rules of the workbench and counts unknown requests. */
static enum ca_status check_bindings(const config_setting_t *group,
                                     const struct ca_key_rules *rules, const char *preset,
                                     const char *path, struct ca_findings *findings,
                                     struct ca_error *error)
{
    char message[CA_TEXT_MAX];

    rules->start(preset);
    for (int i = 0; rules->request(i); i++) {
        const config_setting_t *key = config_setting_get_member(group, rules->request(i));

        if (key && config_setting_get_string(key) &&
            !rules->bind(i, config_setting_get_string(key), message, sizeof message))
            CA_FIND(findings, ca_config_fail(key, path, error, "%s", message));
    }
    for (int k = 0; k < config_setting_length(group); k++) {
        const char *name = config_setting_name(config_setting_get_elem(group, (unsigned)k));
        int i = 0;

        while (rules->request(i) && strcmp(rules->request(i), name) != 0)
            i++;
        if (!rules->request(i))
            findings_unknown(findings, "keys", name, i, request_name, rules);
    }
    return CA_OK;
}

/* Sets errno where it cannot be read. The program's own files are not in the file system. */
static bool model_file_is_there(const char *path)
{
    errno = ENOENT;
    return ca_embedded_is_path(path) ? ca_file_exists(path) : access(path, R_OK) == 0;
}

enum ca_status ca_settings_check_tree(const config_t *tree, struct ca_values *values,
                                      const char *path, struct ca_findings *findings,
                                      struct ca_error *error)
{
    static const char *const names[] = {"version", "model", "workbench", "keys", "models"};
    const config_setting_t *root = config_root_setting(tree);
    struct ca_findings own = {0};

    if (!findings)
        findings = &own;
    for (int i = 0; i < config_setting_length(root); i++) {
        const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
        const char *name = config_setting_name(setting);
        const struct ca_model *model;
        struct ca_error cause;
        enum ca_status status;
        char text[CA_TEXT_MAX];
        int64_t version;

        if (strcmp(name, "version") == 0 || strcmp(name, "model") == 0) {
            status = ca_config_text(text, setting, path, error);
            if (status == CA_OK && name[0] == 'm' && !ca_model_is_path(text) &&
                ca_model_find(&model, text, &cause) != CA_OK)
                status = ca_config_fail(setting, path, error, "%s", cause.text);
            else if (status == CA_OK && name[0] == 'm' && ca_model_is_path(text) &&
                     !model_file_is_there(text))
                status = ca_config_fail(setting, path, error,
                                        "the file of the model '%.300s' cannot be read: %s", text,
                                        strerror(errno));
            if (status == CA_OK && name[0] == 'v' &&
                (!ca_read_whole(text, &version) || version != CA_SETTINGS_VERSION))
                status =
                    ca_config_fail(setting, path, error, "'%s' is not allowed: this calab knows %d",
                                   text, CA_SETTINGS_VERSION);
            CA_FIND(findings, status);
        } else if (strcmp(name, "workbench") == 0)
            CA_FIND(findings, check_workbench(setting, values, path, findings, error));
        else if (strcmp(name, "keys") == 0)
            CA_FIND(findings, check_keys(setting, path, findings, error));
        else if (strcmp(name, "models") == 0)
            CA_FIND(findings, check_models(setting, path, findings, error));
        else
            findings_unknown(findings, "", name, (int)(sizeof names / sizeof names[0]), ca_name_at,
                             names);
    }
    return findings_status(findings, path, error);
}

/* The cases of a benchmark, each of which has to be an experiment; whether a backend can hold it,
 * and runs here, is said of its line by the benchmark. */
static enum ca_status check_cases(const char *path, struct ca_error *error)
{
    struct ca_bench bench;
    struct ca_error cause;
    enum ca_status status;

    ca_bench_default(&bench);
    status = ca_bench_read(&bench, path, error);
    for (int i = 0; i < bench.count && status == CA_OK; i++) {
        status = ca_experiment_check(&bench.line[i].experiment, &cause);
        if (status != CA_OK)
            ca_error_set(error, status, "%.200s: %s", path, cause.text);
    }
    ca_bench_free(&bench);
    return ca_config_refused(status, error);
}

enum ca_status ca_settings_check(const char *path, const struct ca_key_rules *rules, int *unknown,
                                 char note[CA_TEXT_MAX], struct ca_error *error)
{
    static const char *const names[] = {"version", "workbench", "keys", "models"};
    struct ca_findings found = {0};
    struct ca_values values;
    enum ca_status status;
    bool settings = false;
    config_t tree;

    *unknown = 0;
    note[0] = '\0';
    if (ca_state_has_run(path) || (!ca_file_exists(path) && !strchr(path, '/')))
        return ca_run_file_check(path, error);
    status = ca_config_read(&tree, path, NULL, error);
    if (status == CA_OK) {
        settings = config_setting_length(config_root_setting(&tree)) == 0 ||
                   strcmp(path, ca_settings_path()) == 0;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            settings |= config_lookup(&tree, names[i]) != NULL;
    }
    if (status == CA_OK && settings) {
        const config_setting_t *keys = config_lookup(&tree, "keys");

        ca_values_default(&values, ca_settings_table);
        ca_settings_check_tree(&tree, &values, path, &found, error);
        if (rules && keys && config_setting_is_group(keys))
            check_bindings(keys, rules, values.value[CA_SETTING_KEYS].text, path, &found, error);
        status = findings_status(&found, path, error);
        *unknown = found.unknown;
        memcpy(note, found.names, CA_TEXT_MAX);
    } else if (status == CA_OK && config_lookup(&tree, "cases")) {
        status = check_cases(path, error);
    } else if (status == CA_OK) {
        status = ca_run_file_check(path, error);
    }
    config_destroy(&tree);
    return status;
}
