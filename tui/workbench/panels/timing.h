/* SPDX-License-Identifier: MIT */
/* The timing panel's texts, line by line. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_TIMING_H
#define CALAB_TUI_WORKBENCH_PANELS_TIMING_H

struct pane;

#define TIMING_LINES 15
struct timing_line {
    const char *name;
    char value[1200];
};
/* `columns` for a value. Returns their number. */
int timing_lines(const struct pane *pane, int columns, struct timing_line lines[TIMING_LINES]);

#endif
