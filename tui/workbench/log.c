/* SPDX-License-Identifier: MIT */
/* Owns the messages: the last one is in the message line, all are in the log panel, and an alarm
 * that was raised stays on the screen until it is answered. */
#include "tui/workbench/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LINE_ROWS_MAX 64 /* of a wrapped message */

static const char *add_line(struct workbench *wb, bool alarm, const char *format, va_list list)
{
    struct log *log = &wb->log;
    struct log_line *line = &log->line[log->next];
    time_t now = time(NULL);
    struct tm local;

    vsnprintf(line->text, sizeof line->text, format, list);
    line->alarm = alarm;
    line->time[0] = 0;
    if (localtime_r(&now, &local))
        strftime(line->time, sizeof line->time, "%H:%M:%S", &local);
    log->next = (log->next + 1) % LOG_LINES;
    log->count += log->count < LOG_LINES;
    log->scroll = 0;
    wb->dirty = true;
    return line->text;
}

static void set_message(struct log *log, bool alarm, const char *text)
{
    memcpy(log->message, text, sizeof log->message);
    log->alarm = alarm;
}

void say(struct workbench *wb, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    set_message(&wb->log, false, add_line(wb, false, format, list));
    va_end(list);
}

void log_add(struct workbench *wb, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add_line(wb, false, format, list);
    va_end(list);
}

void alarm_say(struct workbench *wb, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    set_message(&wb->log, true, add_line(wb, true, format, list));
    va_end(list);
}

void alarm_raise(struct workbench *wb, const char *format, ...)
{
    struct log *log = &wb->log;
    const char *text;
    va_list list;

    va_start(list, format);
    text = add_line(wb, true, format, list);
    va_end(list);
    log->message[0] = 0;
    if (log->raised_count > 0 && strcmp(log->raised[log->raised_count - 1], text) == 0)
        return;
    if (log->raised_count == ALARMS_MAX) { /* the oldest is in the log alone */
        memmove(log->raised[0], log->raised[1], sizeof log->raised - sizeof log->raised[0]);
        log->raised_count--;
    }
    memcpy(log->raised[log->raised_count++], text, CA_TEXT_MAX);
}

bool alarm_answer(struct workbench *wb)
{
    bool raised = wb->log.raised_count > 0;

    wb->log.raised_count -= raised;
    wb->dirty |= raised;
    return raised;
}

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

static struct rect text_area(struct rect inner)
{
    return (struct rect){inner.row, inner.column + 1, inner.rows, inner.columns - 2};
}

static int line_rows(const struct log *log, int back, struct rect at)
{
    at.rows = LINE_ROWS_MAX;
    return line_put(NULL, at, 0, line_at(log, back));
}

/* The largest scroll position: the oldest lines then fill the panel. */
static int scroll_most(const struct log *log, struct rect at)
{
    int back = log->count, left = at.rows;

    while (back > 0 && (left -= line_rows(log, back - 1, at)) >= 0)
        back--;
    return back < log->count ? back : log->count - 1;
}

void log_draw(struct pane *pane, struct rect inner)
{
    const struct log *log = &pane->wb->log;
    struct rect at = text_area(inner);
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

/* Scrolls to the next line in a direction that contains the search text. */
static void log_search(struct workbench *wb, int direction)
{
    struct log *log = &wb->log;

    for (int i = 1; i <= log->count; i++) {
        int back = ((log->scroll + direction * i) % log->count + log->count) % log->count;

        if (strcasestr(line_at(log, back)->text, wb->search)) {
            log->scroll = back;
            return;
        }
    }
}

static bool search_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    (void)item, (void)error;
    snprintf(wb->search, sizeof wb->search, "%s", text);
    log_search(wb, 1);
    return true;
}

static const struct prompt_source search_source = {.label = "/", .accept = search_accept};

void log_scroll(struct workbench *wb, enum request request)
{
    struct log *log = &wb->log;
    struct rect at = text_area(screen_inner(wb, PANEL_LOG));
    int page = at.rows, most = scroll_most(log, at);

    switch (request) {
    case REQUEST_LIST_UP:
        log->scroll++;
        break;
    case REQUEST_LIST_DOWN:
        log->scroll--;
        break;
    case REQUEST_LIST_PAGE_UP:
        log->scroll += page;
        break;
    case REQUEST_LIST_PAGE_DOWN:
        log->scroll -= page;
        break;
    case REQUEST_LIST_TOP:
        log->scroll = most;
        break;
    case REQUEST_LIST_BOTTOM:
        log->scroll = 0;
        break;
    case REQUEST_SEARCH:
        prompt_open(wb, &search_source, 0, "", NULL);
        break;
    case REQUEST_SEARCH_NEXT:
        log_search(wb, 1);
        break;
    case REQUEST_SEARCH_PREVIOUS:
        log_search(wb, -1);
        break;
    default:
        break;
    }
    if (log->scroll > most)
        log->scroll = most;
    if (log->scroll < 0)
        log->scroll = 0;
    wb->dirty = true;
}
