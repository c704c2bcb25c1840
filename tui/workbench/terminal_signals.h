/* SPDX-License-Identifier: MIT */
/*
 * Signals while the workbench has the terminal, and what every kind of death must put back. What
 * the handlers need lies prepared, so that they do write, tcsetattr and raise alone.
 *
 * Signals that leave time (TERM, HUP) make a note and wake the main loop through a pipe, with an
 * alarm behind them in case the main loop hangs; INT and TSTP likewise, to be met as keys; QUIT
 * and crashes put the terminal back at once.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_SIGNALS_H
#define CALAB_TUI_WORKBENCH_TERMINAL_SIGNALS_H

#include <stdbool.h>
#include <termios.h>

#include "core/base/error.h"

/* Installs the handlers, before curses: it leaves alone what has one. `fd`: the terminal, an open
 * file of this process alone. */
enum ca_status terminal_signals_begin(int fd, struct ca_error *error);
void terminal_signals_end(void);

/* From here on (drawn), or no longer, there is something to put back: these modes, and the screen
 * that terminfo's strings leave. Curses must be up. */
void terminal_signals_drawn(const struct termios *modes);
void terminal_signals_not_drawn(void);
void terminal_signals_mouse(bool on);
void terminal_signals_log(const char *path); /* to be named after a crash */

int terminal_signals_fd(void); /* readable once something has come */
void terminal_signals_wake(void);
void terminal_signals_drain(void);
int terminal_signals_death(void); /* SIGTERM or SIGHUP that has come, or 0 */
int terminal_signals_key(void);   /* 3 for SIGINT, 26 for SIGTSTP, each once, or 0 */

/* Ends this process by the signal, nothing put back. */
void terminal_signals_die(int signal) __attribute__((noreturn));

#endif
