/* SPDX-License-Identifier: MIT */
/* The cursor in the lattice and the engine's description of the cell under it. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_CURSOR_H
#define CALAB_TUI_WORKBENCH_ENGINE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct workbench;
struct pane;

struct cursor {
    bool on;
    bool edits;   /* keys change the cell under it */
    int64_t x, y; /* in the slice */
    char text[256];
    bool due; /* it is to be asked for */
};

void session_cell(struct pane *pane); /* asks for the cell under the cursor at the next tick */
void cursor_hide(struct pane *pane);
/* The cell (x, y, z) of the lattice under the cursor. */
void cursor_cell(const struct pane *pane, int64_t cell[3]);
bool edit_is_on(const struct workbench *wb);

#endif
