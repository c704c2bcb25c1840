/* SPDX-License-Identifier: MIT */
/* These commands navigate in the lattice: pan, zoom, slices, axes, the drawn quantity, the
 * cursor. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/engine/wire.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view_inside.h"

#define SIGHT_CELLS_MAX 4096 /* of a point; the engine takes no more */
#define RANGE_STEP 1.25      /* so much wider, or narrower, a key makes a range */

/* The pane whose view the keys change: in a split A, which B follows. */
static struct pane *seen(struct workbench *wb) { return &wb->panes[0]; }

/* The middle of the visible part of a side of the slice. */
static int64_t middle(int64_t start, int64_t shown, int64_t side)
{
    return start + (shown < side - start ? shown : side - start) / 2;
}

/* The dots before a point on a side of the picture, of points that share dots or have so many each.
 */
static int64_t dots_before(int64_t point, int points, int shared, int each)
{
    return shared > 0 ? point * shared / points : point * each;
}

/* How many points are before a dot; with all of them, the last one is there. */
static int64_t points_before(int64_t dots, int each, int points)
{
    return dots / each < points ? dots / each : points - 1;
}

/* The cell under the cursor, or else in the middle, keeps its place. Successive zooms use the same
 * middle, so that zooming out and in returns to the same view even after it met a border. Cells
 * across a point, or how often it is magnified. */
static void view_zoom(struct workbench *wb, int64_t zoom, int magnify)
{
    struct pane *pane = seen(wb);
    struct window *w = window_of(pane);
    struct ca_view *v = &w->view;
    const struct ca_view *z = &w->zoomed;
    int64_t width, height, slices, old = v->zoom, old_down = ca_view_down(v);
    struct raster r = raster_of(view_glyphs(pane), w->scale.magnify);
    int64_t across =
        dots_before(ca_view_column_of(v, w->cursor.x), v->columns, w->scale.across, r.wide);
    int64_t below = dots_before(ca_view_line_of(v, w->cursor.y), v->lines, w->scale.down, r.high);

    view_choose(w);
    v->zoom = zoom < 1 ? 1 : zoom;
    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    if (v->x != z->x || v->y != z->y || old != z->zoom || v->axis != z->axis ||
        v->columns != z->columns) {
        w->middle[0] = middle(v->x, v->columns * old, width);
        w->middle[1] = middle(v->y, v->lines * old_down, height);
    }
    w->scale.magnify = magnify < 0 ? 0 : magnify > MAGNIFY_MAX ? MAGNIFY_MAX : magnify;
    view_size(pane);
    if (w->cursor.on) {
        r = raster_of(view_glyphs(pane), w->scale.magnify);
        v->x = w->cursor.x - points_before(across, r.wide, v->columns) * v->zoom;
        v->y = w->cursor.y - points_before(below, r.high, v->lines) * ca_view_down(v);
    } else {
        v->x = w->middle[0] - v->columns * v->zoom / 2;
        v->y = w->middle[1] - v->lines * ca_view_down(v) / 2;
    }
    view_changed(pane);
    w->zoomed = *v;
}

/* Where points share cells, the cursor goes to the first cell of the next point. */
static void cursor_step(struct window *w, int dx, int dy)
{
    const struct ca_view *v = &w->view;

    if (v->width > 0 && dx)
        w->cursor.x = ca_view_column(v, ca_view_column_of(v, w->cursor.x) + dx);
    else
        w->cursor.x += dx * v->zoom;
    if (v->height > 0 && dy)
        w->cursor.y = ca_view_line(v, ca_view_line_of(v, w->cursor.y) + dy);
    else
        w->cursor.y += dy * ca_view_down(v);
}

