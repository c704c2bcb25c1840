/* SPDX-License-Identifier: MIT */
/* Owns navigation in the lattice: pan, zoom, slices, axes, the drawn quantity, the cursor. */
#include "tui/workbench/app.h"

#include <stdio.h>
#include <string.h>

void view_take(struct pane *pane, const struct ca_view *view)
{
    pane->view.axis = view->axis;
    pane->view.slice = view->slice;
    pane->view.x = view->x;
    pane->view.y = view->y;
    pane->view.zoom = view->zoom > 0 ? view->zoom : 1;
    pane->fitted = false;
}

/* The size of the view in characters. */
static void view_size(const struct pane *pane, int *columns, int *lines)
{
    struct rect inner = screen_inner(pane->wb, PANEL_LATTICE);

    *columns = inner.columns > CA_VIEW_SIDE_MAX ? CA_VIEW_SIDE_MAX : inner.columns;
    *lines = inner.rows > CA_VIEW_SIDE_MAX ? CA_VIEW_SIDE_MAX : inner.rows;
    *columns = *columns < 1 ? 1 : *columns;
    *lines = *lines < 1 ? 1 : *lines;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void view_clamp(struct pane *pane)
{
    struct ca_view *v = &pane->view;
    int64_t width, height, slices;

    if (pane->experiment.model->dimensions == 2)
        v->axis = CA_XY;
    if (v->axis > CA_YZ)
        v->axis = CA_XY;
    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    view_size(pane, &v->columns, &v->lines);
    v->slice = clamp(v->slice, 0, slices - 1);
    v->zoom = clamp(v->zoom, 1, width > height ? width : height);
    /* The view does not extend beyond the slice unless the whole slice is visible. */
    v->x = clamp(v->x, 0, width > v->columns * v->zoom ? width - v->columns * v->zoom : 0);
    v->y = clamp(v->y, 0, height > v->lines * v->zoom ? height - v->lines * v->zoom : 0);
    pane->cursor.x = clamp(pane->cursor.x, 0, width - 1);
    pane->cursor.y = clamp(pane->cursor.y, 0, height - 1);
}

/* Chooses the smallest zoom that shows the whole slice in the panel. */
static void fit(struct pane *pane)
{
    struct ca_view *v = &pane->view;
    int64_t width, height, slices, zoom;

    view_clamp(pane);
    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    zoom = (width + v->columns - 1) / v->columns;
    if ((height + v->lines - 1) / v->lines > zoom)
        zoom = (height + v->lines - 1) / v->lines;
    v->zoom = zoom;
    v->x = v->y = 0;
}

void view_changed(struct pane *pane)
{
    if (pane->fitted)
        fit(pane);
    view_clamp(pane);
    session_view(pane);
    if (split_is_open(pane->wb) && pane_index(pane) == 0) { /* B shows the same window */
        pane->wb->panes[1].view = pane->view;
        session_view(&pane->wb->panes[1]);
    }
    if (pane->cursor.on)
        session_cell(pane);
    settings_save_soon(pane->wb);
}

/* The middle of the visible part of a side of the slice. */
static int64_t middle(int64_t start, int64_t shown, int64_t side)
{
    return start + (shown < side - start ? shown : side - start) / 2;
}

/* The cell under the cursor, or else in the middle, keeps its place. Successive zooms use the same
 * middle, so that zooming out and in returns to the same view even after it met a border. */
static void view_zoom(struct pane *pane, int64_t zoom)
{
    struct ca_view *v = &pane->view;
    const struct ca_view *z = &pane->zoomed;
    int64_t width, height, slices, old = v->zoom;

    pane->fitted = false;
    v->zoom = zoom < 1 ? 1 : zoom;
    if (pane->cursor.on) {
        v->x = pane->cursor.x - (pane->cursor.x - v->x) / old * v->zoom;
        v->y = pane->cursor.y - (pane->cursor.y - v->y) / old * v->zoom;
        view_changed(pane);
        return;
    }
    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    if (v->x != z->x || v->y != z->y || old != z->zoom || v->axis != z->axis) {
        pane->middle[0] = middle(v->x, v->columns * old, width);
        pane->middle[1] = middle(v->y, v->lines * old, height);
    }
    v->x = pane->middle[0] - v->columns * v->zoom / 2;
    v->y = pane->middle[1] - v->lines * v->zoom / 2;
    view_changed(pane);
    pane->zoomed = *v;
}

static void view_fit(struct workbench *wb)
{
    struct pane *pane = wb->pane;

    pane->fitted = true;
    view_changed(pane);
}

void cursor_cell(const struct pane *pane, int64_t cell[3])
{
    const struct ca_view *v = &pane->view;

    cell[0] = v->axis == CA_YZ ? v->slice : pane->cursor.x;
    cell[1] = v->axis == CA_XY ? pane->cursor.y : v->axis == CA_XZ ? v->slice : pane->cursor.x;
    cell[2] = v->axis == CA_XY ? v->slice : pane->cursor.y;
}

void view_center(struct pane *pane, int64_t x, int64_t y, int64_t z)
{
    struct ca_view *v = &pane->view;

    pane->fitted = false;
    pane->cursor.on = true;
    pane->cursor.x = v->axis == CA_YZ ? y : x;
    pane->cursor.y = v->axis == CA_XY ? y : z;
    v->slice = v->axis == CA_XY ? z : v->axis == CA_XZ ? y : x;
    v->x = pane->cursor.x - v->columns * v->zoom / 2;
    v->y = pane->cursor.y - v->lines * v->zoom / 2;
    view_changed(pane);
}

/* The view follows a cursor that leaves it. */
static void cursor_move(struct pane *pane, int dx, int dy)
{
    struct ca_view *v = &pane->view;
    int64_t right, bottom;

    pane->cursor.x += dx * v->zoom;
    pane->cursor.y += dy * v->zoom;
    view_clamp(pane);
    right = v->x + (v->columns - 1) * v->zoom;
    bottom = v->y + (v->lines - 1) * v->zoom;
    if (pane->cursor.x < v->x)
        v->x = pane->cursor.x;
    if (pane->cursor.x > right + v->zoom - 1)
        v->x += pane->cursor.x - right;
    if (pane->cursor.y < v->y)
        v->y = pane->cursor.y;
    if (pane->cursor.y > bottom + v->zoom - 1)
        v->y += pane->cursor.y - bottom;
    view_changed(pane);
}

/* --- requests --------------------------------------------------------------------------------- */

static void pan(struct pane *pane, int dx, int dy)
{
    struct ca_view *v = &pane->view;
    int64_t across = v->columns / 8 + 1, down = v->lines / 8 + 1;

    if (pane->cursor.on) {
        cursor_move(pane, dx, dy);
        return;
    }
    pane->fitted = false;
    v->x += dx * across * v->zoom;
    v->y += dy * down * v->zoom;
    view_changed(pane);
}

static void pan_left(struct workbench *wb) { pan(wb->pane, -1, 0); }
static void pan_right(struct workbench *wb) { pan(wb->pane, 1, 0); }
static void pan_up(struct workbench *wb) { pan(wb->pane, 0, -1); }
static void pan_down(struct workbench *wb) { pan(wb->pane, 0, 1); }

static void slice_to(struct pane *pane, int64_t slice)
{
    if (pane->experiment.model->dimensions == 2) {
        say(pane->wb, "model %s is two-dimensional: it has a single slice",
            pane->experiment.model->name);
        return;
    }
    pane->view.slice = slice;
    view_changed(pane);
}

static void slice_next(struct workbench *wb) { slice_to(wb->pane, wb->pane->view.slice + 1); }
static void slice_previous(struct workbench *wb) { slice_to(wb->pane, wb->pane->view.slice - 1); }
static void slice_first(struct workbench *wb) { slice_to(wb->pane, 0); }
static void slice_last(struct workbench *wb) { slice_to(wb->pane, INT64_MAX); }

static void axis(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    int64_t width, height, slices;

    if (pane->experiment.model->dimensions == 2) {
        say(wb, "model %s is two-dimensional: its axis cannot be changed",
            pane->experiment.model->name);
        return;
    }
    pane->view.axis = (enum ca_axis)((pane->view.axis + 1) % 3);
    ca_view_extent(pane->experiment.size, pane->view.axis, &width, &height, &slices);
    pane->view.slice = slices / 2;
    pane->view.x = pane->view.y = 0;
    view_changed(pane);
}

/* The first field from `field` on, the end of the table included; NULL: there is none. */
static const struct ca_field *drawable(const struct ca_field *field)
{
    return field && field->name ? field : NULL;
}

/* The model's field that the view has, or NULL. */
static const struct ca_field *field_of(const struct pane *pane)
{
    const struct ca_field *field = drawable(pane->experiment.model->fields);

    while (field && strcmp(field->name, pane->view.field) != 0)
        field = drawable(field + 1);
    return field;
}

static void field_set(struct pane *pane, const struct ca_field *field)
{
    snprintf(pane->view.field, sizeof pane->view.field, "%s", field->name);
}

void view_field(struct pane *pane)
{
    const struct ca_field *first = drawable(pane->experiment.model->fields);

    if (pane->view.drawn != CA_FIELD || field_of(pane))
        return;
    if (first)
        field_set(pane, first);
    else
        pane->view.drawn = CA_STATE;
}

/* In a split: the state, or the state with the characters marked that differ. */
static void drawn_in_split(struct workbench *wb)
{
    const char *why = split_incomparable(wb);

    if (!wb->difference && why) {
        say(wb, "no difference between A and B can be drawn: %s", why);
        return;
    }
    wb->difference = !wb->difference;
    wb->panes[0].view.drawn = CA_STATE;
    say(wb, "drawn: %s", wb->difference ? "state, X where A and B differ" : "state");
    view_changed(&wb->panes[0]);
}

static void drawn(struct workbench *wb)
{
    struct ca_view *view = &wb->pane->view;
    const struct ca_field *next;

    if (split_is_shown(wb)) {
        drawn_in_split(wb);
        return;
    }
    next = view->drawn == CA_FIELD && field_of(wb->pane) ? drawable(field_of(wb->pane) + 1) : NULL;
    if (next) {
        field_set(wb->pane, next);
        view_changed(wb->pane);
    } else {
        view->field[0] = 0; /* so that the first one comes first */
        setting_cycle(wb, CA_SETTING_DRAWN);
        view_field(wb->pane);
    }
    if (view->drawn == CA_FIELD)
        say(wb, "drawn: %s%s, %s", field_of(wb->pane)->components > 1 ? "magnitude of " : "",
            view->field, field_of(wb->pane)->title);
    if (wb->difference)
        say(wb, "drawn: difference from %s, stepped in parallel from now on", split_hides(wb));
}

static void zoom_out(struct workbench *wb) { view_zoom(wb->pane, wb->pane->view.zoom + 1); }
static void zoom_in(struct workbench *wb) { view_zoom(wb->pane, wb->pane->view.zoom - 1); }
static void halve(struct workbench *wb) { view_zoom(wb->pane, wb->pane->view.zoom * 2); }
static void twice(struct workbench *wb) { view_zoom(wb->pane, wb->pane->view.zoom / 2); }

static void origin(struct workbench *wb)
{
    struct pane *pane = wb->pane;

    pane->fitted = false;
    pane->view.x = pane->view.y = 0;
    pane->view.zoom = 1;
    view_changed(pane);
}

static void inspect(struct workbench *wb)
{
    struct pane *pane = wb->pane;

    pane->cursor.on = !pane->cursor.on;
    wb->dirty = true;
    if (!pane->cursor.on)
        return;
    pane->cursor.text[0] = 0;
    pane->cursor.x = pane->view.x + pane->view.columns / 2 * pane->view.zoom;
    pane->cursor.y = pane->view.y + pane->view.lines / 2 * pane->view.zoom;
    view_clamp(pane);
    cursor_move(pane, 0, 0);
}

action *action_navigate(enum request request)
{
    static action *const table[REQUEST_COUNT] = {
        [REQUEST_PAN_LEFT] = pan_left,
        [REQUEST_PAN_RIGHT] = pan_right,
        [REQUEST_PAN_UP] = pan_up,
        [REQUEST_PAN_DOWN] = pan_down,
        [REQUEST_SLICE_NEXT] = slice_next,
        [REQUEST_SLICE_PREVIOUS] = slice_previous,
        [REQUEST_SLICE_FIRST] = slice_first,
        [REQUEST_SLICE_LAST] = slice_last,
        [REQUEST_AXIS] = axis,
        [REQUEST_DRAWN] = drawn,
        [REQUEST_ZOOM_OUT] = zoom_out,
        [REQUEST_ZOOM_IN] = zoom_in,
        [REQUEST_HALVE] = halve,
        [REQUEST_DOUBLE] = twice,
        [REQUEST_FIT] = view_fit,
        [REQUEST_ORIGIN] = origin,
        [REQUEST_INSPECT] = inspect,
    };

    return table[request];
}
