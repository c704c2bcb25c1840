/* SPDX-License-Identifier: MIT */
/*
 * Drawing: text clipped to its place, boxes, and the colour schemes. All of it is on stdscr, which
 * is erased, drawn anew and updated once a frame: curses sends what differs.
 */
#ifndef CALAB_TUI_WORKBENCH_DRAW_H
#define CALAB_TUI_WORKBENCH_DRAW_H

#include <curses.h>
#include <stdbool.h>

#include "core/model/model.h"
#include "tui/workbench/layout.h"
#include "tui/workbench/terminal.h"

/* The first ones are the models' colour classes. */
enum style {
    STYLE_QUIET = CA_COLOUR_QUIET,
    STYLE_PLAIN = CA_COLOUR_PLAIN,
    STYLE_STRONG = CA_COLOUR_STRONG,
    STYLE_WARM = CA_COLOUR_WARM,
    STYLE_COLD = CA_COLOUR_COLD,
    STYLE_GREEN = CA_COLOUR_GREEN,
    STYLE_SOLID = CA_COLOUR_SOLID,
    STYLE_BAR,      /* the status line */
    STYLE_KEY,      /* a key in the hints */
    STYLE_TITLE,    /* of a panel, of a dialog */
    STYLE_FOCUS,    /* title of the focused panel */
    STYLE_SELECTED, /* row of a list */
    STYLE_ALARM,
    STYLE_COUNT
};

struct palette {
    attr_t attributes[STYLE_COUNT];
    short pair[STYLE_COUNT];
    bool ascii; /* borders of + - | */
    bool utf8;
};

/* The schemes, as the setting `colours` has them; the name is NULL behind the last. */
const char *scheme_name(int index);
const char *scheme_help(int index);

/* Chooses the colours; `colours` = 0: attributes alone, whatever the scheme. */
void palette_make(struct palette *palette, const char *scheme, int colours, bool ascii, bool utf8);
void style_set(const struct palette *palette, enum style style);

/* Text at (row, column) of the screen, at most `width` columns; control characters become '?'.
 * Returns the columns used. */
int put(const struct palette *palette, int row, int column, int width, enum style style,
        const char *text);
int putf(const struct palette *palette, int row, int column, int width, enum style style,
         const char *format, ...) __attribute__((format(printf, 6, 7)));
void put_fill(const struct palette *palette, struct rect rect, enum style style);
void put_box(const struct palette *palette, struct rect rect, const char *title, bool focused);
/* Columns that a text takes on this screen. */
int text_width(const char *text);
/* A text broken at blanks into the rows of a rectangle. Returns the rows used; without a palette
 * nothing is drawn. */
int put_wrapped(const struct palette *palette, struct rect rect, enum style style,
                const char *text);
/* The same, but lines after the first begin `indent` columns further right, under what follows the
 * first `indent` bytes; the first `skip` lines are left out. At least one row is used. */
int put_hanging(const struct palette *palette, struct rect rect, int indent, int skip,
                enum style style, const char *text);

#endif
