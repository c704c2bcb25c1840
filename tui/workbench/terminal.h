/* SPDX-License-Identifier: MIT */
/*
 * The terminal under the workbench: curses on a private stream of /dev/tty, its modes, what every
 * kind of death must put back, waiting for keys and signals, and suspending.
 *
 * One terminal a process. The main loop:
 *
 *     while (running) {
 *         terminal_poll(terminal, fds, count, timeout_ms);
 *         if (terminal_gone(terminal)) { save; end engines; terminal_die(terminal, SIGHUP); }
 *         if ((signal = terminal_signal(terminal))) { save; end engines; terminal_die(...); }
 *         while (terminal_key(terminal, &key) != ERR) ...    KEY_RESIZE: the size has changed
 *         draw, doupdate() if anything changed
 *     }
 *
 * ^C, ^Z and ^S are keys like others (3, 26, 19), and SIGINT and SIGTSTP from outside arrive as
 * keys 3 and 26; ^\ kills. While the terminal is open, SIGWINCH comes in terminal_poll only.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_H
#define CALAB_TUI_WORKBENCH_TERMINAL_H

#include <poll.h>
#include <stdbool.h>
#include <wchar.h>

#include "core/base/error.h"

struct terminal;

/*
 * Sets the locale (numbers stay in "C"), checks what stdin, stdout and TERM are, installs the
 * handlers, starts curses (cbreak, noecho, keypad, nodelay, no leaveok; the cursor hidden).
 * CA_USAGE where nothing can be drawn, with the cure.
 */
enum ca_status terminal_open(struct terminal **terminal, struct ca_error *error);
/* Ends curses, puts modes, handlers and fds 1 and 2 back. Takes NULL. */
void terminal_close(struct terminal *terminal);

/*
 * Points fds 1 and 2 at the end of a log file until terminal_close; its folder is made when
 * missing, and a log that has grown beyond 1 MiB starts over. On CA_IO they go to /dev/null.
 * The crash handler names this log.
 */
enum ca_status terminal_redirect(struct terminal *terminal, const char *path,
                                 struct ca_error *error);

/* What had to be worked around, such as an unknown TERM that was taken for xterm; "" for nothing.
 */
const char *terminal_notice(const struct terminal *terminal);
bool terminal_utf8(const struct terminal *terminal); /* the locale's character set is UTF-8 */
/* Colours that may be used: 0 with NO_COLOR or on a monochrome terminal, else COLORS. Default
 * colours (-1 in init_pair) are on where the terminal has them. */
int terminal_colours(const struct terminal *terminal);

/*
 * Waits until a key, a signal, a change of the size, or one of `count` (at most 16) descriptors
 * is there, or timeout_ms have passed (-1: forever). Fills their revents.
 */
void terminal_poll(struct terminal *terminal, struct pollfd *fds, int count, int timeout_ms);
/* SIGTERM or SIGHUP once it has come, else 0: then 5 s are left to save before death comes anyway.
 */
int terminal_signal(struct terminal *terminal);
/* The next key, never waits: OK (a character), KEY_CODE_YES (KEY_...) or ERR as get_wch(). */
int terminal_key(struct terminal *terminal, wint_t *key);
/* The other end has hung up, or reading fails for good. */
bool terminal_gone(const struct terminal *terminal);
/* Whether output would go at once; a frame may be left out when not. */
bool terminal_ready(const struct terminal *terminal);

/* Stops the whole job as ^Z does, and comes back when it is continued: then redraw everything. */
void terminal_suspend(struct terminal *terminal);
/* ^L: reads the size again (KEY_RESIZE follows if it is another) and repaints all at doupdate. */
void terminal_redraw(struct terminal *terminal);
void terminal_mouse(struct terminal *terminal, bool on);
/* Puts text on the clipboard of the person's terminal by OSC 52. false: too long (over 8 KiB), or
 * a terminal that would show the sequence as garbage. */
bool terminal_copy(struct terminal *terminal, const char *text);

/* Closes, then ends this process by the signal. */
void terminal_die(struct terminal *terminal, int signal) __attribute__((noreturn));

#endif