/* The view follows a cursor that leaves it. */
static void cursor_move(struct pane *pane, int dx, int dy)
{
    struct window *w = window_of(pane);
    struct ca_view *v = &w->view;
    int64_t right, bottom, down = ca_view_down(v);

    cursor_step(w, dx, dy);
    view_clamp(pane);
    if (w->fitted) {
        view_changed(pane);
        return;
    }
    right = v->x + (v->columns - 1) * v->zoom;
    bottom = v->y + (v->lines - 1) * down;
    if (w->cursor.x < v->x)
        v->x = w->cursor.x;
    if (w->cursor.x > right + v->zoom - 1)
        v->x += w->cursor.x - right;
    if (w->cursor.y < v->y)
        v->y = w->cursor.y;
    if (w->cursor.y > bottom + down - 1)
        v->y += w->cursor.y - bottom;
    view_changed(pane);
}

/* --- requests --------------------------------------------------------------------------------- */

static void view_fit(struct workbench *wb)
{
    window_of(seen(wb))->fitted = true;
    view_changed(seen(wb));
}

static void pan(struct pane *pane, int dx, int dy)
{
    struct window *w = window_of(pane);
    struct ca_view *v = &w->view;
    int64_t across = v->columns / 8 + 1, down = v->lines / 8 + 1;

    if (ca_draw_of(pane->experiment.model)->z_is_height && v->axis != CA_XY)
        dy = -dy;
    if (w->cursor.on) {
        cursor_move(pane, dx, dy);
        return;
    }
    pane = seen(pane->wb);
    w = window_of(pane);
    v = &w->view;
    if (w->fitted) {
        message_show(pane->wb, "the whole slice is shown: zoom in to move in it");
        return;
    }
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
    struct window *w = window_of(pane);

    if (pane->experiment.model->dimensions == 2) {
        message_show(pane->wb, "model %s is two-dimensional: it has a single slice",
                     pane->experiment.model->name);
        return;
    }
    w->view.slice = slice;
    w->view.projection = CA_VIEW_SLICE;
    w->chosen = true;
    view_changed(pane);
}

static void slice_next(struct workbench *wb) { slice_to(seen(wb), view_of(seen(wb))->slice + 1); }
static void slice_previous(struct workbench *wb)
{
    slice_to(seen(wb), view_of(seen(wb))->slice - 1);
}
static void slice_first(struct workbench *wb) { slice_to(seen(wb), 0); }
static void slice_last(struct workbench *wb) { slice_to(seen(wb), INT64_MAX); }

static void live_taken(struct pane *pane, struct pending *pending, const json_t *json);

static void live_ask(struct pane *pane)
{
    const struct ca_view *view = view_of(pane);

    session_send(
        pane, "slice",
        json_pack("{s:s,s:I}", "axis", ca_axis_names[view->axis], "after", (json_int_t)view->slice),
        live_taken);
}

static void live_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    const json_t *slice = json_object_get(json, "slice");
    struct window *w = window_of(pane);
    int more = w->seeks;

    (void)pending;
    w->seeks = 0;
    if (!json_is_integer(slice)) {
        message_show(pane->wb, "no slice has a cell that lives");
        return;
    }
    w->beside_sought = false;
    slice_to(pane, json_integer_value(slice));
    if (more > 0) {
        w->seeks = more - 1;
        live_ask(pane);
    }
}

/* A key that comes before the last one is answered begins from the slice that this one finds. */
static void slice_live(struct workbench *wb)
{
    struct pane *pane = seen(wb);

    if (pane->experiment.model->dimensions == 2)
        slice_to(pane, 0);
    else if (session_waits_for(pane, live_taken))
        window_of(pane)->seeks++;
    else if (session_require(pane)) {
        window_of(pane)->seeks = 0;
        live_ask(pane);
    }
}

static void axis(struct workbench *wb)
{
    struct pane *pane = seen(wb);
    struct window *w = window_of(pane);

    if (pane->experiment.model->dimensions == 2) {
        message_show(wb, "model %s is two-dimensional: its axis cannot be changed",
                     pane->experiment.model->name);
        return;
    }
    w->view.axis = (enum ca_axis)((w->view.axis + 1) % 3);
    w->view.x = w->view.y = 0;
    view_middle(pane);
    view_seek(pane);
    view_changed(pane);
}

