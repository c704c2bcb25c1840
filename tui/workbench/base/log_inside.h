/* SPDX-License-Identifier: MIT */
/* The messages, for log.c and log_panel.c alone. */
#ifndef CALAB_TUI_WORKBENCH_BASE_LOG_INSIDE_H
#define CALAB_TUI_WORKBENCH_BASE_LOG_INSIDE_H

#include "tui/keys.h"
#include "tui/workbench/base/log.h"

#define LOG_LINES 256
#define ALARMS_MAX 8

struct log_line {
    char time[12];
    bool alarm;
    char text[CA_TEXT_MAX];
};

struct log {
    struct log_line line[LOG_LINES];
    int count, next, scroll;
    char message[CA_TEXT_MAX]; /* the message line, until the next key */
    bool alarm;
    char raised[ALARMS_MAX][CA_TEXT_MAX]; /* alarms that nobody has answered, the newest last */
    int raised_count;
};

struct log *log_of(const struct workbench *wb);
void log_scroll(struct workbench *wb, enum request request);

#endif
