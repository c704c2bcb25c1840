/* SPDX-License-Identifier: MIT */
/*
 * Layout: (rows, columns, places of panels, wanted panels) -> rectangles. Pure arithmetic, without
 * curses.
 *
 * Line 1 is the status, the last line shows hints, the line above it messages; the panels share the
 * rest, each by what its place says. A screen has two columns: the lattice above what goes below
 * it, and what goes beside it. A narrow screen has one column. Panels that do not fit are removed,
 * the last one of the table first.
 *
 * A wide screen has a lattice that is as wide as a square of cells is on it, at least half of the
 * screen; the rest has all other panels, of which narrow ones lie side by side.
 *
 * A split screen has two lattices of one size side by side, and the comparison below them: a box,
 * or one line without a border where the screen is low.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_LAYOUT_H
#define CALAB_TUI_WORKBENCH_TERMINAL_LAYOUT_H

#include <stdbool.h>

#define PANELS_MAX 9
#define PANEL_MAIN 0 /* the first of the table is the lattice */

/* The place of a panel, and how much it needs. Heights are with borders. */
struct panel_place {
    enum { PLACE_MAIN, PLACE_BESIDE, PLACE_BELOW } at; /* the lattice */
    bool always;     /* it is shown by itself; false: where the screen has room for all panels */
    bool narrow;     /* it has lines of text: on a wide screen two such share a row */
    int least, most; /* the least useful height, and that beyond which nothing more is shown (0:
                        unlimited) */
    int grows;       /* the panel of a column with the most of it takes the height that is left */
};

/* In the order of importance. */
struct panel_table {
    int count;
    const struct panel_place *place[PANELS_MAX];
};

#define LAYOUT_ROWS_MIN 12
#define LAYOUT_COLUMNS_MIN 40

struct rect {
    int row, column, rows, columns; /* rows = 0: not shown */
};

struct layout {
    int rows, columns; /* of the screen */
    bool too_small;    /* no rectangle is set; the screen shows one line */
    struct rect status, message, hints;
    struct rect panel[PANELS_MAX]; /* borders included */
    struct rect other;             /* of a split screen: the lattice of B; that of A is a panel */
    struct rect side;              /* of a wide screen: all that is beside the lattice */
    struct rect compare;           /* borders included where it has more than one row */
};

/* `full`: a panel that is shown alone, -1 for none. */
struct layout layout_make(int rows, int columns, const struct panel_table *table,
                          const bool wanted[PANELS_MAX], int full);

/* Sets which panels besides the lattice are wanted where nobody has said so. */
void layout_wants(int rows, int columns, const struct panel_table *table, bool wanted[PANELS_MAX]);

/* A split screen. `lines` are those of the comparison inside its border. */
struct layout layout_split(int rows, int columns, int lines);

/* The inside of a panel; rows = 0: it is not shown. */
struct rect layout_inner(const struct layout *layout, int panel);

#endif
