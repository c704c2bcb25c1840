/* SPDX-License-Identifier: MIT */
/* Owns the settings in the workbench: reading by name, changing, saving, and the editor. */
#include "tui/workbench/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

#define SAVE_AFTER_S 1.0

const char *setting_text(const struct workbench *wb, enum ca_setting setting)
{
    return ca_setting_text(wb->settings, setting);
}

double setting_number(const struct workbench *wb, enum ca_setting setting)
{
    return ca_setting_number(wb->settings, setting);
}

bool setting_on(const struct workbench *wb, enum ca_setting setting)
{
    return setting_number(wb, setting) == 1;
}

void settings_save_soon(struct workbench *wb)
{
    if (wb->save_due == 0)
        wb->save_due = ca_now() + SAVE_AFTER_S;
}

void workbench_remember(struct pane *pane)
{
    static struct ca_saved_view saved;

    if (!pane->opened || lab_has(pane))
        return;
    ca_settings_set_model(pane->wb->settings, pane->experiment.model);
    if (pane->keep_saved_state)
        return;
    saved.experiment = pane->experiment;
    opening_give(pane, &saved.experiment.opening);
    ca_settings_remember(pane->wb->settings, &saved);
}

enum ca_status settings_save_now(struct workbench *wb, struct ca_error *error)
{
    wb->save_due = 0;
    return ca_settings_save(wb->settings, error);
}

static bool setting_set(struct workbench *wb, enum ca_setting setting, const char *text,
                        struct ca_error *error)
{
    if (ca_settings_set(wb->settings, setting, text, CA_FROM_WORKBENCH, error) != CA_OK)
        return false;
    settings_apply(wb);
    settings_save_soon(wb);
    return true;
}

bool setting_change(struct workbench *wb, enum ca_setting setting, const char *text)
{
    struct ca_error error;
    bool allowed = setting_set(wb, setting, text, &error);

    if (!allowed)
        alarm_say(wb, "%s", error.text);
    return allowed;
}

void setting_cycle(struct workbench *wb, enum ca_setting setting)
{
    const struct ca_param *param = &ca_settings_table[setting];
    int next = (int)setting_number(wb, setting) + 1;

    if (param->kind != CA_CHOICE)
        return;
    if (!param->choices[next])
        next = 0;
    if (setting_change(wb, setting, param->choices[next]))
        say(wb, "%s: %s", param->name, setting_text(wb, setting));
}

static void keys_apply(struct workbench *wb)
{
    keymap_preset(&wb->keys, setting_text(wb, CA_SETTING_KEYS));
    for (const struct key_row *row = keys_table; row->name; row++) {
        const char *keys = ca_settings_key(wb->settings, row->name);
        char message[200];

        if (keys && !keymap_bind(&wb->keys, row->request, keys, message, sizeof message))
            alarm_raise(wb, "calab.cfg: keys.%s: %s", row->name, message);
    }
}

/* The setting `panels` names the panels besides the lattice. */
static void panels_apply(struct workbench *wb)
{
    const char *names = setting_text(wb, CA_SETTING_PANELS);

    wb->panels_auto = strstr(names, "auto") != NULL;
    for (int i = PANEL_LATTICE + 1; i < PANEL_COUNT; i++)
        wb->wanted[i] = strstr(names, panels[i].name) != NULL;
}

void settings_panels(struct workbench *wb)
{
    char names[128] = "";

    for (int i = PANEL_LATTICE + 1; i < PANEL_COUNT; i++)
        if (wb->wanted[i]) {
            strcat(names, names[0] ? " " : "");
            strcat(names, panels[i].name);
        }
    setting_change(wb, CA_SETTING_PANELS, names);
}

void settings_drawn(struct workbench *wb)
{
    int drawn = (int)setting_number(wb, CA_SETTING_DRAWN);

    wb->difference = drawn == CA_SETTING_DIFFERENCE;
    wb->panes[0].view.drawn = wb->difference ? CA_STATE : (enum ca_drawn)drawn;
}

void settings_apply(struct workbench *wb)
{
    bool ascii =
        !terminal_lines(wb->terminal) || strcmp(setting_text(wb, CA_SETTING_BORDERS), "ascii") == 0;
    bool mouse = setting_on(wb, CA_SETTING_MOUSE);

    palette_make(&wb->palette, setting_text(wb, CA_SETTING_COLOURS), terminal_colours(wb->terminal),
                 ascii, terminal_utf8(wb->terminal));
    keys_apply(wb);
    if (mouse != wb->mouse)
        terminal_mouse(wb->terminal, mouse);
    wb->mouse = mouse;
    wb->panes[0].view.reduce = (enum ca_reduce)setting_number(wb, CA_SETTING_REDUCE);
    settings_drawn(wb);
    panels_apply(wb);
    speed_set(wb, setting_number(wb, CA_SETTING_SPEED));
    screen_layout(wb);
    view_changed(&wb->panes[0]); /* the request of the view also sets fps and reduce */
}

/* --- the editor: rows of the table, then the keys --------------------------------------------- */

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
