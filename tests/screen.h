/* SPDX-License-Identifier: MIT */
/*
 * A program in a pseudo-terminal, with libvterm as what a person sees. Waiting is for what the
 * screen shows or for the program's end, up to a deadline; a test that waits in vain fails with the
 * whole screen in its message.
 */
#ifndef CALAB_TESTS_SCREEN_H
#define CALAB_TESTS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include "tests/process.h"

struct screen;

struct screen_options {
    const char *term;              /* NULL: xterm-256color; "-": unset */
    const char *lang;              /* NULL: C.UTF-8 */
    int rows, columns;             /* 0, 0: 24x80; -1, -1: a line that does not know */
    const char *arguments[8];      /* of the program under test; none: the workbench */
    const char *environment[8];    /* more of it, NAME=value */
    bool hangup_ignored;           /* as under nohup */
    int no_terminal;               /* bit n: fd n is /dev/null; bit 4 + n: closed */
    int (*body)(const void *data); /* instead of the program: this, in the child */
    const void *data;
};

/* Starts it as the leader of a session on a new pseudo-terminal. The environment is this one's
 * without what calab, curses and locales read; its home is test_folder(), which a body finds as
 * HOME. */
struct screen *screen_start(const struct screen_options *options);
/* Kills what still runs and frees. */
void screen_close(struct screen *screen);

pid_t screen_pid(const struct screen *screen);
void screen_send(struct screen *screen, const char *keys);
void screen_resize(struct screen *screen, int rows, int columns);
void screen_hang_up(struct screen *screen); /* closes the master side */

/* The text of a row (negative: from the last), without the blanks at its end; UTF-8. */
const char *screen_row(struct screen *screen, int row);
/* All rows, joined by newlines. */
const char *screen_text(struct screen *screen);
bool screen_shows(struct screen *screen, const char *text);
bool screen_row_shows(struct screen *screen, int row, const char *text);

/* Waits for a predicate; screen_expect* are the common ones. */
void screen_until(struct screen *screen, bool (*holds)(struct screen *, const void *),
                  const void *data, const char *what);
void screen_expect(struct screen *screen, const char *text);
void screen_expect_not(struct screen *screen, const char *text);
void screen_expect_row(struct screen *screen, int row, const char *text);
/* Reads for so long, come what may: for what must not happen. Returns the bytes that came. */
size_t screen_listen(struct screen *screen, double seconds);

/* Waits for the end of the program; its wait status. All output is read. */
int screen_end(struct screen *screen);
/* Whether the modes of the line are what they were before the program started. */
bool screen_modes_as_before(struct screen *screen);
struct termios screen_modes(struct screen *screen);

/* All bytes that came so far, NUL-terminated (NULs left out), and their count. */
const char *screen_bytes(const struct screen *screen, size_t *count);
/* Whether any SGR sequence after byte `from` sets a colour. */
bool screen_coloured(const struct screen *screen, size_t from);

#endif