static void projection(struct workbench *wb)
{
    static const char *const seen_along[] = {
        [CA_VIEW_SLICE] = "a slice",
        [CA_VIEW_DEPTH] = "depth, the first cell that is met, brighter the nearer it is",
        [CA_VIEW_COUNT] = "count of cells along the line of sight",
        [CA_VIEW_MAXIMUM] = "maximum along the line of sight"};
    struct pane *pane = seen(wb);
    struct ca_view *view = &window_of(pane)->view;

    if (pane->experiment.model->dimensions == 2) {
        message_show(wb, "model %s is two-dimensional: there is nothing to look through",
                     pane->experiment.model->name);
        return;
    }
    if (!view_has_projection(pane)) {
        message_show(wb, "%s is drawn of a slice alone: draw a state or a field to look through",
                     view_difference(wb) ? "a difference" : "a change");
        return;
    }
    view->projection = (enum ca_view_projection)((view->projection + 1) % (CA_VIEW_MAXIMUM + 1));
    message_show(wb, "seen: %s", seen_along[view->projection]);
    view_changed(pane);
}

static void drawn(struct workbench *wb)
{
    struct ca_view *view = &window_of(wb->pane)->view;
    const struct ca_field *field = view->drawn == CA_FIELD ? view_field_of(wb->pane) : NULL;
    const char *why;

    /* In a split: the state, or the state with the characters marked that differ. */
    if (split_is_shown(wb)) {
        why = split_incomparable(wb);
        if (!view_difference(wb) && why) {
            message_show(wb, "no difference between A and B can be drawn: %s", why);
            return;
        }
        view_set_difference(wb, !view_difference(wb));
        window_of(&wb->panes[0])->view.drawn = CA_STATE;
        message_show(wb, "drawn: %s",
                     view_difference(wb) ? "state, X where A and B differ" : "state");
        view_changed(&wb->panes[0]);
        return;
    }
    if (field && field[1].name) { /* the next field that the model has */
        view_field_set(wb->pane, field[1].name);
        view_changed(wb->pane);
    } else {
        view->field[0] = 0; /* so that the first one comes first */
        setting_cycle(wb, CA_SETTING_DRAWN);
        view_field(wb->pane);
    }
    if (view->drawn == CA_FIELD)
        message_show(wb, "drawn: %s%s, %s",
                     view_field_of(wb->pane)->components > 1 ? "magnitude of " : "", view->field,
                     view_field_of(wb->pane)->title);
    if (view_difference(wb))
        message_show(wb, "drawn: difference from %s, stepped in parallel from now on",
                     split_hides(wb));
}

/* From a magnified cell over one a point to many. */
static void zoom_out(struct workbench *wb)
{
    const struct window *w = window_of(seen(wb));

    view_zoom(wb, w->scale.magnify ? 1 : w->view.zoom + 1, w->scale.magnify - 1);
}

static void zoom_in(struct workbench *wb)
{
    const struct window *w = window_of(seen(wb));

    view_zoom(wb, w->view.zoom - 1, w->view.zoom > 1 ? 0 : w->scale.magnify + 1);
}

static void halve(struct workbench *wb)
{
    const struct window *w = window_of(seen(wb));

    view_zoom(wb, w->scale.magnify ? 1 : w->view.zoom * 2, w->scale.magnify / 2);
}

static void twice(struct workbench *wb)
{
    const struct window *w = window_of(seen(wb));

    view_zoom(wb, w->view.zoom / 2,
              w->view.zoom > 1   ? 0
              : w->scale.magnify ? w->scale.magnify * 2
                                 : 1);
}

