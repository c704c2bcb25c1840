/* SPDX-License-Identifier: MIT */
/*
 * Which panels are shown, as the user or the size of the screen has chosen them. A panel is a part
 * that draws; its number is its place among those in the table of parts.
 */
#ifndef CALAB_TUI_WORKBENCH_BASE_PANELS_H
#define CALAB_TUI_WORKBENCH_BASE_PANELS_H

#include "tui/workbench/base/part.h"

int panels_count(const struct workbench *wb);
const struct part *panel_at(const struct workbench *wb, int panel);
/* Its rectangle, borders included, and the inside of it; rows = 0: it is not shown. */
struct rect panel_rect(const struct workbench *wb, const struct part *panel);
struct rect panel_inner(const struct workbench *wb, const struct part *panel);

/* Lays a screen of this size out with the panels that are chosen, for a slice of so many cells. */
void panels_lay_out(struct workbench *wb, int rows, int columns, struct layout_slice slice);
/* Shows one that is hidden, or hides it, and saves the choice. Returns whether it is to be shown.
 */
bool panels_toggle(struct workbench *wb, int panel);

/* The one in focus, which is NULL in no case; the one by so many places behind it that is there. */
const struct part *panels_focused(const struct workbench *wb);
void panels_focus(struct workbench *wb, int panel);
void panels_focus_next(struct workbench *wb, int by);
/* Whether the one in focus is shown alone. */
bool panels_full(const struct workbench *wb);
void panels_set_full(struct workbench *wb, bool full);

#endif
