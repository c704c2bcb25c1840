/* SPDX-License-Identifier: MIT */
/*
 * Layout: (rows, columns, wanted panels) -> rectangles. Pure arithmetic, without curses.
 *
 * Line 1 is the status, the last line shows hints, the line above it messages; the panels share the
 * rest. A screen has two columns: lattice above log, and timing above observables above device. A
 * narrow screen has one column. Panels that do not fit are removed in the order log, device,
 * observables, timing, lattice.
 *
 * A wide screen has a lattice that is as wide as a square of cells is on it, at least half of the
 * screen; the rest has timing beside device, above the plots of the observables, above the log.
 *
 * A split screen has two lattices of one size side by side, and the comparison below them: a box,
 * or one line without a border where the screen is low.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_LAYOUT_H
#define CALAB_TUI_WORKBENCH_TERMINAL_LAYOUT_H

#include <stdbool.h>

/* In the order of importance: the last one is removed first. */
enum panel { PANEL_LATTICE, PANEL_TIMING, PANEL_OBSERVABLES, PANEL_DEVICE, PANEL_LOG, PANEL_COUNT };

#define LAYOUT_ROWS_MIN 12
#define LAYOUT_COLUMNS_MIN 40

struct rect {
    int row, column, rows, columns; /* rows = 0: not shown */
};

struct layout {
    bool too_small; /* no rectangle is set; the screen shows one line */
    struct rect status, message, hints;
    struct rect panel[PANEL_COUNT]; /* borders included */
    struct rect other;              /* of a split screen: the lattice of B; that of A is a panel */
    struct rect side;               /* of a wide screen: all that is beside the lattice */
    struct rect compare;            /* borders included where it has more than one row */
};

/* `full`: a panel that is shown alone, -1 for none. */
struct layout layout_make(int rows, int columns, const bool wanted[PANEL_COUNT], int full);

/* Whether a screen has room for all panels, with a lattice that loses nothing by them. */
bool layout_is_wide(int rows, int columns);
/* Sets which panels beside the lattice are wanted where nobody has said so: timing and observables,
 * and device and log on a screen that has room for all. */
void layout_wants(int rows, int columns, bool wanted[PANEL_COUNT]);

/* A split screen. `lines` are those of the comparison inside its border. */
struct layout layout_split(int rows, int columns, int lines);

/* The inside of a panel; rows = 0: it is not shown. */
struct rect layout_inner(const struct layout *layout, enum panel panel);

#endif