/* Of what levels are drawn: another range is set, from the one that is shown. */
static void range_scale(struct workbench *wb, double factor)
{
    struct pane *pane = seen(wb);
    const struct ca_frame *shown = &frame_of(pane)->picture;
    struct ca_view range = {.range = CA_RANGE_FIXED};

    if (!frame_of(pane)->known ||
        !ca_frame_by_level(shown, pane->experiment.model, view_glyphs(pane) == GLYPHS_RAMP10)) {
        message_show(wb, "states are drawn, which have no range: %s draws something else",
                     wb->keys.keys[REQUEST_DRAWN]);
        return;
    }
    range.low = shown->low;
    range.high = shown->high;
    if (view_of(pane)->range == CA_RANGE_FIXED) { /* the frame for it may still be on its way */
        range.low = view_of(pane)->low;
        range.high = view_of(pane)->high;
    }
    ca_range_scale(&range.low, &range.high, factor);
    if (range.high - range.low > 0 && isfinite(range.high - range.low)) {
        view_range(pane, &range);
        message_show(wb, "range set to %g ... %g; :range auto follows the data", range.low,
                     range.high);
    }
}

static void range_narrow(struct workbench *wb) { range_scale(wb, 1 / RANGE_STEP); }
static void range_widen(struct workbench *wb) { range_scale(wb, RANGE_STEP); }

static void origin(struct workbench *wb)
{
    struct pane *pane = seen(wb);
    struct window *w = window_of(pane);

    view_choose(w);
    w->view.zoom = 1;
    w->scale.magnify = 0;
    view_size(pane);
    view_cells(pane);
    w->view.x = w->view.y = 0;
    view_changed(pane);
}

static void inspect(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    struct window *w = window_of(pane);
    const struct ca_view *v = &w->view;
    int64_t width, height, slices;

    if (w->cursor.on) {
        cursor_hide(pane);
        return;
    }
    w->cursor.on = wb->dirty = true;
    w->cursor.edits = false;
    w->cursor.text[0] = 0;
    w->cursor.met = v->slice;
    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    w->cursor.x = middle(v->x, v->columns * v->zoom, width);
    w->cursor.y = middle(v->y, v->lines * ca_view_down(v), height);
    view_clamp(pane);
    cursor_move(pane, 0, 0);
}

/* --- the cursor ------------------------------------------------------------------------------- */

void cursor_cell(const struct pane *pane, int64_t cell[3])
{
    struct window *w = window_of(pane);
    const struct ca_view *v = &w->view;

    int64_t along = v->projection == CA_VIEW_DEPTH ? w->cursor.met : v->slice;

    cell[0] = v->axis == CA_YZ ? along : w->cursor.x;
    cell[1] = v->axis == CA_XY ? w->cursor.y : v->axis == CA_XZ ? along : w->cursor.x;
    cell[2] = v->axis == CA_XY ? along : w->cursor.y;
}

bool cursor_is_on(const struct pane *pane) { return window_of(pane)->cursor.on; }
const char *cursor_text(const struct pane *pane) { return window_of(pane)->cursor.text; }

void cursor_at(const struct pane *pane, int64_t at[2])
{
    at[0] = window_of(pane)->cursor.x;
    at[1] = window_of(pane)->cursor.y;
}

void cursor_put(struct pane *pane, int64_t x, int64_t y)
{
    struct window *w = window_of(pane);

    w->cursor.edits &= w->cursor.on;
    w->cursor.on = true;
    w->cursor.x = x;
    w->cursor.y = y;
    w->cursor.met = w->view.slice;
}

bool cursor_edited(const struct pane *pane)
{
    return window_of(pane)->cursor.on && window_of(pane)->cursor.edits;
}

void cursor_edits(struct pane *pane, bool edits) { window_of(pane)->cursor.edits = edits; }

void cursor_leave(struct pane *pane)
{
    struct window *w = window_of(pane);

    w->cursor.on = w->cursor.edits = false;
}

