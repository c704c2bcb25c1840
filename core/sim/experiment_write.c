/* SPDX-License-Identifier: MIT */
/* This file writes experiment files. */
#include <stdlib.h>
#include <string.h>

#include "core/files/config.h"
#include "core/sim/experiment_group.h"

/* Defaults and tuned values are left out: the machine that reads the file chooses its own. */
static void add_values(config_setting_t *root, const char *name, const struct ca_values *values)
{
    config_setting_t *group;

    if (values->count == 0)
        return;
    group = ca_config_subgroup(root, name);
    for (int i = 0; i < values->count; i++)
        if (!ca_tunable(values, i))
            ca_config_set_value(group, &values->table[i], &values->value[i]);
}

/* Keys that nobody has set are left out. */
static void add_initial_view(config_setting_t *root, const struct ca_values *initial_view)
{
    for (int row = 0; row < CA_INITIAL_COUNT; row++)
        if (initial_view->value[row].origin != CA_BUILT_IN)
            ca_config_set_value(row < CA_INITIAL_VIEW ? ca_config_subgroup(root, "view") : root,
                                &ca_initial_view_table[row], &initial_view->value[row]);
}

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

static void add_outputs(config_setting_t *root, const struct ca_outputs *outputs)
{
    config_setting_t *list;

    if (outputs->count > 0) {
        list = config_setting_add(root, "output", CONFIG_TYPE_ARRAY);
        for (int i = 0; list && i < outputs->count; i++)
            config_setting_set_string_elem(list, -1, outputs->text[i]);
    }
    if (ca_outputs_have_series(outputs))
        ca_config_set_unsigned(root, "every", outputs->every);
}

enum ca_status ca_experiment_write(const struct ca_experiment *experiment,
                                   const struct ca_outputs *outputs, const char *path,
                                   struct ca_error *error)
{
    char *text;
    config_setting_t *root;
    enum ca_status status;
    config_t config;

    config_init(&config);
    root = config_root_setting(&config);
    ca_config_set_string(root, "model", experiment->model->name);
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if (ca_experiment_tells(experiment, (enum ca_key)i, CA_IN_FILE))
            ca_experiment_put_key(experiment, (enum ca_key)i, root);
    if (outputs && outputs->model == experiment->model)
        add_outputs(root, outputs);
    add_values(root, "parameters", &experiment->params);
    add_values(root, "options", &experiment->options);
    add_initial_view(root, &experiment->initial_view);
    text = ca_config_format(&config, "# calab run -c FILE repeats this experiment.\n");
    config_destroy(&config);
    if (!text)
        return ca_fail(error, CA_NO_MEMORY, "no memory to write %s", path);
    status = ca_config_write(text, path, error);
    free(text);
    return status;
}
