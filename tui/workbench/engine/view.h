/* SPDX-License-Identifier: MIT */
/* The part of a lattice that the panes show: its place on the screen, its window, what is drawn. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_VIEW_H
#define CALAB_TUI_WORKBENCH_ENGINE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/model.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/picture.h"

struct workbench;
struct pane;

/* Lays the screen out for its present size. */
void view_layout(struct workbench *wb);
/* The part of the lattice panel's inside that pictures take; below it is the legend. */
struct rect view_area(const struct workbench *wb, struct rect inner);
struct rect view_room(const struct workbench *wb);
/* The glyph set that this terminal and model can have of the one that is set. */
enum glyphs view_glyphs(const struct pane *pane);
/* The part of the area that the first slice takes, where a second one stands beside it. */
struct rect beside_first(const struct pane *pane, struct rect area);

/* The view of a pane was changed: brings it within the lattice, and asks for it. */
void view_changed(struct pane *pane);
/* The points of the view that the panel has room for; and no more than the lattice has. */
void view_size(struct pane *pane);
void view_clamp(struct pane *pane);
/* Zooms in so far that each cell is seen by itself. */
void view_cells(struct pane *pane);
void view_center(struct pane *pane, int64_t x, int64_t y, int64_t z);

/* Draws what the setting says. */
void view_drawn(struct workbench *wb);
/* Turns a view of a field that the model has not into one of its first field, or of the state. */
void view_field(struct pane *pane);
/* The model's field that the view has, or NULL; and the next one, where a field is drawn. */
const struct ca_field *view_field_of(const struct pane *pane);
const struct ca_field *view_field_after(const struct pane *pane);
void view_field_set(struct pane *pane, const struct ca_field *field);
/* Whether what is drawn is of all slices, not of one. */
bool view_is_through(const struct pane *pane);

#endif
