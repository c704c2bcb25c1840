/* SPDX-License-Identifier: MIT */
/* Pictures follow what the terminal answers to whether it shows pixels, how fast its line is, and
 * whether anything changes. */
#include "tui/workbench/terminal/pixels.h"

#include <math.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/view.h"

extern const struct part pixels_part;

struct pixels_told {
    bool explained; /* why the setting draws something else */
    double ran;     /* the last time that an engine was seen at work */
};

/* Says once why the setting draws something else. */
static void pixels_explain(struct workbench *wb)
{
    const struct pixels *pixels = terminal_pixels(wb->terminal);
    struct pixels_told *told = part_state(wb, &pixels_part);
    bool wanted = setting_number(wb, CA_SETTING_GLYPHS) == GLYPHS_PIXEL;

    if (wanted && !told->explained && pixels->state != PIXELS_SHOWN &&
        pixels->state != PIXELS_ASKED) {
        message_show(wb, "glyphs: no pixels are drawn: %s",
                     !wb->palette.utf8         ? "the locale has no UTF-8"
                     : wb->palette.shades == 0 ? "they need 256 colours"
                                               : pixels_reason(pixels));
        told->explained = true;
    }
    if (!wanted)
        told->explained = false;
}

/* A slow line gets all pixels once nothing runs and no key is pressed. Returns the seconds until
 * then, negative: it is so, or does not matter. */
static double pixels_settle(struct workbench *wb, struct pixels *pixels, double now)
{
    struct pixels_told *told = part_state(wb, &pixels_part);
    double left;

    for (int i = 0; i < wb->pane_count; i++)
        if (session_busy(&wb->panes[i]))
            told->ran = now;
    left = PIXELS_REST_S - (now - fmax(told->ran, wb->keyed));
    pixels_rest(pixels, left <= 0);
    return left > 0 && told->ran < now && pixels->coarse > 0 ? left : -1;
}

static double pixels_tick(struct workbench *wb, double now)
{
    struct pixels *pixels = terminal_pixels(wb->terminal);
    double next = sooner(pixels_expire(pixels, now), pixels_settle(wb, pixels, now));

    if (pixels_news(pixels)) {
        wb->palette.pixels = pixels->state == PIXELS_SHOWN ? pixels : NULL;
        view_changed(&wb->panes[0]);
        wb->dirty = true;
    }
    pixels_explain(wb);
    return next;
}

const struct part pixels_part = {
    .name = "pixels", .state_bytes = sizeof(struct pixels_told), .tick = pixels_tick};
