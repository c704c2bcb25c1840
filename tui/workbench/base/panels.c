/* SPDX-License-Identifier: MIT */
/* The choice of panels, by keys, by the setting `panels` and by the size of the screen. */
#include "tui/workbench/base/panels.h"

#include <string.h>

#include "tui/workbench/base/settings.h"

extern const struct part panels_part;

struct panels {
    const struct part *part[PANELS_MAX];
    struct panel_table table;
    bool wanted[PANELS_MAX];
    bool automatic; /* wanted follows the size of the screen */
    bool full;
    int focus;
};

static struct panels *panels_of(const struct workbench *wb) { return part_state(wb, &panels_part); }

static enum ca_status panels_begin(struct workbench *wb, struct ca_error *error)
{
    struct panels *p = panels_of(wb);

    (void)error;
    for (int i = 0; wb->parts[i] && p->table.count < PANELS_MAX; i++)
        if (wb->parts[i]->draw) {
            p->part[p->table.count] = wb->parts[i];
            p->table.place[p->table.count++] = &wb->parts[i]->place;
        }
    p->wanted[PANEL_MAIN] = true;
    return CA_OK;
}

static void panels_apply(struct workbench *wb)
{
    struct panels *p = panels_of(wb);
    const char *names = setting_text(wb, CA_SETTING_PANELS);

    p->automatic = strstr(names, "auto") != NULL;
    for (int i = PANEL_MAIN + 1; i < p->table.count; i++)
        p->wanted[i] = strstr(names, p->part[i]->name) != NULL;
}

int panels_count(const struct workbench *wb) { return panels_of(wb)->table.count; }

const struct part *panel_at(const struct workbench *wb, int panel)
{
    return panels_of(wb)->part[panel];
}

static int number_of(const struct workbench *wb, const struct part *panel)
{
    int i = 0;

    while (panel_at(wb, i) != panel)
        i++;
    return i;
}

struct rect panel_rect(const struct workbench *wb, const struct part *panel)
{
    return wb->layout.panel[number_of(wb, panel)];
}

struct rect panel_inner(const struct workbench *wb, const struct part *panel)
{
    return layout_inner(&wb->layout, number_of(wb, panel));
}

void panels_lay_out(struct workbench *wb, int rows, int columns, struct layout_slice slice)
{
    struct panels *p = panels_of(wb);

    if (p->automatic)
        layout_wants(rows, columns, &p->table, p->wanted);
    wb->layout = layout_make(rows, columns, &p->table, p->wanted, p->full ? p->focus : -1, slice);
}

bool panels_toggle(struct workbench *wb, int panel)
{
    struct panels *p = panels_of(wb);
    char names[128] = "";

    p->wanted[panel] = !p->wanted[panel];
    p->full = false;
    for (int i = PANEL_MAIN + 1; i < p->table.count; i++)
        if (p->wanted[i])
            ca_text_add(names, sizeof names, "%s%s", names[0] ? " " : "", p->part[i]->name);
    setting_change(wb, CA_SETTING_PANELS, names);
    return p->wanted[panel];
}

const struct part *panels_focused(const struct workbench *wb)
{
    return panel_at(wb, panels_of(wb)->focus);
}

void panels_focus(struct workbench *wb, int panel) { panels_of(wb)->focus = panel; }

void panels_focus_next(struct workbench *wb, int by)
{
    struct panels *p = panels_of(wb);
    int count = p->table.count;

    for (int i = 1; i <= count; i++) {
        int panel = ((p->focus + by * i) % count + count) % count;

        if (p->full ? p->wanted[panel] : wb->layout.panel[panel].rows > 0) {
            p->focus = panel;
            break;
        }
    }
    wb->dirty = true;
}

bool panels_full(const struct workbench *wb) { return panels_of(wb)->full; }
void panels_set_full(struct workbench *wb, bool full) { panels_of(wb)->full = full; }

const struct part panels_part = {.name = "panels",
                                 .state_bytes = sizeof(struct panels),
                                 .begin = panels_begin,
                                 .apply = panels_apply};
