/* SPDX-License-Identifier: MIT */
/* Owns navigation in the lattice: pan, zoom, slices, axes, the drawn quantity, the cursor. */
#include "tui/workbench/app.h"

#include <stdio.h>
#include <string.h>

/* The points of the view that the panel has room for under the glyph set and magnification. */
static void view_size(struct pane *pane)
{
    if (pane->view.zoom > 1)
        pane->magnify = 0;
    picture_size(&pane->view, pane->magnify, lattice_glyphs(pane), lattice_room(pane->wb));
}

static bool is_upward(const struct pane *pane)
{
    return pane->experiment.model->z_is_height && pane->view.axis != CA_XY;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void view_clamp(struct pane *pane)
{
    struct ca_view *v = &pane->view;
    int64_t width, height, slices, down;

    if (pane->experiment.model->dimensions == 2)
        v->axis = CA_XY;
    if (v->axis > CA_YZ)
        v->axis = CA_XY;
    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    v->slice = clamp(v->slice, 0, slices - 1);
    v->zoom = clamp(v->zoom, 1, width > height ? width : height);
    view_size(pane);
    down = ca_view_down(v);
    /* The view does not extend beyond the slice unless the whole slice is visible. */
    v->x = clamp(v->x, 0, width > v->columns * v->zoom ? width - v->columns * v->zoom : 0);
    v->y = clamp(v->y, 0, height > v->lines * down ? height - v->lines * down : 0);
    pane->cursor.x = clamp(pane->cursor.x, 0, width - 1);
    pane->cursor.y = clamp(pane->cursor.y, 0, height - 1);
}

/* In a split B shows the same window as A. */
static void follow(const struct pane *a, struct pane *b)
{
    b->view = a->view;
    b->magnify = a->magnify;
    b->fitted = a->fitted;
    beside_place(b);
    session_view(b);
}

void view_changed(struct pane *pane)
{
    if (split_is_open(pane->wb) && pane_index(pane) == 1) {
        follow(&pane->wb->panes[0], pane);
        return;
    }
    if (pane->fitted)
        picture_fit(&pane->view, &pane->magnify, lattice_glyphs(pane), pane->experiment.size,
                    lattice_room(pane->wb));
    view_clamp(pane);
    beside_place(pane);
    session_view(pane);
    if (split_is_open(pane->wb))
        follow(pane, &pane->wb->panes[1]);
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
 * middle, so that zooming out and in returns to the same view even after it met a border. Cells
 * across a point, or how often it is magnified. */
static void view_zoom(struct pane *pane, int64_t zoom, int magnify)
{
    struct ca_view *v = &pane->view;
    const struct ca_view *z = &pane->zoomed;
    int64_t width, height, slices, old = v->zoom, old_down = ca_view_down(v);
    int64_t across = (pane->cursor.x - v->x) / old, below = (pane->cursor.y - v->y) / old_down;

    pane->fitted = false;
    v->zoom = zoom < 1 ? 1 : zoom;
    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    if (v->x != z->x || v->y != z->y || old != z->zoom || v->axis != z->axis ||
        v->columns != z->columns) {
        pane->middle[0] = middle(v->x, v->columns * old, width);
        pane->middle[1] = middle(v->y, v->lines * old_down, height);
    }
    pane->magnify = magnify < 0 ? 0 : magnify > MAGNIFY_MAX ? MAGNIFY_MAX : magnify;
    view_size(pane);
    if (pane->cursor.on) {
        v->x = pane->cursor.x - across * v->zoom;
        v->y = pane->cursor.y - below * ca_view_down(v);
    } else {
        v->x = pane->middle[0] - v->columns * v->zoom / 2;
        v->y = pane->middle[1] - v->lines * ca_view_down(v) / 2;
    }
    view_changed(pane);
    pane->zoomed = *v;
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
    pane->cursor.edits &= pane->cursor.on;
    pane->cursor.on = true;
    pane->cursor.x = v->axis == CA_YZ ? y : x;
    pane->cursor.y = v->axis == CA_XY ? y : z;
    v->slice = v->axis == CA_XY ? z : v->axis == CA_XZ ? y : x;
    v->x = pane->cursor.x - v->columns * v->zoom / 2;
    v->y = pane->cursor.y - v->lines * ca_view_down(v) / 2;
    view_changed(pane);
}

/* The view follows a cursor that leaves it. */
static void cursor_move(struct pane *pane, int dx, int dy)
{
    struct ca_view *v = &pane->view;
    int64_t right, bottom, down = ca_view_down(v);

    pane->cursor.x += dx * v->zoom;
    pane->cursor.y += dy * down;
    view_clamp(pane);
    right = v->x + (v->columns - 1) * v->zoom;
    bottom = v->y + (v->lines - 1) * down;
    if (pane->cursor.x < v->x)
        v->x = pane->cursor.x;
    if (pane->cursor.x > right + v->zoom - 1)
        v->x += pane->cursor.x - right;
    if (pane->cursor.y < v->y)
        v->y = pane->cursor.y;
    if (pane->cursor.y > bottom + down - 1)
        v->y += pane->cursor.y - bottom;
    view_changed(pane);
}

/* --- requests --------------------------------------------------------------------------------- */

/* The pane whose view the keys change: in a split A, which B follows. */
static struct pane *seen(struct workbench *wb) { return &wb->panes[0]; }

static void view_fit(struct workbench *wb)
{
    struct pane *pane = seen(wb);

    pane->fitted = true;
    view_changed(pane);
}

static void pan(struct pane *pane, int dx, int dy)
{
    struct ca_view *v = &pane->view;
    int64_t across = v->columns / 8 + 1, down = v->lines / 8 + 1;

    dy = is_upward(pane) ? -dy : dy;
    if (pane->cursor.on) {
        cursor_move(pane, dx, dy);
        return;
    }
    pane = seen(pane->wb);
    v = &pane->view;
    pane->fitted = false;
    v->x += dx * across * v->zoom;
    v->y += dy * down * ca_view_down(v);
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

static void slice_next(struct workbench *wb) { slice_to(seen(wb), seen(wb)->view.slice + 1); }
static void slice_previous(struct workbench *wb) { slice_to(seen(wb), seen(wb)->view.slice - 1); }
static void slice_first(struct workbench *wb) { slice_to(seen(wb), 0); }
static void slice_last(struct workbench *wb) { slice_to(seen(wb), INT64_MAX); }

static void axis(struct workbench *wb)
{
    struct pane *pane = seen(wb);
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

bool view_is_through(const struct pane *pane)
{
    const struct ca_field *field = field_of(pane);

    return pane->view.drawn == CA_FIELD && field && field->through;
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

/* From a magnified cell over one a point to many. */
static void zoom_out(struct workbench *wb)
{
    struct pane *pane = seen(wb);

    view_zoom(pane, pane->magnify ? 1 : pane->view.zoom + 1, pane->magnify - 1);
}

static void zoom_in(struct workbench *wb)
{
    struct pane *pane = seen(wb);

    view_zoom(pane, pane->view.zoom - 1, pane->view.zoom > 1 ? 0 : pane->magnify + 1);
}

static void halve(struct workbench *wb)
{
    struct pane *pane = seen(wb);

    view_zoom(pane, pane->magnify ? 1 : pane->view.zoom * 2, pane->magnify / 2);
}

static void twice(struct workbench *wb)
{
    struct pane *pane = seen(wb);

    view_zoom(pane, pane->view.zoom / 2,
              pane->view.zoom > 1 ? 0
              : pane->magnify     ? pane->magnify * 2
                                  : 1);
}

void view_cells(struct pane *pane)
{
    pane->fitted = false;
    if (pane->view.zoom > 1 || pane->view.tall) {
        pane->view.zoom = 1;
        pane->magnify = lattice_glyphs(pane) > GLYPHS_RAMP10 ? 0 : 1;
    }
    view_size(pane);
}

static void origin(struct workbench *wb)
{
    struct pane *pane = seen(wb);

    pane->view.zoom = 1;
    pane->magnify = 0;
    view_size(pane);
    view_cells(pane);
    pane->view.x = pane->view.y = 0;
    view_changed(pane);
}

void cursor_hide(struct pane *pane)
{
    bool was = pane->cursor.on;

    pane->cursor.on = pane->cursor.edits = false;
    pane->wb->dirty = true;
    if (was) /* a second slice went through it */
        view_changed(pane);
}

static void inspect(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    const struct ca_view *v = &pane->view;
    int64_t width, height, slices;

    if (pane->cursor.on) {
        cursor_hide(pane);
        return;
    }
    pane->cursor.on = wb->dirty = true;
    pane->cursor.edits = false;
    pane->cursor.text[0] = 0;
    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    pane->cursor.x = middle(v->x, v->columns * v->zoom, width);
    pane->cursor.y = middle(v->y, v->lines * ca_view_down(v), height);
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
