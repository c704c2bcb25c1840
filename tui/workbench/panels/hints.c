/* SPDX-License-Identifier: MIT */
/* The last line of the screen: keys of what has them at present, from the table of keys. */
#include <stdio.h>

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/terminal/hints.h"

unsigned scene_now(const struct workbench *wb)
{
    unsigned scene = panels_focused(wb)->scene;

    if (edit_is_on(wb))
        return SCENE_EDIT;
    if (cursor_is_on(wb->pane))
        return SCENE_CURSOR;
    if (split_is_shown(wb))
        return SCENE_SPLIT;
    return scene ? scene : SCENE_OTHER;
}

const char *scene_title(const struct workbench *wb)
{
    static char title[64];

    switch (scene_now(wb)) {
    case SCENE_EDIT:
        return "while cells are edited";
    case SCENE_CURSOR:
        return "while the cursor is shown";
    case SCENE_SPLIT:
        return "in a split";
    default:
        snprintf(title, sizeof title, "in the panel %s", panels_focused(wb)->name);
        return title;
    }
}

/* A key of the map, or one that no table has. */
static void add_keys(struct hints *hints, int weight, const char *keys, const char *text)
{
    char key[16];

    keys_first(keys, key);
    hints_add(hints, weight, key, text, keys_code(key));
}

static void add_scene(const struct workbench *wb, unsigned scene, struct hints *hints)
{
    for (const struct key_row *row = keys_table; row->name; row++) {
        const struct key_hint *hint = keys_hint(row, scene);

        if (hint)
            add_keys(hints, hint->weight, hint->keys ? hint->keys : wb->keys.keys[row->request],
                     hint->text);
    }
}

/* The keys of all lists, but for those that this one has no use for. */
static void add_list(const struct workbench *wb, const struct list_source *list,
                     struct hints *hints)
{
    for (const struct key_row *row = keys_table; row->name; row++) {
        const struct key_hint *hint = keys_hint(row, SCENE_LIST);
        const bool restores =
            row->request == REQUEST_LIST_DEFAULT || row->request == REQUEST_LIST_DEFAULTS;

        if (hint && (list->open || row->request != REQUEST_LIST_OPEN) &&
            (list->restore || !restores))
            add_keys(hints, hint->weight, wb->keys.keys[row->request], hint->text);
    }
}

/* The keys that a list has of its own, and at present. */
static void add_own(const struct workbench *wb, const struct list_source *list, struct hints *hints)
{
    for (const struct list_key *key = list->keys; key->request != REQUEST_NONE; key++)
        if (key->hint && (!key->is_now || key->is_now(wb)))
            add_keys(hints, 0, wb->keys.keys[key->request], key->hint);
}

static void add_filter(const struct workbench *wb, const struct dialog *dialog, struct hints *hints)
{
    add_keys(hints, 0, "enter", "choose");
    add_keys(hints, 0, "esc", "close");
    if (dialog->list->mark && !dialog->text[0])
        add_keys(hints, 0, wb->keys.keys[REQUEST_LIST_MARK], "mark");
    hints_add(hints, 0, "up", "down move; letters filter", -1);
}

static void add_prompt(const struct prompt_source *prompt, struct hints *hints)
{
    add_keys(hints, 0, "enter", "accept");
    add_keys(hints, 0, "esc", "cancel");
    if (prompt->complete || prompt->offer)
        add_keys(hints, 0, "tab", "complete");
    if (prompt->history)
        add_keys(hints, 0, "up", "earlier");
}

static struct hints screen_hints(const struct workbench *wb)
{
    const struct dialog *top = dialog_top(wb);
    struct hints hints = {.count = 0};

    if (top && top->prompt)
        add_prompt(top->prompt, &hints);
    else if (top && top->list->filter)
        add_filter(wb, top, &hints);
    else if (top && top->list->keys[0].request != REQUEST_NONE)
        add_own(wb, top->list, &hints);
    else if (top)
        add_list(wb, top->list, &hints);
    else
        add_scene(wb, scene_now(wb), &hints);
    hints_fit(&hints, wb->layout.hints.columns);
    return hints;
}

void hints_draw(const struct workbench *wb)
{
    const struct rect at = wb->layout.hints;
    const struct hints hints = screen_hints(wb);

    for (int i = 0; i < hints.count; i++) {
        const struct hint *hint = &hints.hint[i];
        int used;

        if (hint->column < 0)
            continue;
        used = put(&wb->palette, at.row, hint->column, at.columns, STYLE_KEY, hint->key);
        putf(&wb->palette, at.row, hint->column + used, at.columns, STYLE_PLAIN, " %s", hint->text);
    }
}

int hints_code_at(const struct workbench *wb, int row, int column)
{
    const struct hints hints = screen_hints(wb);
    const struct hint *hint = hints_at(&hints, column);

    return row == wb->layout.hints.row && hint ? hint->code : -1;
}
