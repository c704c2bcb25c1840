/* SPDX-License-Identifier: MIT */
/* The cursor in the lattice, and the cell under it as the engine describes it. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_CURSOR_H
#define CALAB_TUI_WORKBENCH_ENGINE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct workbench;
struct pane;

bool cursor_is_on(const struct pane *pane);
const char *cursor_text(const struct pane *pane); /* what the engine says of the cell under it */
/* The cell (x, y, z) of the lattice under it, and (x, y) of the slice. */
void cursor_cell(const struct pane *pane, int64_t cell[3]);
void cursor_at(const struct pane *pane, int64_t at[2]);
/* Puts it on a cell of the slice. Where it is not on yet, it edits nothing. */
void cursor_put(struct pane *pane, int64_t x, int64_t y);
void session_cell(struct pane *pane); /* asks for the cell under it at the next tick */
void cursor_hide(struct pane *pane);
void cursor_leave(struct pane *pane); /* the same, with the view as it is */
/* Whether keys change the cell under it; and whether they do at this time. */
bool cursor_edited(const struct pane *pane);
void cursor_edits(struct pane *pane, bool edits);
bool edit_is_on(const struct workbench *wb);

#endif
