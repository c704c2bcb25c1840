/* SPDX-License-Identifier: MIT */
/* Owns the texts to read: the help, generated from the key table, and the command of a run. */
#include "tui/workbench/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- help: the keys of the focused panel come first ------------------------------------------- */

static const enum key_context *order_of(const struct workbench *wb)
{
    static const enum key_context lattice[] = {KEYS_LATTICE, KEYS_EVERYWHERE, KEYS_LIST};
    static const enum key_context log[] = {KEYS_LIST, KEYS_EVERYWHERE, KEYS_LATTICE};
    static const enum key_context other[] = {KEYS_EVERYWHERE, KEYS_LATTICE, KEYS_LIST};

    return wb->focus == PANEL_LATTICE ? lattice : wb->focus == PANEL_LOG ? log : other;
}

static int help_count(struct workbench *wb)
{
    int n = KEYS_CONTEXTS;

    (void)wb;
    for (const struct key_row *row = keys_table; row->name; row++)
        n++;
    return n;
}

static void help_row(struct workbench *wb, int index, struct list_row *row)
{
    const enum key_context *order = order_of(wb);
    static const char *const titles[KEYS_CONTEXTS] = {
        "everywhere", "in the lattice", "in lists, help and the log (in pickers, letters filter)"};

    for (int i = 0; i < KEYS_CONTEXTS; i++) {
        if (index-- == 0) {
            row->heading = true;
            snprintf(row->text, sizeof row->text, "%s", titles[order[i]]);
            return;
        }
        for (const struct key_row *key = keys_table; key->name; key++)
            if (key->context == order[i] && index-- == 0) {
                row->indent =
                    snprintf(row->text, sizeof row->text, "%-16s ", wb->keys.keys[key->request]);
                snprintf(row->text + row->indent, sizeof row->text - (size_t)row->indent, "%s",
                         key->help);
                return;
            }
    }
}

const struct list_source help_source = {.title = "help", .count = help_count, .row = help_row};

/* --- the command that reproduces the state ---------------------------------------------------- */

static char yank_text[4096];

/* The width inside the box and its margin. */
static int yank_width(const struct workbench *wb)
{
    return wb->columns - 8 < 72 ? wb->columns - 8 : 72;
}

static int yank_count(struct workbench *wb)
{
    int width = yank_width(wb);

    return ((int)strlen(yank_text) + width - 1) / width;
}

static void yank_row(struct workbench *wb, int index, struct list_row *row)
{
    int width = yank_width(wb);

    snprintf(row->text, sizeof row->text, "%.*s", width, yank_text + index * width);
}

const struct list_source yank_source = {
    .title = "command that reproduces this state", .count = yank_count, .row = yank_row};

void yank_show(struct workbench *wb)
{
    char *command = ca_experiment_command(&wb->pane->experiment, wb->pane->session.generation);

    if (!command)
        return;
    snprintf(yank_text, sizeof yank_text, "%s", command);
    list_open(wb, &yank_source);
    if (!setting_on(wb, CA_SETTING_CLIPBOARD))
        say(wb, "not copied: the setting clipboard is off");
    else if (terminal_copy(wb->terminal, command))
        say(wb, "sent to the clipboard of the terminal (OSC 52)");
    else
        say(wb, "not copied: this terminal does not support OSC 52");
    free(command);
}
