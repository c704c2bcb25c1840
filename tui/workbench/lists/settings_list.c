/* SPDX-License-Identifier: MIT */
/* The editor of the settings: a list of the rows of their table, then of the keys. */
#include "tui/workbench/lists/settings_list.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/pane.h"

static int editor_count(struct workbench *wb)
{
    int keys = 0;

    while (keys_table[keys].name)
        keys++;
    return ca_settings_values(wb->settings)->count + 1 + keys;
}

static void key_row_text(struct workbench *wb, const struct key_row *key, struct list_row *row)
{
    const char *bound = ca_settings_key(wb->settings, key->name);
    bool golly = strcmp(setting_text(wb, CA_SETTING_KEYS), "golly") == 0;

    snprintf(row->text, sizeof row->text, "%-16s %-14s %s", key->name, wb->keys.keys[key->request],
             bound ? "calab.cfg" : "built-in");
    snprintf(row->detail, sizeof row->detail, "%s\nkeys, separated by spaces; default %s",
             key->help, golly && key->golly ? key->golly : key->keys);
}

static void editor_row(struct workbench *wb, int index, struct list_row *row)
{
    const struct ca_values *values = ca_settings_values(wb->settings);
    char value[CA_TEXT_MAX], range[CA_TEXT_MAX], standard[CA_TEXT_MAX];
    const struct ca_param *param;

    if (index > values->count) {
        key_row_text(wb, &keys_table[index - values->count - 1], row);
        return;
    }
    if (index == values->count) {
        row->heading = true;
        snprintf(row->text, sizeof row->text, "keys");
        return;
    }
    param = &values->table[index];
    ca_value_format(value, param, &values->value[index]);
    ca_param_default(standard, param);
    if (index == CA_SETTING_SPEED) /* each model has its own */
        ca_number_format(standard, wb->pane->experiment.model->pace);
    ca_param_range(range, param);
    snprintf(row->text, sizeof row->text, "%-16s %-14.60s %s", param->name, value,
             ca_origin_name(values->value[index].origin));
    snprintf(row->detail, sizeof row->detail, "%s\n%s%.300s; default %.100s", param->help,
             range[0] ? "allowed: " : "", range, standard);
}

static bool value_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    return setting_set(wb, (enum ca_setting)item, text, error);
}

static bool key_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    const struct key_row *row = &keys_table[item];

    if (!keymap_bind(&wb->keys, row->request, text, error->text, sizeof error->text))
        return false;
    ca_settings_set_key(wb->settings, row->name, text);
    settings_save_soon(wb);
    return true;
}

static const struct prompt_source value_source = {.label = "value: ", .accept = value_accept};
static const struct prompt_source key_source = {.label = "keys: ", .accept = key_accept};

static bool editor_open(struct workbench *wb, int index)
{
    const struct ca_values *values = ca_settings_values(wb->settings);
    struct list_row row = {0};
    char text[CA_TEXT_MAX];

    editor_row(wb, index, &row);
    if (index > values->count) {
        const struct key_row *key = &keys_table[index - values->count - 1];

        prompt_open(wb, &key_source, (int)(key - keys_table), wb->keys.keys[key->request],
                    row.detail);
    } else if (index < values->count && values->table[index].kind == CA_CHOICE) {
        setting_cycle(wb, (enum ca_setting)index); /* selects the next choice */
    } else if (index < values->count) {
        ca_value_format(text, &values->table[index], &values->value[index]);
        prompt_open(wb, &value_source, index, text, row.detail);
    }
    return false;
}

const struct list_source settings_source = {.title = "settings",
                                            .count = editor_count,
                                            .row = editor_row,
                                            .open = editor_open,
                                            .detail = 3};
