/* SPDX-License-Identifier: MIT */
/* The whole screen, and what panels give to other files. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_PANELS_H
#define CALAB_TUI_WORKBENCH_PANELS_PANELS_H

#include <stdio.h>

#include "tui/workbench/engine/pane.h"
#include "tui/workbench/terminal/picture.h"

void screen_draw(struct workbench *wb);
/* Keeps the screen as it is, before a prompt is opened that may ask for a file of it. */
void screen_keep(struct workbench *wb);
/* Whether a path is that of such a file, and what was kept last in it. CA_IO, CA_NO_MEMORY. */
bool screen_path(const char *path);
enum ca_status screen_write(struct workbench *wb, const char *path, struct ca_error *error);
/* The screen in a file that is one for it, what `rows` writes in another one. False, with an error.
 */
bool screen_or_rows_write(struct workbench *wb, const char *path,
                          void (*rows)(struct workbench *wb, FILE *out), struct ca_error *error);

/* What has the keys at present, where no dialog has them: a bit of enum key_scene. */
unsigned scene_now(const struct workbench *wb);
/* The heading of its keys. */
const char *scene_title(const struct workbench *wb);
void hints_draw(const struct workbench *wb);
/* The code of the key whose hint is at a place of the screen, -1: none is. */
int hints_code_at(const struct workbench *wb, int row, int column);

/* The comparison below the lattices of a split, and what line 1 says of it. */
void compare_draw(struct workbench *wb, struct rect area);
char *compare_headline(const struct workbench *wb, char text[96]);
/* The texts of the panel, for so many columns: its heading, the row of a side with the bar of its
 * rate ("" where there is none), and all in one line for a small screen. */
char *compare_heading(int columns, char text[128]);
void compare_row(const struct workbench *wb, int side, int columns, char text[128],
                 char rates[512]);
char *compare_line(const struct workbench *wb, char text[160]);

extern const struct part lattice_panel;
void lattice_draw(struct pane *pane, struct rect inner);
/* The last frame as it is drawn, once it is known. */
struct picture lattice_picture(const struct pane *pane);
void lattice_heading(const struct pane *pane, char *text, int size);
void lattice_footer(const struct pane *pane, char *text, int size);

extern const struct part log_panel;
/* The newest alarm that was raised, until it is answered, and the last message, until the next key;
 * one that is too long for its line hides the alarm so long. */
void message_draw(const struct workbench *wb);

/* Writes the observables, a row a point of the timeline. CA_USAGE if none is known yet, CA_IO. */
enum ca_status observables_write(const struct pane *pane, const char *path, struct ca_error *error);
/* The generations of which it is. */
void observables_span(const struct pane *pane, uint64_t *first, uint64_t *last);
/* Whether a path ends like such a table. */
bool observables_path(const char *path);

/* The texts of the timing panel, line by line, with `columns` for a value. Returns their number. */
#define TIMING_LINES 15
struct timing_line {
    const char *name;
    char value[1200];
};
int timing_lines(const struct pane *pane, int columns, struct timing_line lines[TIMING_LINES]);

#define DEVICE_LINE 256

/*
 * Writes at most `rows` lines of at most `columns` characters and returns how many: the names if
 * there is room, a line for each GPU with as many figures as the width holds, "+2 more" in place of
 * those without a line, and the sums with `joules`, those of 10^9 updates. Columns in which nothing
 * is known are left out, single unknown figures are "-". `line` has room for `rows` lines.
 */
int device_table(const struct ca_device device[], int count, struct ca_fact joules, int rows,
                 int columns, char line[][DEVICE_LINE]);

#endif
