/* SPDX-License-Identifier: MIT */
/* The part of a lattice that the panes show: its place on the screen, its window, what is drawn. */
#include "tui/workbench/engine/view_inside.h"

#include <stdio.h>
#include <string.h>

#include "core/engine/wire.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/picture.h"

#define LEGEND_ROWS 6  /* of a panel's inside, from which on its last one is the legend */
#define GAP 2          /* columns between the two */
#define COLUMNS_MIN 12 /* of the second */
#define ROWS_MIN 5     /* its caption among them */

extern const struct part view_part;

struct window *window_of(const struct pane *pane) { return pane_state(pane, &view_part); }

const struct ca_view *view_of(const struct pane *pane) { return &window_of(pane)->view; }

int view_magnify(const struct pane *pane) { return window_of(pane)->magnify; }

const struct beside *view_beside(const struct pane *pane) { return &window_of(pane)->beside; }

/* --- the place on the screen ------------------------------------------------------------------ */

void view_layout(struct workbench *wb)
{
    int rows, columns;

    getmaxyx(stdscr, rows, columns);
    if (split_is_shown(wb))
        wb->layout = layout_split(rows, columns, split_lines(wb));
    else
        panels_lay_out(wb, rows, columns);
}

struct rect view_area(const struct workbench *wb, struct rect inner)
{
    if (inner.rows >= LEGEND_ROWS && !split_is_shown(wb))
        inner.rows--;
    return inner;
}

struct rect view_room(const struct workbench *wb)
{
    return view_area(wb, layout_inner(&wb->layout, PANEL_MAIN));
}

enum glyphs view_glyphs(const struct pane *pane)
{
    struct window *w = window_of(pane);

    return picture_glyphs((enum glyphs)setting_number(pane->wb, CA_SETTING_GLYPHS),
                          &pane->wb->palette, pane->experiment.model, w->view.drawn);
}

/* --- the second slice ------------------------------------------------------------------------- */

static bool is_wanted(const struct pane *pane)
{
    struct window *w = window_of(pane);
    const struct workbench *wb = pane->wb;

    return pane->experiment.model->dimensions == 3 && w->fitted && !split_is_open(wb) &&
           setting_on(wb, CA_SETTING_BESIDE);
}

/* The coarseness of a fit is its cells a point, or less than one: the smaller one of two is
 * better. */
static int64_t coarseness(const struct ca_view *view, int magnify)
{
    return magnify > 0 ? -magnify : view->zoom;
}

/* Takes this place, unless it is too small or the one that it has is as good. */
static void try_place(struct pane *pane, struct rect at)
{
    struct window *w = window_of(pane);
    struct ca_view view = {.axis = w->view.axis == CA_XY ? CA_XZ : CA_XY};
    const struct ca_size size = pane->experiment.size;
    int64_t cell[3] = {size.w / 2, size.h / 2, size.d / 2};
    int magnify;

    if (at.columns < COLUMNS_MIN || at.rows < ROWS_MIN)
        return;
    if (w->cursor.on)
        cursor_cell(pane, cell);
    view.slice = view.axis == CA_XY ? cell[2] : cell[1];
    picture_fit(&view, &magnify, view_glyphs(pane), size,
                (struct rect){at.row + 1, at.column, at.rows - 1, at.columns});
    if (w->beside.view.columns > 0 &&
        coarseness(&w->beside.view, w->beside.magnify) <= coarseness(&view, magnify))
        return;
    w->beside.view = view;
    w->beside.magnify = magnify;
    w->beside.at = at;
}

static struct rect first_of(const struct pane *pane, struct rect area)
{
    struct window *w = window_of(pane);

    return picture_extent(&w->view, w->magnify, view_glyphs(pane), pane->experiment.size, area);
}

/* Finds the place of a second slice beside the first, or below it. */
static void beside_place(struct pane *pane)
{
    struct window *w = window_of(pane);
    struct rect area = view_room(pane->wb), first;

    w->beside.view.columns = 0;
    if (!is_wanted(pane))
        return;
    area.row = area.column = 0;
    first = first_of(pane, area);
    try_place(pane,
              (struct rect){0, first.columns + GAP, area.rows, area.columns - first.columns - GAP});
    try_place(pane, (struct rect){first.rows, 0, area.rows - first.rows, area.columns});
}

