/* SPDX-License-Identifier: MIT */
/* The settings take effect: colours, keys, mouse, panels, pace and view follow them. */
#include "tui/workbench/apply.h"

#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/initial_view.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/terminal.h"

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
        wb->wanted[i] = strstr(names, panels[i]->name) != NULL;
}

static void settings_apply(struct workbench *wb)
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
    view_drawn(wb);
    panels_apply(wb);
    speed_set(wb, setting_number(wb, CA_SETTING_SPEED));
    view_layout(wb);
    view_changed(&wb->panes[0]); /* the request of the view also sets fps and reduce */
}

void settings_panels(struct workbench *wb)
{
    char names[128] = "";

    for (int i = PANEL_LATTICE + 1; i < PANEL_COUNT; i++)
        if (wb->wanted[i]) {
            strcat(names, names[0] ? " " : "");
            strcat(names, panels[i]->name);
        }
    setting_change(wb, CA_SETTING_PANELS, names);
}

static double settings_tick(struct workbench *wb, double now)
{
    struct ca_error error;

    if (wb->save_due > 0 && now >= wb->save_due) {
        workbench_remember(&wb->panes[0]);
        if (settings_save_now(wb, &error) != CA_OK)
            alarm_raise(wb, "%s", error.text);
    }
    return wb->save_due > 0 ? wb->save_due - now : -1;
}

const struct part settings_part = {
    .name = "settings", .tick = settings_tick, .apply = settings_apply};
