/* SPDX-License-Identifier: MIT */
/* The settings take effect: colours, keys, mouse, panels, pace and view follow them. */
#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/initial_view.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/terminal.h"

extern const struct part settings_part;

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

static void settings_apply(struct workbench *wb)
{
    bool ascii =
        !terminal_lines(wb->terminal) || strcmp(setting_text(wb, CA_SETTING_BORDERS), "ascii") == 0;
    bool mouse = setting_on(wb, CA_SETTING_MOUSE), *had = part_state(wb, &settings_part);

    palette_make(&wb->palette, setting_text(wb, CA_SETTING_COLOURS), terminal_colours(wb->terminal),
                 ascii, terminal_utf8(wb->terminal));
    keys_apply(wb);
    if (mouse != *had)
        terminal_mouse(wb->terminal, mouse);
    *had = mouse;
    view_reduce(&wb->panes[0], (enum ca_reduce)setting_number(wb, CA_SETTING_REDUCE));
    view_drawn(wb);
    speed_set(wb, setting_number(wb, CA_SETTING_SPEED));
    view_layout(wb);
    view_changed(&wb->panes[0]); /* the request of the view also sets fps and reduce */
}

static double settings_tick(struct workbench *wb, double now)
{
    struct ca_error error;

    double due = settings_due(wb);

    if (due > 0 && now >= due) {
        workbench_remember(&wb->panes[0]);
        if (settings_save_now(wb, &error) != CA_OK)
            alarm_raise(wb, "%s", error.text);
    }
    due = settings_due(wb);
    return due > 0 ? due - now : -1;
}

/* Its state is whether the mouse is on. */
const struct part settings_part = {.name = "settings",
                                   .state_bytes = sizeof(bool),
                                   .tick = settings_tick,
                                   .apply = settings_apply};
