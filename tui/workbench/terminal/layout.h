/* SPDX-License-Identifier: MIT */
/*
 * Layout: (rows, columns, places of panels, wanted panels) -> rectangles. Pure arithmetic, without
 * curses.
 *
 * Line 1 is the status, the last line shows hints, the line above it messages; lattice and panels
 * share the rest. The panels lie beside the lattice or below it, or the log alone does: where the
 * picture of the slice becomes the largest, which depends on nothing but the sizes of the screen
 * and the slice and on which panels there are. The panels get what that picture does not need.
 * Panels that do not fit are removed, the last one of the table first.
 *
 * A split screen has two lattices of one size, side by side or, where pictures are clearly larger
 * so, one below the other, and the comparison below them: a box, or one line without a border where
 * the screen is low.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_LAYOUT_H
#define CALAB_TUI_WORKBENCH_TERMINAL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define PANELS_MAX 9
#define PANEL_MAIN 0 /* the first of the table is the lattice */

/* The place of a panel, and how much it needs. Heights are with borders. */
struct panel_place {
    enum { PLACE_MAIN, PLACE_BESIDE, PLACE_BELOW } at; /* the lattice, where there is a choice */
    bool always;     /* it is shown by itself; false: where the screen has room for all panels */
    bool narrow;     /* it has lines of text: two such share a row of a wide column */
    int least, most; /* the least useful height, and that beyond which nothing more is shown (0:
                        unlimited) */
    int grows;       /* the panel of a column with the most of it takes the height that is left */
};

/* In the order of importance. */
struct panel_table {
    int count;
    const struct panel_place *place[PANELS_MAX];
};

/* The cells of the slice that the lattice shows. */
struct layout_slice {
    int64_t width, height;
};

#define LAYOUT_GAP 2 /* columns between two slices side by side */

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
    struct rect side;              /* all that is beside the lattice */
    struct rect compare;           /* borders included where it has more than one row */
};

/* `full`: a panel that is shown alone, -1 for none. */
struct layout layout_make(int rows, int columns, const struct panel_table *table,
                          const bool wanted[PANELS_MAX], int full, struct layout_slice slice);

/* Sets which panels besides the lattice are wanted where nobody has said so. */
void layout_wants(int rows, int columns, const struct panel_table *table, bool wanted[PANELS_MAX]);

/* Places two slices of a lattice in the area of pictures, side by side or the second below the
 * first. Both have one scale where that leaves the first nearly as large as it is alone, or of
 * `least` columns a cell; else the first has these, and the second what it leaves. The second
 * begins with a row for its caption. False: there is no room for it, and the first has all. */
bool layout_two(struct rect area, struct layout_slice first, struct layout_slice second,
                double least, struct rect at[2]);

/* A split screen. `lines` are those of the comparison inside its border. */
struct layout layout_split(int rows, int columns, int lines, struct layout_slice slice);

/* The part of the lattice's inside that pictures take; below it is the legend, if there is room. */
struct rect layout_pictures(struct rect inner);

/* The inside of a panel; rows = 0: it is not shown. */
struct rect layout_inner(const struct layout *layout, int panel);

#endif