void cursor_hide(struct pane *pane)
{
    bool was = cursor_is_on(pane);

    cursor_leave(pane);
    pane->wb->dirty = true;
    if (was) /* a second slice went through it */
        view_changed(pane);
}

/* Numbers of cells on a side that a point stands for: "3", "3-5". */
static void cells_add(char *text, size_t size, const char *name, int64_t from, int64_t count)
{
    ca_text_add(text, size, "%s%lld", name, (long long)from);
    if (count > 1)
        ca_text_add(text, size, "-%lld", (long long)(from + count - 1));
}

/* The cells of the slice that the point under the cursor stands for; of many cells that under the
 * cursor alone. */
static void cursor_point(const struct pane *pane, int64_t from[2], int64_t count[2])
{
    const struct window *w = window_of(pane);
    const struct ca_view *v = &w->view;
    int64_t side[2], slices, end[2];
    int64_t column = ca_view_column_of(v, w->cursor.x), line = ca_view_line_of(v, w->cursor.y);

    ca_view_extent(pane->experiment.size, v->axis, &side[0], &side[1], &slices);
    from[0] = ca_view_column(v, column);
    from[1] = ca_view_line(v, line);
    end[0] = ca_view_column(v, column + 1);
    end[1] = ca_view_line(v, line + 1);
    for (int i = 0; i < 2; i++) {
        from[i] = from[i] > 0 ? from[i] : 0;
        count[i] = (end[i] < side[i] ? end[i] : side[i]) - from[i];
    }
    if (count[0] < 1 || count[1] < 1 || count[0] * count[1] > SIGHT_CELLS_MAX) {
        from[0] = w->cursor.x;
        from[1] = w->cursor.y;
        count[0] = count[1] = 1;
    }
}

/* The names of the axes across, down and along a view. */
static const char *axes_of(const struct ca_view *view)
{
    static const char *const axes[] = {[CA_XY] = "xyz", [CA_XZ] = "xzy", [CA_YZ] = "yzx"};

    return axes[view->axis];
}

/* What a line of sight meets: how many cells, or none. */
static void sight_text(const struct pane *pane, const json_t *json, char *text, size_t size)
{
    const struct ca_model *model = pane->experiment.model;
    const struct ca_view *v = &window_of(pane)->view;
    const char *axes = axes_of(v);
    double cells = json_number_value(json_object_get(json, "cells"));
    int64_t from[2], count[2];

    cursor_point(pane, from, count);
    text[0] = 0;
    cells_add(text, size, axes[0] == 'x' ? "x " : "y ", from[0], count[0]);
    cells_add(text, size, axes[1] == 'y' ? ", y " : ", z ", from[1], count[1]);
    if (cells > 0)
        ca_text_add(text, size, ": %.10g %s cells along %c", cells,
                    ca_draw_of(model)->states[ca_seen_of(model)->code].name, axes[2]);
    else
        ca_text_add(text, size, ": nothing along %c", axes[2]);
}

/* The cell that the engine describes: that under the cursor or, of a depth, the one that is seen.
 */
static void cell_place(struct pane *pane, const json_t *json, int64_t cell[3])
{
    const json_t *at = json_object_get(json, "at");
    struct window *w = window_of(pane);

    w->cursor.met = w->view.slice;
    cursor_cell(pane, cell);
    if (!at)
        return;
    for (size_t i = 0; i < 3; i++)
        cell[i] = json_integer_value(json_array_get(at, i));
    w->cursor.met = cell[2 - (int)w->view.axis];
}

