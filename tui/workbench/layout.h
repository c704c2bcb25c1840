/* SPDX-License-Identifier: MIT */
/*
 * Layout: (rows, columns, panels wanted) -> rectangles. Pure arithmetic, without curses.
 *
 * Line 1 is the status, the last line the hints, above it the messages; the panels share the rest.
 * A wide screen has two columns, lattice over log and timing over observables over device; a narrow
 * one has all in one. Panels that do not fit drop out in the order log, device, observables,
 * timing, lattice.
 */
#ifndef CALAB_TUI_WORKBENCH_LAYOUT_H
#define CALAB_TUI_WORKBENCH_LAYOUT_H

#include <stdbool.h>

/* In the order in which they stay: the last one drops out first. */
enum panel { PANEL_LATTICE, PANEL_TIMING, PANEL_OBSERVABLES, PANEL_DEVICE, PANEL_LOG, PANEL_COUNT };

#define LAYOUT_ROWS_MIN 12
#define LAYOUT_COLUMNS_MIN 40

struct rect {
    int row, column, rows, columns; /* rows = 0: not shown */
};

struct layout {
    bool too_small; /* then nothing is placed: one line says so */
    struct rect status, message, hints;
    struct rect panel[PANEL_COUNT]; /* borders included */
};

/* `full`: the panel that is shown alone, -1 for none. */
struct layout layout_make(int rows, int columns, const bool wanted[PANEL_COUNT], int full);

#endif
