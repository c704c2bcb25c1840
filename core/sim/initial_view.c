/* SPDX-License-Identifier: MIT */
/* This table holds the keys by which an experiment sets its initial view; this file checks what a
 * lattice allows of them. */
#include "core/sim/initial_view.h"

#include <inttypes.h>
#include <string.h>

#include "core/sim/view.h"

#define FAR 2147483647.0

const struct ca_param ca_initial_view_table[CA_INITIAL_COUNT + 1] = {
    [CA_INITIAL_AXIS] = {"axis", CA_CHOICE, .choices = ca_axis_names,
                         .help = "orientation of the slice"},
    [CA_INITIAL_SLICE] = {"slice", CA_INT, .max = FAR,
                          .help = "slice that is seen; not set: the one with most cells"},
    [CA_INITIAL_PROJECTION] = {"projection", CA_CHOICE, .choices = ca_view_projection_names,
                               .help = "what is seen along the axis: a slice, or of all slices the "
                                       "depth, a count or the maximum"},
    [CA_INITIAL_X] = {"x", CA_INT, .min = -FAR, .max = FAR, .unit = "cells",
                      .help = "column of the first cell seen"},
    [CA_INITIAL_Y] = {"y", CA_INT, .min = -FAR, .max = FAR, .unit = "cells",
                      .help = "row of the first cell seen"},
    [CA_INITIAL_ZOOM] = {"zoom", CA_INT, 1, .min = 1, .max = FAR, .unit = "cells/column",
                         .help = "cells across a character; not set: fitted"},
    [CA_INITIAL_MAGNIFY] = {"magnify", CA_INT, .max = CA_MAGNIFY_MAX,
                            .help = "enlargement of a cell at zoom 1; 0: a cell is a point"},
    [CA_INITIAL_PACE] = {"pace", CA_REAL, 1, .max = CA_PACE_MAX, .unit = "generations/frame",
                         .help = "generations per frame of a run; 0: unlimited"},
    [CA_INITIAL_DRAWN] = {"drawn", CA_TEXT, .text = "state",
                          .help = "state, density, change, or a field of the model"},
    [CA_INITIAL_RANGE] = {"range", CA_TEXT, .text = "auto",
                          .help =
                              "what the darkest and the brightest glyph stand for: auto, or two "
                              "numbers"},
    [CA_INITIAL_LOOK_FOR] = {"look_for", CA_TEXT,
                             .help = "what to look for, in one or two sentences"},
    [CA_INITIAL_COUNT] = {.name = NULL},
};

void ca_initial_view_default(struct ca_values *initial_view, const struct ca_model *model)
{
    ca_values_default(initial_view, ca_initial_view_table);
    initial_view->value[CA_INITIAL_PACE].number = model->pace;
}

void ca_initial_view_refit(struct ca_values *initial_view)
{
    struct ca_values fresh;

    ca_values_default(&fresh, ca_initial_view_table);
    memcpy(initial_view->value, fresh.value, CA_INITIAL_VIEW * sizeof *fresh.value);
}

bool ca_initial_view_is_saved(const struct ca_values *initial_view)
{
    enum ca_origin origin = CA_BUILT_IN;

    for (int row = 0; row < CA_INITIAL_VIEW; row++)
        if (initial_view->value[row].origin > origin)
            origin = initial_view->value[row].origin;
    return origin == CA_FROM_SETTINGS;
}

static bool is_set(const struct ca_values *initial_view, enum ca_initial_view row)
{
    return initial_view->value[row].origin != CA_BUILT_IN;
}

/* A model can draw these: a word, then its fields. */
static const char *drawn_name(const void *model, int i)
{
    return i < CA_FIELD ? ca_drawn_names[i] : ca_fields(model)[i - CA_FIELD].name;
}

enum ca_status ca_initial_view_check(const struct ca_values *initial_view,
                                     const struct ca_model *model, struct ca_size size,
                                     enum ca_initial_view *row, struct ca_error *error)
{
    enum ca_axis axis = (enum ca_axis)initial_view->value[CA_INITIAL_AXIS].number;
    int64_t slice = (int64_t)initial_view->value[CA_INITIAL_SLICE].number, width, height, slices;
    const char *drawn = initial_view->value[CA_INITIAL_DRAWN].text;
    struct ca_view ranged;
    char hint[CA_TEXT_MAX];
    int count = CA_FIELD;

