/* SPDX-License-Identifier: MIT */
/* The log keeps the messages: the last one is in the message line, all are in the log panel, and an
 * alarm that was raised stays on the screen until it is answered. */
#include "tui/workbench/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log_inside.h"

const struct part log_part = {.name = "messages", .state_bytes = sizeof(struct log)};

struct log *log_of(const struct workbench *wb) { return part_state(wb, &log_part); }

static const char *add_line(struct workbench *wb, bool alarm, const char *format, va_list list)
{
    struct log *log = log_of(wb);
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

void message_show(struct workbench *wb, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    set_message(log_of(wb), false, add_line(wb, false, format, list));
    va_end(list);
}

void log_add(struct workbench *wb, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add_line(wb, false, format, list);
    va_end(list);
}

void message_warn(struct workbench *wb, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    set_message(log_of(wb), true, add_line(wb, true, format, list));
    va_end(list);
}

void alarm_raise(struct workbench *wb, const char *format, ...)
{
    struct log *log = log_of(wb);
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
    bool raised = log_of(wb)->raised_count > 0;

    log_of(wb)->raised_count -= raised;
    wb->dirty |= raised;
    return raised;
}

const char *alarm_shown(const struct workbench *wb)
{
    const struct log *log = log_of(wb);

    return log->raised_count > 0 ? log->raised[log->raised_count - 1] : NULL;
}

void message_clear(struct workbench *wb)
{
    struct log *log = log_of(wb);

    if (!log->message[0])
        return;
    log->message[0] = 0;
    wb->dirty = true;
}
