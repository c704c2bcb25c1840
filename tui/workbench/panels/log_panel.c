/* SPDX-License-Identifier: MIT */
/* All messages as a panel, and the last one as a line. */
#include "tui/workbench/panels/panels.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log_inside.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/engine/rebuild.h"

#define LINE_ROWS_MAX 64 /* of a wrapped message */

/* --- the panel -------------------------------------------------------------------------------- */

static const struct log_line *line_at(const struct log *log, int back)
{
    return &log->line[(log->next - 1 - back + LOG_LINES) % LOG_LINES];
}

/* Draws a line wrapped below its text. Returns the rows used. */
static int line_put(const struct palette *palette, struct rect at, int skip,
                    const struct log_line *line)
{
    char text[CA_TEXT_MAX + 16];
    int indent = snprintf(text, sizeof text, "%s%s", line->time, line->alarm ? " ! " : "   ");

    snprintf(text + indent, sizeof text - (size_t)indent, "%s", line->text);
    return put_hanging(palette, at, indent, skip, line->alarm ? STYLE_ALARM : STYLE_PLAIN, text);
}

static int line_rows(const struct log *log, int back, struct rect at)
{
    at.rows = LINE_ROWS_MAX;
    return line_put(NULL, at, 0, line_at(log, back));
}

static void log_draw(struct pane *pane, struct rect inner)
{
    const struct log *log = log_of(pane->wb);
    struct rect at = {inner.row, inner.column + 1, inner.rows, inner.columns - 2};
    int back = log->scroll, over = line_rows(log, back, at) - at.rows;

    /* Draws downwards from the oldest visible line, of which the first rows may be cut. */
    while (back + 1 < log->count && over < 0)
        over += line_rows(log, ++back, at);
    for (over = over < 0 ? 0 : over; back >= 0 && at.rows > 0; back--, over = 0) {
        int used = line_put(&pane->wb->palette, at, over, line_at(log, back));

        at.row += used;
        at.rows -= used;
    }
}

static void log_search(struct workbench *wb, int direction)
{
    struct log *log = log_of(wb);

    for (int i = 1; i <= log->count; i++) {
        int back = ((log->scroll + direction * i) % log->count + log->count) % log->count;

        if (strcasestr(line_at(log, back)->text, dialogs_search(wb))) {
            log->scroll = back;
            return;
        }
    }
}

void log_scroll(struct workbench *wb, enum request request)
{
    struct log *log = log_of(wb);
    struct rect inner = panel_inner(wb, &log_panel);
    struct rect at = {inner.row, inner.column + 1, inner.rows, inner.columns - 2};
    int most = log->count, left = at.rows;

    if (!search_key(wb, request, log_search))
        log->scroll -= list_moves(request, at.rows, LOG_LINES);
    /* At the largest position the oldest lines fill the panel. */
    while (most > 0 && (left -= line_rows(log, most - 1, at)) >= 0)
        most--;
    most = most < log->count ? most : log->count - 1;
    if (log->scroll > most)
        log->scroll = most;
    if (log->scroll < 0)
        log->scroll = 0;
    wb->dirty = true;
}

/* --- the line --------------------------------------------------------------------------------- */

/* A message on its line, or in a box above it where it is too long or the line is taken. */
static void line_draw(const struct workbench *wb, enum style style, const char *text, bool taken)
{
    struct rect at = wb->layout.message;

    if (!taken && text_width(text) <= at.columns - 2) {
        put(&wb->palette, at.row, at.column + 1, at.columns - 2, style, text);
        return;
    }
    at.row += !taken;
    put_boxed(&wb->palette, at, style, text);
}

void message_draw(const struct workbench *wb)
{
    const struct log *log = log_of(wb);
    char text[CA_TEXT_MAX + 64], message[CA_TEXT_MAX + 2], key[16], more[32] = "";
    char edit[32] = "";
    bool fits;

    snprintf(message, sizeof message, "%s%s", log->message[0] && log->alarm ? "! " : "",
             log->message);
    fits = text_width(message) <= wb->layout.message.columns - 2;
    if (log->raised_count > 1)
        snprintf(more, sizeof more, ", %d more", log->raised_count - 1);
    if (rebuild_line(wb) > 0)
        snprintf(edit, sizeof edit, "%s: edit, ",
                 keys_first(wb->keys.keys[REQUEST_LIST_OPEN], key));
    if (log->raised_count > 0 && fits) {
        snprintf(text, sizeof text, "! %s (%s%s%s)", log->raised[log->raised_count - 1], edit,
                 keys_first(wb->keys.keys[REQUEST_ANSWER], key), more);
        line_draw(wb, STYLE_ALARM, text, message[0]);
    }
    if (message[0])
        line_draw(wb, log->alarm ? STYLE_ALARM : STYLE_PLAIN, message, false);
}

/* The keys of lists scroll it while it has the focus. */
static bool log_key(struct workbench *wb, enum request request, int code)
{
    const enum request own = keymap_find(&wb->keys, KEYS_LIST, code);
    bool takes = panels_focused(wb) == &log_panel && request == REQUEST_NONE && own != REQUEST_NONE;

    if (takes)
        log_scroll(wb, own);
    return takes;
}

static void log_wheel(struct workbench *wb, int by)
{
    for (int i = 0; i < WHEEL_ROWS; i++)
        log_scroll(wb, by < 0 ? REQUEST_LIST_UP : REQUEST_LIST_DOWN);
}

const struct part log_panel = {.name = "log",
                               .scene = SCENE_LOG,
                               .place = {.at = PLACE_BELOW, .least = 4, .most = 8, .grows = 3},
                               .key = log_key,
                               .wheel = log_wheel,
                               .draw = log_draw};