    ca_view_extent(size, axis, &width, &height, &slices);
    *row = CA_INITIAL_AXIS;
    if (model->dimensions == 2 && axis != CA_XY)
        return ca_fail(error, CA_USAGE, "'%s' is not allowed: %s is two-dimensional, seen along xy",
                       ca_axis_names[axis], model->name);
    *row = CA_INITIAL_PROJECTION;
    if (model->dimensions == 2 && initial_view->value[*row].number > 0)
        return ca_fail(error, CA_USAGE, "'%s' is not allowed: %s is two-dimensional, a slice alone",
                       ca_view_projection_names[(int)initial_view->value[*row].number],
                       model->name);
    *row = CA_INITIAL_SLICE;
    if (is_set(initial_view, *row) && slice >= slices)
        return ca_fail(error, CA_USAGE,
                       "%" PRId64 " is not allowed: seen along %s, the lattice has the slices 0 "
                       "... %" PRId64,
                       slice, ca_axis_names[axis], slices - 1);
    *row = is_set(initial_view, CA_INITIAL_X) ? CA_INITIAL_X : CA_INITIAL_Y;
    if (is_set(initial_view, *row) && !is_set(initial_view, CA_INITIAL_ZOOM))
        return ca_fail(error, CA_USAGE,
                       "is not allowed without a zoom: a view that is fitted has "
                       "no origin");
    *row = CA_INITIAL_MAGNIFY;
    if (initial_view->value[*row].number > 0 && (!is_set(initial_view, CA_INITIAL_ZOOM) ||
                                                 initial_view->value[CA_INITIAL_ZOOM].number != 1))
        return ca_fail(error, CA_USAGE, "is allowed with a zoom of 1 alone");
    *row = CA_INITIAL_RANGE;
    CA_TRY(ca_range_parse(&ranged, initial_view->value[*row].text, error));
    *row = CA_INITIAL_DRAWN;
    while (ca_fields(model)[count - CA_FIELD].name)
        count++;
    for (int i = 0; i < count; i++)
        if (strcmp(drawn_name(model, i), drawn) == 0)
            return CA_OK;
    return ca_fail(error, CA_USAGE, "'%.80s' cannot be drawn of %s%s", drawn, model->name,
                   ca_suggest(hint, drawn, count, drawn_name, model));
}

bool ca_initial_view_has_slice(const struct ca_values *initial_view, struct ca_size size,
                               const struct ca_view *view)
{
    int64_t width, height, slices;

    ca_view_extent(size, view->axis, &width, &height, &slices);
    return is_set(initial_view, CA_INITIAL_SLICE) &&
           initial_view->value[CA_INITIAL_SLICE].number < (double)slices;
}

bool ca_initial_view_apply(const struct ca_values *initial_view, const struct ca_model *model,
                           struct ca_size size, struct ca_view *view, int *magnify)
{
    const struct ca_value *row = initial_view->value;
    int64_t width, height, slices;

    view->axis = model->dimensions == 3 ? (enum ca_axis)row[CA_INITIAL_AXIS].number : CA_XY;
    ca_view_extent(size, view->axis, &width, &height, &slices);
    view->slice = ca_initial_view_has_slice(initial_view, size, view)
                      ? (int64_t)row[CA_INITIAL_SLICE].number
                      : slices / 2;
    view->projection = model->dimensions == 3
                           ? (enum ca_view_projection)row[CA_INITIAL_PROJECTION].number
                           : CA_VIEW_SLICE;
    view->x = (int64_t)row[CA_INITIAL_X].number;
    view->y = (int64_t)row[CA_INITIAL_Y].number;
    view->zoom = (int64_t)row[CA_INITIAL_ZOOM].number;
    *magnify = view->zoom == 1 ? (int)row[CA_INITIAL_MAGNIFY].number : 0;
    return !is_set(initial_view, CA_INITIAL_ZOOM);
}

static void set_number(struct ca_values *initial_view, enum ca_initial_view row, double number,
                       enum ca_origin origin)
{
    initial_view->value[row].number = number;
    initial_view->value[row].origin = origin;
}

void ca_initial_view_take(struct ca_values *initial_view, const struct ca_view *view, int magnify,
                          bool fitted, bool chosen, enum ca_origin origin)
{
    struct ca_value *row = initial_view->value;

    ca_initial_view_refit(initial_view);
    if (view->axis != CA_XY)
        row[CA_INITIAL_AXIS] = (struct ca_value){view->axis, ca_axis_names[view->axis], origin};
    if (view->projection)
        row[CA_INITIAL_PROJECTION] =
            (struct ca_value){view->projection, ca_view_projection_names[view->projection], origin};
    if (chosen)
        set_number(initial_view, CA_INITIAL_SLICE, (double)view->slice, origin);
    if (fitted)
        return;
    set_number(initial_view, CA_INITIAL_X, (double)view->x, origin);
    set_number(initial_view, CA_INITIAL_Y, (double)view->y, origin);
    set_number(initial_view, CA_INITIAL_ZOOM, (double)view->zoom, origin);
    if (magnify > 0)
        set_number(initial_view, CA_INITIAL_MAGNIFY, magnify, origin);
}
