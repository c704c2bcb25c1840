/* SPDX-License-Identifier: MIT */
/*
 * A program in a pseudo-terminal, with libvterm as its screen. Tests wait for a text on the screen
 * or for the end of the program, up to a deadline; after that they fail and print the whole screen.
 */
#ifndef CALAB_TESTS_SCREEN_H
#define CALAB_TESTS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

struct screen;
struct VTermScreen;
struct pixel_options;
struct pixel_terminal;

struct screen_options {
    const char *name;              /* of the script, for failures; or NULL */
    const char *term;              /* NULL: xterm-256color; "-": unset */
    const char *lang;              /* NULL: C.UTF-8 */
    int rows, columns;             /* 0, 0: 24x80; -1, -1: an unknown size */
    const char *arguments[8];      /* of the program; none: the workbench */
    const char *environment[8];    /* further variables, NAME=value */
    bool hangup_ignored;           /* SIGHUP is ignored, as under nohup */
    int no_terminal;               /* bit n: fd n is /dev/null; bit 4 + n: closed */
    int (*body)(const void *data); /* called in the child instead of the program */
    const void *data;
    double delay_s;                     /* each way, of a slow line between program and screen */
    double bytes_per_s;                 /* of its output; 0: as many as come */
    size_t ahead_bytes;                 /* of its output that it takes before they are sent */
    const struct pixel_options *pixels; /* it shows pixels (tests/support/pixel_terminal.h) */
};

/* Starts the program as the leader of a session on a new pseudo-terminal. It does not inherit
 * variables that calab, curses or locales read; HOME is test_folder(). */
struct screen *screen_start(const struct screen_options *options);
/* Kills the program if it still runs, and frees the screen. */
void screen_close(struct screen *screen);

pid_t screen_pid(const struct screen *screen);
bool screen_is_alive(const struct screen *screen); /* as far as screen_listen has seen */
void screen_send(struct screen *screen, const char *keys);
void screen_resize(struct screen *screen, int rows, int columns);
/* Another size of the line, of which the screen here takes no notice. */
void screen_resize_silently(struct screen *screen, int rows, int columns);
void screen_hang_up(struct screen *screen); /* closes the master side */

/* The text of a row (negative: from the last) in UTF-8, without trailing blanks; "" beyond. */
const char *screen_row(struct screen *screen, int row);
/* All rows, joined by newlines. */
const char *screen_text(struct screen *screen);
bool screen_shows(struct screen *screen, const char *text);
bool screen_row_shows(struct screen *screen, int row, const char *text);
int screen_rows(const struct screen *screen);
int screen_columns(const struct screen *screen);
/* The character of a cell, a blank for an empty one. */
uint32_t screen_character(struct screen *screen, int row, int column);
/* libvterm's screen, for what is not asked for here (tests/support/cells.h). */
const struct VTermScreen *screen_terminal(const struct screen *screen);
struct pixel_terminal *screen_pixels(const struct screen *screen); /* NULL: it shows none */
void screen_cursor(struct screen *screen, int *row, int *column);

/* Waits until a predicate holds; screen_expect* wait for a text. */
void screen_until(struct screen *screen, bool (*holds)(struct screen *, const void *),
                  const void *data, const char *what);
void screen_expect(struct screen *screen, const char *text);
/* Words that may go on in the next row of a box, where a blank is. */
void screen_expect_words(struct screen *screen, const char *words);
void screen_expect_not(struct screen *screen, const char *text);
void screen_expect_row(struct screen *screen, int row, const char *text);
/* Reads for the whole time, to check that something does not happen. Returns the bytes read. */
size_t screen_listen(struct screen *screen, double seconds);

/* Waits for the end of the program and returns its wait status. All output is read. */
int screen_end(struct screen *screen);
/* Whether the terminal modes are those from before the start of the program. */
bool screen_modes_as_before(struct screen *screen);
struct termios screen_modes(struct screen *screen);

/* All bytes received so far without NULs, NUL-terminated, and their count. */
const char *screen_bytes(const struct screen *screen, size_t *count);
/* Forgets them, of a program that runs for long. */
void screen_forget_bytes(struct screen *screen);
/* Whether any SGR sequence after byte `from` sets a colour. */
bool screen_coloured(const struct screen *screen, size_t from);

#endif