struct rect beside_first(const struct pane *pane, struct rect area)
{
    struct window *w = window_of(pane);
    struct rect at = w->beside.at;

    if (w->beside.view.columns == 0)
        return area;
    if (at.row > 0)
        area.rows = at.row;
    else
        area.columns = at.column - GAP;
    return area;
}

/* --- the window ------------------------------------------------------------------------------- */

void view_size(struct pane *pane)
{
    struct window *w = window_of(pane);

    if (w->view.zoom > 1)
        w->magnify = 0;
    picture_size(&w->view, w->magnify, view_glyphs(pane), view_room(pane->wb));
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

void view_clamp(struct pane *pane)
{
    struct window *w = window_of(pane);
    struct ca_view *v = &w->view;
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
    w->cursor.x = clamp(w->cursor.x, 0, width - 1);
    w->cursor.y = clamp(w->cursor.y, 0, height - 1);
}

/* In a split B shows the same window as A. */
static void pane_view_follow(const struct pane *a, struct pane *b)
{
    const struct window *from = window_of(a);
    struct window *to = window_of(b);

    to->view = from->view;
    to->magnify = from->magnify;
    to->fitted = from->fitted;
    beside_place(b);
    session_view(b);
}

void view_changed(struct pane *pane)
{
    struct window *w = window_of(pane);

    if (split_is_open(pane->wb) && pane_index(pane) == 1) {
        pane_view_follow(&pane->wb->panes[0], pane);
        return;
    }
    if (w->fitted)
        picture_fit(&w->view, &w->magnify, view_glyphs(pane), pane->experiment.size,
                    view_room(pane->wb));
    view_clamp(pane);
    beside_place(pane);
    session_view(pane);
    if (split_is_open(pane->wb))
        pane_view_follow(pane, &pane->wb->panes[1]);
    if (w->cursor.on)
        session_cell(pane);
    settings_save_soon(pane->wb);
}

void view_center(struct pane *pane, int64_t x, int64_t y, int64_t z)
{
    struct window *w = window_of(pane);
    struct ca_view *v = &w->view;

    w->fitted = false;
    cursor_put(pane, v->axis == CA_YZ ? y : x, v->axis == CA_XY ? y : z);
    v->slice = v->axis == CA_XY ? z : v->axis == CA_XZ ? y : x;
    v->x = w->cursor.x - v->columns * v->zoom / 2;
    v->y = w->cursor.y - v->lines * ca_view_down(v) / 2;
    view_changed(pane);
}

void view_cells(struct pane *pane)
{
    struct window *w = window_of(pane);

    w->fitted = false;
    if (w->view.zoom > 1 || w->view.tall) {
        w->view.zoom = 1;
        w->magnify = view_glyphs(pane) > GLYPHS_RAMP10 ? 0 : 1;
    }
    view_size(pane);
}

void view_open(struct pane *pane, const struct ca_experiment *e)
{
    struct window *w = window_of(pane);

    w->fitted = ca_initial_view_apply(&e->initial_view, e->model, e->size, &w->view, &w->magnify);
}

void view_give(const struct pane *pane, struct ca_values *opening)
{
    struct window *w = window_of(pane);

    ca_initial_view_take(opening, pane->experiment.size, &w->view, w->magnify, w->fitted,
                         CA_FROM_WORKBENCH);
}

void view_middle(struct pane *pane)
{
    struct ca_view *view = &window_of(pane)->view;
    int64_t width, height, slices;

    ca_view_extent(pane->experiment.size, view->axis, &width, &height, &slices);
    view->slice = slices / 2;
}

void view_reduce(struct pane *pane, enum ca_reduce reduce)
{
    window_of(pane)->view.reduce = reduce;
}

void view_range(struct pane *pane, const double ends[2])
{
    struct ca_view *view = &window_of(pane)->view;

    view->range = ends ? CA_RANGE_FIXED : CA_RANGE_AUTO;
    if (ends) {
        view->low = ends[0];
        view->high = ends[1];
    }
}

/* --- what is drawn ---------------------------------------------------------------------------- */

/* The first field from `field` on, the end of the table included; NULL: there is none. */
static const struct ca_field *drawable(const struct ca_field *field)
{
    return field->name ? field : NULL;
}

const struct ca_field *view_field_of(const struct pane *pane)
{
    struct window *w = window_of(pane);
    const struct ca_field *field = drawable(ca_fields(pane->experiment.model));

    while (field && strcmp(field->name, w->view.field) != 0)
        field = drawable(field + 1);
    return field;
}

bool view_is_through(const struct pane *pane)
{
    struct window *w = window_of(pane);
    const struct ca_field *field = view_field_of(pane);

    return w->view.drawn == CA_FIELD && field && field->through;
}

void view_field_set(struct pane *pane, const char *name)
{
    struct ca_view *view = &window_of(pane)->view;

    snprintf(view->field, sizeof view->field, "%s", name);
}

void view_field(struct pane *pane)
{
    struct window *w = window_of(pane);
    const struct ca_field *first = drawable(ca_fields(pane->experiment.model));

    if (w->view.drawn != CA_FIELD || view_field_of(pane))
        return;
    if (first)
        view_field_set(pane, first->name);
    else
        w->view.drawn = CA_STATE;
}

void view_set_difference(struct workbench *wb, bool difference)
{
    *(bool *)part_state(wb, &view_part) = difference;
}

bool view_difference(const struct workbench *wb) { return *(bool *)part_state(wb, &view_part); }

void view_drawn(struct workbench *wb)
{
    int drawn = (int)setting_number(wb, CA_SETTING_DRAWN);
    bool difference = drawn == CA_SETTING_DIFFERENCE;

    view_set_difference(wb, difference);
    window_of(&wb->panes[0])->view.drawn = difference ? CA_STATE : (enum ca_drawn)drawn;
}

/* --- the request ------------------------------------------------------------------------------ */

void session_view(struct pane *pane)
{
    struct window *w = window_of(pane);

    w->view_due = true;
    pane->wb->dirty = true;
}

/* The view of the second slice: what it draws, and how, is as in the first. */
static json_t *beside_json(const struct pane *pane)
{
    struct window *w = window_of(pane);
    struct ca_view view = w->view;
    json_t *json;

    if (w->beside.view.columns == 0)
        return json_null();
    view.axis = w->beside.view.axis;
    view.slice = w->beside.view.slice;
    view.x = view.y = 0;
    view.zoom = w->beside.view.zoom;
    view.tall = w->beside.view.tall;
    view.columns = w->beside.view.columns;
    view.lines = w->beside.view.lines;
    json = json_object();
    ca_wire_set_view(json, &view);
    return json;
}

/* Its frames say that it is there. */
static void view_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    (void)pending, (void)reply;
    if (refusal)
        message_warn(pane->wb, "%s", refusal->text);
}

static double view_tick(struct pane *pane, double now)
{
    struct window *w = window_of(pane);
    struct ca_view view;
    json_t *body;

    (void)now;
    if (!session_has_run(pane) || !w->view_due || session_waits_for(pane, view_taken))
        return -1;
    body = json_pack("{s:f}", "fps", setting_number(pane->wb, CA_SETTING_FPS));
    view_field(pane);
    view = w->view;
    view.digests = view_difference(pane->wb);
    ca_wire_set_view(body, &view);
    json_object_set_new(body, "beside", beside_json(pane));
    w->view_due = false;
    session_send(pane, "view", body, view_taken);
    return -1;
}

static void view_begin(struct pane *pane)
{
    struct window *w = window_of(pane);

    w->view.zoom = 1;
    w->view.range = CA_RANGE_AUTO;
}

/* The state beside those of panes is whether the difference between A and B is drawn. */
const struct part view_part = {.name = "view",
                               .state_bytes = sizeof(bool),
                               .pane_bytes = sizeof(struct window),
                               .begin_pane = view_begin,
                               .tick_pane = view_tick};
