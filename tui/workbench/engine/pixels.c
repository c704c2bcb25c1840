/* SPDX-License-Identifier: MIT */
/* Pictures follow what the terminal answers to whether it shows pixels, and how fast its line is.
 */
#include "tui/workbench/terminal/pixels.h"

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/view.h"

extern const struct part pixels_part;

/* Says once why the setting draws something else. */
static void pixels_explain(struct workbench *wb)
{
    const struct pixels *pixels = terminal_pixels(wb->terminal);
    bool *explained = part_state(wb, &pixels_part);
    bool wanted = setting_number(wb, CA_SETTING_GLYPHS) == GLYPHS_PIXEL;

    if (wanted && !*explained && pixels->state != PIXELS_SHOWN && pixels->state != PIXELS_ASKED) {
        message_show(wb, "glyphs: no pixels are drawn: %s",
                     !wb->palette.utf8         ? "the locale has no UTF-8"
                     : wb->palette.shades == 0 ? "they need 256 colours"
                                               : pixels_reason(pixels));
        *explained = true;
    }
    if (!wanted)
        *explained = false;
}

static double pixels_tick(struct workbench *wb, double now)
{
    struct pixels *pixels = terminal_pixels(wb->terminal);
    double next = pixels_expire(pixels, now);

    if (pixels_news(pixels)) {
        wb->palette.pixels = pixels->state == PIXELS_SHOWN ? pixels : NULL;
        view_changed(&wb->panes[0]);
        wb->dirty = true;
    }
    pixels_explain(wb);
    return next;
}

const struct part pixels_part = {
    .name = "pixels", .state_bytes = sizeof(bool), .tick = pixels_tick};
