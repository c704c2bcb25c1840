/* SPDX-License-Identifier: MIT */
/* This file checks settings files: everything in a calab.cfg, or an experiment. */
#include "core/base/number.h"
#include "core/bench/bench.h"
#include "core/bench/run_check.h"
#include "core/settings/remembered.h"
#include "core/sim/simulation.h"

#include <stdlib.h>
#include <string.h>

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
            ca_findings_unknown(findings, "models", config_setting_name(group), ca_model_count(),
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
            ca_findings_unknown(findings, "workbench", config_setting_name(setting), values->count,
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
            ca_findings_unknown(findings, "keys", name, i, request_name, rules);
    }
    return CA_OK;
}

static enum ca_status check_model(const config_setting_t *setting, const char *path,
                                  struct ca_error *error)
{
    const struct ca_model *model;
    struct ca_error cause;
    char text[CA_TEXT_MAX];

    CA_TRY(ca_config_text(text, setting, path, error));
    if (ca_model_find(&model, text, &cause) != CA_OK)
        return ca_config_fail(setting, path, error, "%s", cause.text);
    return CA_OK;
}

static enum ca_status check_version(const config_setting_t *setting, const char *path,
                                    struct ca_error *error)
{
    char text[CA_TEXT_MAX];
    int64_t version;

    CA_TRY(ca_config_text(text, setting, path, error));
    if (!ca_read_whole(text, &version) || version != CA_SETTINGS_VERSION)
        return ca_config_fail(setting, path, error, "'%s' is not allowed: this calab knows %d",
                              text, CA_SETTINGS_VERSION);
    return CA_OK;
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

        if (strcmp(name, "version") == 0)
            CA_FIND(findings, check_version(setting, path, error));
        else if (strcmp(name, "model") == 0)
            CA_FIND(findings, check_model(setting, path, error));
        else if (strcmp(name, "workbench") == 0)
            CA_FIND(findings, check_workbench(setting, values, path, findings, error));
        else if (strcmp(name, "keys") == 0)
            CA_FIND(findings, check_keys(setting, path, findings, error));
        else if (strcmp(name, "models") == 0)
            CA_FIND(findings, check_models(setting, path, findings, error));
        else
            ca_findings_unknown(findings, "", name, (int)(sizeof names / sizeof names[0]),
                                ca_name_at, names);
    }
    return ca_findings_status(findings, path, error);
}

static bool is_settings(const config_t *tree, const char *path)
{
    static const char *const names[] = {"version", "workbench", "keys", "models"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (config_lookup(tree, names[i]))
            return true;
    return config_setting_length(config_root_setting(tree)) == 0 ||
           strcmp(path, ca_settings_path()) == 0;
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
    struct ca_findings found = {0};
    struct ca_values values;
    enum ca_status status;
    config_t tree;

    *unknown = 0;
    note[0] = '\0';
    if (ca_state_has_run(path) || (!ca_file_exists(path) && !strchr(path, '/')))
        return ca_run_file_check(path, error);
    status = ca_config_read(&tree, path, NULL, error);
    if (status == CA_OK && is_settings(&tree, path)) {
        const config_setting_t *keys = config_lookup(&tree, "keys");

        ca_values_default(&values, ca_settings_table);
        ca_settings_check_tree(&tree, &values, path, &found, error);
        if (rules && keys && config_setting_is_group(keys))
            check_bindings(keys, rules, values.value[CA_SETTING_KEYS].text, path, &found, error);
        status = ca_findings_status(&found, path, error);
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
