/* SPDX-License-Identifier: MIT */
/* The menu lists what the keys can do at present, from the table of keys, and does it. */
#include "tui/workbench/base/panels.h"
#include "tui/workbench/lists/lists.h"
#include "tui/workbench/panels/panels.h"

#include <stdio.h>

static void menu_add(const struct workbench *wb, const struct key_row *row)
{
    struct list_row *line = list_add((int)row->request, "%-16s %-10s %s", row->name,
                                     wb->keys.keys[row->request], row->help);

    snprintf(line->detail, sizeof line->detail, "%s", row->help);
}

static bool is_among(const struct key_row *const rows[KEYS_FIRST], const struct key_row *row)
{
    for (int i = 0; i < KEYS_FIRST; i++)
        if (rows[i] == row)
            return true;
    return false;
}

/* A row that is in two groups stands in the first. */
static void menu_fill(struct workbench *wb)
{
    const struct key_row *most[KEYS_FIRST];
    const unsigned scene = scene_now(wb);

    keys_most_important(most);
    list_add(0, "%s", scene_title(wb))->heading = true;
    for (const struct key_row *row = keys_table; row->name; row++)
        if (keys_belong(row, scene) && keys_apply(row, scene))
            menu_add(wb, row);
    list_add(0, "everywhere")->heading = true;
    for (int i = 0; i < KEYS_FIRST; i++)
        if (!keys_belong(most[i], scene) && most[i]->request != REQUEST_MENU)
            menu_add(wb, most[i]);
    for (const struct key_row *row = keys_table; row->name; row++)
        if (keys_apply(row, scene) && !keys_belong(row, scene) && !is_among(most, row))
            menu_add(wb, row);
}

/* The menu is closed before, so that what opens lies over the panels. */
static bool menu_open(struct workbench *wb, const struct list_row *row)
{
    dialogs_close(wb);
    parts_perform(wb, (enum request)row->item);
    return false;
}

const struct list_source menu_source = {.title = "what can be done here",
                                        .fill = menu_fill,
                                        .open = menu_open,
                                        .filter = true,
                                        .detail = 2};
