/* SPDX-License-Identifier: MIT */
/* The progress line of a long command, and the signals that end it. */
#ifndef CALAB_TUI_PROGRESS_H
#define CALAB_TUI_PROGRESS_H

#include <signal.h>

#include "tui/options.h"

/* Call it first. Progress is shown on stderr if that is a terminal and -q is not given. */
void progress_open(const struct options *options);
/* Whether it is time for an update. */
bool progress_due(void);
/* Replaces the progress line, due or not. */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);

extern volatile sig_atomic_t stopped_by; /* 0: no signal has arrived */
/*
 * The first SIGINT, SIGTERM or SIGHUP sets stopped_by, a second one ends the process at once. A
 * signal that is ignored, as under nohup, stays ignored.
 */
void catch_signals(void);

/* Sets the error of a command that a signal has ended, `rest` behind its name, and returns the exit
 * status. */
int stopped_status(enum ca_status status, const char *rest, struct ca_error *error);

extern volatile sig_atomic_t checkpoint_asked; /* SIGUSR1 has arrived */
void catch_checkpoint_signal(void);

#endif