static void cell_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    struct window *w = window_of(pane);
    const json_t *planes = json_object_get(json, "planes"), *value;
    const char *name, *state = ca_json_member(json, "state");
    char *text = w->cursor.text;
    const size_t size = sizeof w->cursor.text;
    int64_t cell[3];

    (void)pending;
    if (!json) {
        snprintf(text, size, "outside");
        return;
    }
    pane->wb->dirty = true;
    cell_place(pane, json, cell);
    if (w->view.projection && (!planes || w->view.projection != CA_VIEW_DEPTH)) {
        sight_text(pane, json, text, size);
        return;
    }
    snprintf(text, size, "%lld,%lld", (long long)cell[0], (long long)cell[1]);
    if (pane->experiment.model->dimensions == 3)
        ca_text_add(text, size, ",%lld", (long long)cell[2]);
    planes = json_object_get(json, "parts") ? json_object_get(json, "parts") : planes;
    json_object_foreach((json_t *)planes, name, value)
        ca_text_add(text, size, " %s=%g", name, json_number_value(value));
    if (state[0])
        ca_text_add(text, size, " (%s)", state);
}

void session_cell(struct pane *pane) { window_of(pane)->cursor.due = true; }

/* Asks for the cell under the cursor or, of a projection, for what is met through its point. */
static void cell_ask(struct pane *pane)
{
    static const char *const places[] = {"x", "y", "z"};
    static const char *const extents[] = {"width", "height", "depth"};
    const struct ca_view *v = &window_of(pane)->view;
    json_t *body = json_object();
    int64_t cell[3], from[2], count[2];

    cursor_cell(pane, cell);
    if (v->projection) {
        const int sides[] = {v->axis == CA_YZ ? 1 : 0, v->axis == CA_XY ? 1 : 2};

        cursor_point(pane, from, count);
        cell[2 - (int)v->axis] = 0;
        for (int i = 0; i < 2; i++) {
            cell[sides[i]] = from[i];
            json_object_set_new(body, extents[sides[i]], json_integer(count[i]));
        }
        json_object_set_new(body, "along", json_string(ca_axis_names[v->axis]));
    }
    for (int i = 0; i < 3; i++)
        json_object_set_new(body, places[i], json_integer(cell[i]));
    session_try(pane, "cell", body, NULL, 0, cell_taken);
}

static double cursor_tick(struct pane *pane, double now)
{
    struct window *w = window_of(pane);

    (void)now;
    if (!session_has_run(pane) || !w->cursor.due || !w->cursor.on ||
        session_waits_for(pane, cell_taken))
        return -1;
    w->cursor.due = false;
    cell_ask(pane);
    return -1;
}

bool edit_is_on(const struct workbench *wb)
{
    return cursor_edited(wb->pane) && dialogs_depth(wb) == 0;
}

const struct part navigate_part = {.name = "navigate",
                                   .tick_pane = cursor_tick,
                                   .actions = {
                                       {REQUEST_PAN_LEFT, pan_left},
                                       {REQUEST_PAN_RIGHT, pan_right},
                                       {REQUEST_PAN_UP, pan_up},
                                       {REQUEST_PAN_DOWN, pan_down},
                                       {REQUEST_SLICE_NEXT, slice_next},
                                       {REQUEST_SLICE_PREVIOUS, slice_previous},
                                       {REQUEST_SLICE_FIRST, slice_first},
                                       {REQUEST_SLICE_LAST, slice_last},
                                       {REQUEST_SLICE_LIVE, slice_live},
                                       {REQUEST_AXIS, axis},
                                       {REQUEST_PROJECTION, projection},
                                       {REQUEST_DRAWN, drawn},
                                       {REQUEST_ZOOM_OUT, zoom_out},
                                       {REQUEST_ZOOM_IN, zoom_in},
                                       {REQUEST_HALVE, halve},
                                       {REQUEST_DOUBLE, twice},
                                       {REQUEST_RANGE_NARROW, range_narrow},
                                       {REQUEST_RANGE_WIDEN, range_widen},
                                       {REQUEST_FIT, view_fit},
                                       {REQUEST_ORIGIN, origin},
                                       {REQUEST_INSPECT, inspect},
                                   }};
