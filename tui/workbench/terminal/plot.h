/* SPDX-License-Identifier: MIT */
/*
 * Plots: one or two series of points and a rectangle become the characters of a plot with axes.
 * That is arithmetic without curses; plot_put draws the characters. Lines are of braille (2 x 4
 * dots a character) where the terminal shows it, else of ASCII (one dot).
 *
 * Two series differ by colour and by their signs, which stand on their lines; in ASCII a line
 * consists of them.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_PLOT_H
#define CALAB_TUI_WORKBENCH_TERMINAL_PLOT_H

#include "tui/workbench/terminal/draw.h"

enum plot_scale { PLOT_LINEAR, PLOT_WHOLE /* linear, of whole numbers */, PLOT_LOG };

#define PLOT_TICKS_MAX 24
#define PLOT_LABEL_TEXT 32

struct plot_ticks {
    int count;
    double at[PLOT_TICKS_MAX];
    double step; /* from one to the next; 0: they are not equally far apart */
};

/*
 * Finds ticks from `low` to `high`, at most `most` and one where there is a value at all: multiples
 * of 1, 2 or 5 times a power of ten. A logarithmic scale has powers of ten, or where it has less
 * than two of them, 1, 2 and 5 times a power; where these lie outside, it is as a linear one. Where
 * all values are one, that is the only tick.
 */
void plot_ticks(struct plot_ticks *ticks, enum plot_scale scale, double low, double high, int most);
/* "0", "250 k", "1.5 M": ticks that are equally far apart share a prefix. Returns text. */
char *plot_label(char text[PLOT_LABEL_TEXT], const struct plot_ticks *ticks, int i);

/* A value, and the range of those that it stands for. Where x or mean is not finite, or not
 * positive on a logarithmic scale, there is no point, and the line has a gap. */
struct plot_point {
    double x, low, mean, high;
};

struct plot_series {
    const char *name; /* in the heading */
    char sign;
    enum style style;
    int count;
    const struct plot_point *point; /* in the order of x */
};

#define PLOT_SERIES 2

struct plot {
    int count;
    struct plot_series series[PLOT_SERIES];
    enum plot_scale across, up;
    bool apart; /* the second series has a scale of its own, with its labels at the right */
    bool axis;  /* a horizontal axis is drawn */
    /* The heading, a line of its own: the unit of the vertical axis, the names of the series, what
     * the user is told of the cursor. NULL: there is no heading. */
    const char *unit, *caption;
    const char *across_unit;  /* "": none */
    const char *const *names; /* of x = 0, 1, ..., `named` of them, in place of numbers; NULL */
    int named;
    double cursor;   /* at this x; NAN: there is none */
    int left, right; /* the least columns of the labels, for plots below one another */
    bool fine;       /* the terminal shows braille */
};

/* A character in UTF-8. */
struct plot_cell {
    char text[4];
    enum style style;
};

/* Fills cell[rows][columns]. */
void plot_cells(const struct plot *plot, int rows, int columns, struct plot_cell *cell);
/* Sets `left` and `right` to what a plot of so many rows needs, where they are less. */
void plot_margins(const struct plot *plot, int rows, int *left, int *right);
/* Whether plots on this terminal are fine. */
bool plot_is_fine(const struct palette *palette);
void plot_put(const struct palette *palette, struct rect area, const struct plot *plot);

#endif
