/* SPDX-License-Identifier: MIT */
/*
 * Messages: the last one is in the message line, all are in the log, and an alarm that was raised
 * stays on the screen until it is answered.
 */
#ifndef CALAB_TUI_WORKBENCH_BASE_LOG_H
#define CALAB_TUI_WORKBENCH_BASE_LOG_H

#include "core/base/error.h"
#include "core/model/param.h"

struct workbench;
struct part;

extern const struct part log_part;

/* One line for the user, also added to the log: an answer; one that refuses or warns; and one that
 * tells what the user did not ask for and has to know, which stays until alarm_answer. */
void message_show(struct workbench *wb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void message_warn(struct workbench *wb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void alarm_raise(struct workbench *wb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line of the log alone. */
void log_add(struct workbench *wb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes away the newest alarm that was raised. False: there is none. */
bool alarm_answer(struct workbench *wb);

/* The newest of those, NULL: there is none. */
const char *alarm_shown(const struct workbench *wb);

/* A message stays until the next key. */
void message_clear(struct workbench *wb);

#endif
