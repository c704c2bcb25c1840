/* SPDX-License-Identifier: MIT */
/*
 * How an experiment opens in the workbench: the part of the lattice that is seen, the pace, what is
 * drawn, and what to look for. Rows of one table, which experiment files, the groups of models in
 * calab.cfg and the workbench share. A row that nobody has set (origin built-in) leaves the choice
 * to the lattice: the slice with the most cells, a zoom that shows all of it; and the pace to the
 * model.
 */
#ifndef CALAB_CORE_SIM_INITIAL_VIEW_H
#define CALAB_CORE_SIM_INITIAL_VIEW_H

#include "core/model/model.h"

struct ca_view;

enum ca_initial_view {
    CA_INITIAL_AXIS,
    CA_INITIAL_SLICE,
    CA_INITIAL_PROJECTION,
    CA_INITIAL_X, /* the first cell shown */
    CA_INITIAL_Y,
    CA_INITIAL_ZOOM,     /* built-in: fitted, and x and y do not count */
    CA_INITIAL_MAGNIFY,  /* with a zoom of 1: picture.h; 0: a cell is a point */
    CA_INITIAL_PACE,     /* generations a frame, 0: as fast as it goes */
    CA_INITIAL_DRAWN,    /* a word of ca_drawn_names but "field", or a field of the model */
    CA_INITIAL_RANGE,    /* of what is drawn: ca_range_parse */
    CA_INITIAL_LOOK_FOR, /* what to look for, in one or two sentences; "": not said */
    CA_INITIAL_COUNT
};

#define CA_MAGNIFY_MAX 8
#define CA_INITIAL_VIEW (CA_INITIAL_MAGNIFY + 1) /* so many rows, the first ones, are the view */
#define CA_PACE_MAX 1048576

/* By enum ca_initial_view; ends with a row whose name is NULL. */
extern const struct ca_param ca_initial_view_table[CA_INITIAL_COUNT + 1];

/* Nothing is set, and the pace is the model's. */
void ca_initial_view_default(struct ca_values *initial_view, const struct ca_model *model);
/* The rows of the view are set by nobody any more: another lattice is to be seen. */
void ca_initial_view_refit(struct ca_values *initial_view);
/* Whether settings alone say something of the view, and no experiment or command line. */
bool ca_initial_view_is_saved(const struct ca_values *initial_view);
/* CA_USAGE where the lattice has not the axis or the slice, an origin is without a zoom, a range is
 * none, or the model has nothing that is drawn by that name; `row` is then that of the mistake. */
enum ca_status ca_initial_view_check(const struct ca_values *initial_view,
                                     const struct ca_model *model, struct ca_size size,
                                     enum ca_initial_view *row, struct ca_error *error);

/*
 * Puts axis, slice, origin and zoom into *view and *magnify, as far as the lattice has them.
 * Returns whether the view is to be fitted, and has no zoom or origin of its own.
 */
bool ca_initial_view_apply(const struct ca_values *initial_view, const struct ca_model *model,
                           struct ca_size size, struct ca_view *view, int *magnify);
/* The other way: sets what differs from a fitted view, and the slice if it was chosen. */
void ca_initial_view_take(struct ca_values *initial_view, const struct ca_view *view, int magnify,
                          bool fitted, bool chosen, enum ca_origin origin);
/* Whether it names a slice that the lattice has along the axis of the view. */
bool ca_initial_view_has_slice(const struct ca_values *initial_view, struct ca_size size,
                               const struct ca_view *view);

#endif
