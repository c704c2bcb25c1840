/* SPDX-License-Identifier: MIT */
/*
 * The terminal of the workbench: curses on a private stream of /dev/tty, the modes that are
 * restored however the process ends, waiting for keys and signals, and suspending.
 *
 * A process has one terminal. The main loop is:
 *
 *     while (running) {
 *         terminal_poll(terminal, fds, count, timeout_ms);
 *         if (terminal_gone(terminal)) { save; end engines; terminal_die(terminal, SIGHUP); }
 *         if ((signal = terminal_signal(terminal))) { save; end engines; terminal_die(...); }
 *         while (terminal_key(terminal, &key) != ERR) ...    KEY_RESIZE: the size has changed
 *         draw, terminal_update() if anything changed and terminal_ready()
 *     }
 *
 * ^C, ^Z and ^S are ordinary keys (3, 26, 19), and SIGINT and SIGTSTP from other processes arrive
 * as keys 3 and 26; ^\ kills. While the terminal is open, SIGWINCH is delivered in terminal_poll
 * only.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_TERMINAL_H
#define CALAB_TUI_WORKBENCH_TERMINAL_TERMINAL_H

#include <poll.h>
#include <wchar.h>

#include "core/base/error.h"

struct terminal;
struct pixels;

/*
 * Sets the locale (tui/locale.h), checks stdin, stdout and TERM, installs the handlers and
 * starts curses (cbreak, noecho, keypad, nodelay, no leaveok; the cursor hidden). CA_USAGE if
 * nothing can be drawn, with the remedy.
 */
enum ca_status terminal_open(struct terminal **terminal, struct ca_error *error);
/* Ends curses and restores modes, handlers and fds 1 and 2. Accepts NULL. */
void terminal_close(struct terminal *terminal);

/*
 * Redirects fds 1 and 2 to the end of a log file until terminal_close. A missing folder is created,
 * and a log of more than 1 MiB is truncated. On CA_IO they are redirected to /dev/null. The crash
 * handler names this log.
 */
enum ca_status terminal_redirect(struct terminal *terminal, const char *path,
                                 struct ca_error *error);

/* A message about a workaround, such as an unknown TERM that was replaced by xterm; "" for none. */
const char *terminal_notice(const struct terminal *terminal);
/* The same about the locale, for the log: what is drawn may be as it should. */
const char *terminal_locale_notice(const struct terminal *terminal);
bool terminal_utf8(const struct terminal *terminal); /* whether the character set is UTF-8 */
/* Whether boxes can be drawn with lines: in UTF-8, and by its alternate character set on a VT100 or
 * one of its kind. Others often announce that set and show its letters in place of lines. */
bool terminal_lines(const struct terminal *terminal);
/* The number of colours: 0 with NO_COLOR or on a monochrome terminal, else COLORS. Default colours
 * (-1 in init_pair) are on if the terminal has them. */
int terminal_colours(const struct terminal *terminal);

/*
 * Waits for a key, a signal, a change of the size, one of `count` (at most 16) descriptors, or
 * timeout_ms (-1: forever). Fills their revents.
 */
void terminal_poll(struct terminal *terminal, struct pollfd *fds, int count, int timeout_ms);
/* SIGTERM or SIGHUP once it has arrived, else 0. The process is ended 5 s later at the latest. */
int terminal_signal(struct terminal *terminal);
/* The next key without waiting: OK (a character), KEY_CODE_YES (KEY_...) or ERR as get_wch(), and
 * TERMINAL_PASTED (terminal_keys.h). */
int terminal_key(struct terminal *terminal, wint_t *key);
/* Whether the terminal has hung up, or reading fails permanently. */
bool terminal_gone(const struct terminal *terminal);
/* Sends what has changed on the curses screen, in one write as far as the line takes it; the rest
 * follows in terminal_poll. */
void terminal_update(struct terminal *terminal);
/* Whether all that was sent has been taken, and the terminal accepts output without blocking. If
 * not, terminal_poll waits for that, too. */
bool terminal_ready(struct terminal *terminal);

/* Stops the whole job as ^Z does and returns when it is continued; then redraw everything. */
void terminal_suspend(struct terminal *terminal);
/*
 * Gives the terminal to a program, which has it as all three streams, until it ends, and then comes
 * back: redraw everything. Returns its wait status. It is ended where this process is to end.
 */
enum ca_status terminal_lend(struct terminal *terminal, const char *const argv[], int *wait_status,
                             struct ca_error *error);
/* ^L: reads the size again (KEY_RESIZE follows a change) and repaints everything at doupdate. */
void terminal_redraw(struct terminal *terminal);
/* Whether its description says that it reports a mouse. */
bool terminal_has_mouse(const struct terminal *terminal);
void terminal_mouse(struct terminal *terminal, bool on);
/* Copies text to the clipboard of the user's terminal by OSC 52. False if it is too long (over 8
 * KiB) or if the terminal would show the sequence as text. */
bool terminal_copy(struct terminal *terminal, const char *text);

/* What it can show in pixels. */
struct pixels *terminal_pixels(struct terminal *terminal);
/* Asks it whether it can, the first time that this is called, if it is of a type that may be asked
 * and has UTF-8 and 256 colours; terminal_key takes the answers. */
void terminal_ask_pixels(struct terminal *terminal);

/* Closes the terminal, then ends this process by the signal. */
void terminal_die(struct terminal *terminal, int signal) __attribute__((noreturn));

#endif
