/* SPDX-License-Identifier: MIT */
/* What a command that takes long says meanwhile, and the signals that ask it to end. */
#ifndef CALAB_TUI_PROGRESS_H
#define CALAB_TUI_PROGRESS_H

#include <signal.h>

#include "tui/options.h"

/* Before the rest. Progress goes to stderr where that is a terminal, unless by -q. */
void progress_open(const struct options *options);
/* Whether it is time for another line. */
bool progress_due(void);
/* In place of the last line, due or not. */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

extern volatile sig_atomic_t stopped_by; /* 0: no signal has come */
/*
 * The first SIGINT, SIGTERM or SIGHUP asks, a second one of its kind ends the process at once. What
 * is ignored, as nohup makes it, stays so.
 */
void catch_signals(void);

#endif
