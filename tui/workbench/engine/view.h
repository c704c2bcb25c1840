/* SPDX-License-Identifier: MIT */
/* The part of a lattice that the panes show: its place on the screen, its window, what is drawn. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_VIEW_H
#define CALAB_TUI_WORKBENCH_ENGINE_VIEW_H

#include "core/sim/experiment.h"
#include "core/sim/view.h"
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

/* A second slice; view.columns = 0: there is none. */
struct beside {
    struct ca_view view;
    struct scale scale;
    struct rect at; /* within the area of pictures: a caption, and the picture below it */
};

/* As it is asked for, the scale of its picture, and the slice beside it. */
const struct ca_view *view_of(const struct pane *pane);
struct scale view_scale(const struct pane *pane);
const struct beside *view_beside(const struct pane *pane);
/* The part of the area that the first slice takes, where a second one stands beside it. */
struct rect beside_first(const struct pane *pane, struct rect area);

/* The view of a pane was changed: brings it within the lattice, and asks for it. */
void view_changed(struct pane *pane);
void session_view(struct pane *pane); /* asks for it at the next tick */
/* The slice in the middle of the lattice, until the engine has found the one with most cells. */
void view_middle(struct pane *pane);
/* Asks the engine for that one, unless the slice is chosen. */
void view_seek(struct pane *pane);
/* How several cells are one point. */
void view_reduce(struct pane *pane, enum ca_reduce reduce);
/* Takes the range of another view for what is drawn now; it ends when something else is drawn. */
void view_range(struct pane *pane, const struct ca_view *range);
/* Zooms in so far that each cell is seen by itself. */
void view_cells(struct pane *pane);
void view_center(struct pane *pane, int64_t x, int64_t y, int64_t z);

/* Draws what the setting says; whether it is the difference between A and B, which may be
 * hidden. */
void view_drawn(struct workbench *wb);
bool view_difference(const struct workbench *wb);
/* The model's field that the view has, or NULL. */
const struct ca_field *view_field_of(const struct pane *pane);
/* Whether what is drawn can be projected: a state or a field in three dimensions. */
bool view_has_projection(const struct pane *pane);
/* Whether what is drawn is of all slices, not of one. */
bool view_is_through(const struct pane *pane);

/* A model or an experiment has an initial view: its view, its pace and what is drawn are taken when
 * it is chosen; the view alone, once its lattice is there; it is said what to look for. */
void initial_view_take(struct pane *pane, const struct ca_experiment *experiment);
void view_open(struct pane *pane, const struct ca_experiment *experiment);
void initial_view_print(struct pane *pane);
/* Those of the experiment as they are now. */
void initial_view_give(const struct pane *pane, struct ca_values *initial_view);
/* Stores model, experiment and view in the settings, if an engine has opened it. */
void workbench_remember(struct pane *pane);

#endif
