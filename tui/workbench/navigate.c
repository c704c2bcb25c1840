/* SPDX-License-Identifier: MIT */
/* Owns navigation in the lattice: pan, zoom, slices, axes, the drawn quantity, the cursor. */
#include "tui/workbench/app.h"

#include <stddef.h>

void view_take(struct workbench *wb, const struct ca_view *view)
{
    wb->view.axis = view->axis;
    wb->view.slice = view->slice;
    wb->view.x = view->x;
    wb->view.y = view->y;
    wb->view.zoom = view->zoom > 0 ? view->zoom : 1;
    wb->fitted = false;
}

/* The size of the view in characters. */
static void view_size(const struct workbench *wb, int *columns, int *lines)
{
    struct rect inner = screen_inner(wb, PANEL_LATTICE);

    *columns = inner.columns > CA_VIEW_SIDE_MAX ? CA_VIEW_SIDE_MAX : inner.columns;
    *lines = inner.rows > CA_VIEW_SIDE_MAX ? CA_VIEW_SIDE_MAX : inner.rows;
    *columns = *columns < 1 ? 1 : *columns;
    *lines = *lines < 1 ? 1 : *lines;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void view_clamp(struct workbench *wb)
{
    struct ca_view *v = &wb->view;
    int64_t width, height, slices;

    if (wb->experiment.model->dimensions == 2)
        v->axis = CA_XY;
    if (v->axis > CA_YZ)
        v->axis = CA_XY;
    ca_view_extent(wb->experiment.size, v->axis, &width, &height, &slices);
    view_size(wb, &v->columns, &v->lines);
    v->slice = clamp(v->slice, 0, slices - 1);
    v->zoom = clamp(v->zoom, 1, width > height ? width : height);
    /* The view does not extend beyond the slice unless the whole slice is visible. */
    v->x = clamp(v->x, 0, width > v->columns * v->zoom ? width - v->columns * v->zoom : 0);
    v->y = clamp(v->y, 0, height > v->lines * v->zoom ? height - v->lines * v->zoom : 0);
    wb->cursor.x = clamp(wb->cursor.x, 0, width - 1);
    wb->cursor.y = clamp(wb->cursor.y, 0, height - 1);
}

/* Chooses the smallest zoom that shows the whole slice in the panel. */
static void fit(struct workbench *wb)
{
    struct ca_view *v = &wb->view;
    int64_t width, height, slices, zoom;

    view_clamp(wb);
    ca_view_extent(wb->experiment.size, v->axis, &width, &height, &slices);
    zoom = (width + v->columns - 1) / v->columns;
    if ((height + v->lines - 1) / v->lines > zoom)
        zoom = (height + v->lines - 1) / v->lines;
    v->zoom = zoom;
    v->x = v->y = 0;
}

void view_changed(struct workbench *wb)
{
    if (wb->fitted)
        fit(wb);
    view_clamp(wb);
    session_view(wb);
    if (wb->cursor.on)
        session_cell(wb);
    settings_save_soon(wb);
}

/* The middle of the visible part of a side of the slice. */
static int64_t middle(int64_t start, int64_t shown, int64_t side)
{
    return start + (shown < side - start ? shown : side - start) / 2;
}

/* The cell under the cursor, or else in the middle, keeps its place. Successive zooms use the same
 * middle, so that zooming out and in returns to the same view even after it met a border. */
static void view_zoom(struct workbench *wb, int64_t zoom)
{
    struct ca_view *v = &wb->view;
    const struct ca_view *z = &wb->zoomed;
    int64_t width, height, slices, old = v->zoom;

    wb->fitted = false;
    v->zoom = zoom < 1 ? 1 : zoom;
    if (wb->cursor.on) {
        v->x = wb->cursor.x - (wb->cursor.x - v->x) / old * v->zoom;
        v->y = wb->cursor.y - (wb->cursor.y - v->y) / old * v->zoom;
        view_changed(wb);
        return;
    }
    ca_view_extent(wb->experiment.size, v->axis, &width, &height, &slices);
    if (v->x != z->x || v->y != z->y || old != z->zoom || v->axis != z->axis) {
        wb->middle[0] = middle(v->x, v->columns * old, width);
        wb->middle[1] = middle(v->y, v->lines * old, height);
    }
    v->x = wb->middle[0] - v->columns * v->zoom / 2;
    v->y = wb->middle[1] - v->lines * v->zoom / 2;
    view_changed(wb);
    wb->zoomed = *v;
}

static void view_fit(struct workbench *wb)
{
    wb->fitted = true;
    view_changed(wb);
}

void cursor_cell(const struct workbench *wb, int64_t cell[3])
{
    const struct ca_view *v = &wb->view;

    cell[0] = v->axis == CA_YZ ? v->slice : wb->cursor.x;
    cell[1] = v->axis == CA_XY ? wb->cursor.y : v->axis == CA_XZ ? v->slice : wb->cursor.x;
    cell[2] = v->axis == CA_XY ? v->slice : wb->cursor.y;
}

void view_center(struct workbench *wb, int64_t x, int64_t y, int64_t z)
{
    struct ca_view *v = &wb->view;

    wb->fitted = false;
    wb->cursor.on = true;
    wb->cursor.x = v->axis == CA_YZ ? y : x;
    wb->cursor.y = v->axis == CA_XY ? y : z;
    v->slice = v->axis == CA_XY ? z : v->axis == CA_XZ ? y : x;
    v->x = wb->cursor.x - v->columns * v->zoom / 2;
    v->y = wb->cursor.y - v->lines * v->zoom / 2;
    view_changed(wb);
}

/* The view follows a cursor that leaves it. */
static void cursor_move(struct workbench *wb, int dx, int dy)
{
    struct ca_view *v = &wb->view;
    int64_t right, bottom;

    wb->cursor.x += dx * v->zoom;
    wb->cursor.y += dy * v->zoom;
    view_clamp(wb);
    right = v->x + (v->columns - 1) * v->zoom;
    bottom = v->y + (v->lines - 1) * v->zoom;
    if (wb->cursor.x < v->x)
        v->x = wb->cursor.x;
    if (wb->cursor.x > right + v->zoom - 1)
        v->x += wb->cursor.x - right;
    if (wb->cursor.y < v->y)
        v->y = wb->cursor.y;
    if (wb->cursor.y > bottom + v->zoom - 1)
        v->y += wb->cursor.y - bottom;
    view_changed(wb);
}

/* --- requests --------------------------------------------------------------------------------- */

static void pan(struct workbench *wb, int dx, int dy)
{
    struct ca_view *v = &wb->view;
    int64_t across = v->columns / 8 + 1, down = v->lines / 8 + 1;

    if (wb->cursor.on) {
        cursor_move(wb, dx, dy);
        return;
    }
    wb->fitted = false;
    v->x += dx * across * v->zoom;
    v->y += dy * down * v->zoom;
    view_changed(wb);
}

static void pan_left(struct workbench *wb) { pan(wb, -1, 0); }
static void pan_right(struct workbench *wb) { pan(wb, 1, 0); }
static void pan_up(struct workbench *wb) { pan(wb, 0, -1); }
static void pan_down(struct workbench *wb) { pan(wb, 0, 1); }

static void slice_to(struct workbench *wb, int64_t slice)
{
    if (wb->experiment.model->dimensions == 2) {
        say(wb, "model %s is two-dimensional: it has a single slice", wb->experiment.model->name);
        return;
    }
    wb->view.slice = slice;
    view_changed(wb);
}

static void slice_next(struct workbench *wb) { slice_to(wb, wb->view.slice + 1); }
static void slice_previous(struct workbench *wb) { slice_to(wb, wb->view.slice - 1); }
static void slice_first(struct workbench *wb) { slice_to(wb, 0); }
static void slice_last(struct workbench *wb) { slice_to(wb, INT64_MAX); }

static void axis(struct workbench *wb)
{
    int64_t width, height, slices;

    if (wb->experiment.model->dimensions == 2) {
        say(wb, "model %s is two-dimensional: its axis cannot be changed",
            wb->experiment.model->name);
        return;
    }
    wb->view.axis = (enum ca_axis)((wb->view.axis + 1) % 3);
    ca_view_extent(wb->experiment.size, wb->view.axis, &width, &height, &slices);
    wb->view.slice = slices / 2;
    wb->view.x = wb->view.y = 0;
    view_changed(wb);
}

static void drawn(struct workbench *wb)
{
    setting_cycle(wb, CA_SETTING_DRAWN);
    if (wb->view.drawn == CA_DIFFERENCE)
        say(wb, "drawn: difference from the reference, which is stepped in parallel from now on");
}

static void zoom_out(struct workbench *wb) { view_zoom(wb, wb->view.zoom + 1); }
static void zoom_in(struct workbench *wb) { view_zoom(wb, wb->view.zoom - 1); }
static void halve(struct workbench *wb) { view_zoom(wb, wb->view.zoom * 2); }
static void twice(struct workbench *wb) { view_zoom(wb, wb->view.zoom / 2); }

static void origin(struct workbench *wb)
{
    wb->fitted = false;
    wb->view.x = wb->view.y = 0;
    wb->view.zoom = 1;
    view_changed(wb);
}

static void inspect(struct workbench *wb)
{
    wb->cursor.on = !wb->cursor.on;
    wb->dirty = true;
    if (!wb->cursor.on)
        return;
    wb->cursor.text[0] = 0;
    wb->cursor.x = wb->view.x + wb->view.columns / 2 * wb->view.zoom;
    wb->cursor.y = wb->view.y + wb->view.lines / 2 * wb->view.zoom;
    view_clamp(wb);
    cursor_move(wb, 0, 0);
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
