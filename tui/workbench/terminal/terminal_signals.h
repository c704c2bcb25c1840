/* SPDX-License-Identifier: MIT */
/*
 * Signals while the workbench uses the terminal, and restoring the terminal however the process
 * ends. Everything that the handlers need is prepared, so that they only call write, tcsetattr and
 * raise.
 *
 * TERM and HUP are recorded and wake the main loop through a pipe, so that it can save; an alarm
 * ends the process if the main loop hangs. INT and TSTP are delivered as keys in the same way. QUIT
 * and crashes restore the terminal at once.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_TERMINAL_SIGNALS_H
#define CALAB_TUI_WORKBENCH_TERMINAL_TERMINAL_SIGNALS_H

#include <termios.h>

#include "core/base/error.h"

/* Installs the handlers. Call it before curses, which keeps existing handlers. `fd` is the
 * terminal, an open file that no other process shares. */
enum ca_status terminal_signals_begin(int fd, struct ca_error *error);
void terminal_signals_end(void);

/* From now on (drawn) or no longer (not_drawn), the handlers restore these modes and leave the
 * screen by the strings of terminfo. Curses must be running. */
void terminal_signals_drawn(const struct termios *modes);
void terminal_signals_not_drawn(void);
void terminal_signals_mouse(bool on);
void terminal_signals_paste(bool on);           /* pastes are bracketed */
void terminal_signals_pixels(const char *text); /* which takes pictures back; "": there are none */
void terminal_signals_log(const char *path);    /* named in the message after a crash */

int terminal_signals_fd(void); /* readable after a signal */
void terminal_signals_wake(void);
void terminal_signals_drain(void);
int terminal_signals_death(void); /* SIGTERM or SIGHUP that has arrived, or 0 */
int terminal_signals_key(void);   /* 3 for SIGINT, 26 for SIGTSTP, each once, or 0 */

/* Ends this process by the signal without restoring anything. */
void terminal_signals_die(int signal) __attribute__((noreturn));

#endif
