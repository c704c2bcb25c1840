/* SPDX-License-Identifier: MIT */
/* The part of a lattice that the panes show: its place on the screen, its window, what is drawn. */
#include "tui/workbench/engine/view_inside.h"

#include <stdio.h>
#include <string.h>

#include "core/engine/wire.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"

extern const struct part view_part;

struct window *window_of(const struct pane *pane) { return pane_state(pane, &view_part); }
const struct ca_view *view_of(const struct pane *pane) { return &window_of(pane)->view; }
struct scale view_scale(const struct pane *pane) { return window_of(pane)->scale; }
const struct beside *view_beside(const struct pane *pane) { return &window_of(pane)->beside; }

/* --- the place on the screen ------------------------------------------------------------------ */

static struct layout_slice slice_of(struct ca_size size, enum ca_axis axis)
{
    struct layout_slice slice;
    int64_t slices;

    ca_view_extent(size, axis, &slice.width, &slice.height, &slices);
    return slice;
}

void view_layout(struct workbench *wb)
{
    int rows, columns;
    const struct layout_slice slice =
        slice_of(wb->panes[0].experiment.size, window_of(&wb->panes[0])->view.axis);

    getmaxyx(stdscr, rows, columns);
    if (split_is_shown(wb))
        wb->layout = layout_split(rows, columns, split_lines(wb), slice);
    else
        panels_lay_out(wb, rows, columns, slice);
}

struct rect view_area(const struct workbench *wb, struct rect inner)
{
    return split_is_shown(wb) ? inner : layout_pictures(inner);
}

struct rect view_room(const struct workbench *wb)
{
    return view_area(wb, layout_inner(&wb->layout, PANEL_MAIN));
}

/* Points as small as pixels would show nothing but chance. */
static bool needs_many(const struct pane *pane)
{
    const struct ca_view *view = &window_of(pane)->view;
    const struct ca_field *field;
    struct ca_error ignored;

    return view->drawn == CA_FIELD &&
           ca_field_find(&field, pane->experiment.model, view->field, &ignored) == CA_OK &&
           field->of_many;
}

enum glyphs view_glyphs(const struct pane *pane)
{
    const struct workbench *wb = pane->wb;
    struct window *w = window_of(pane);
    enum glyphs glyphs = picture_glyphs((enum glyphs)setting_number(wb, CA_SETTING_GLYPHS),
                                        &wb->palette, pane->experiment.model, w->view.drawn);

    if (glyphs != GLYPHS_PIXEL)
        return glyphs;
    if (view_difference(wb) /* its marks are characters */ || needs_many(pane))
        return GLYPHS_HALF;
    return picture_pixels(pixels_coarse(wb->palette.pixels), view_room(wb));
}

bool view_has_projection(const struct pane *pane)
{
    return pane->experiment.model->dimensions == 3 && window_of(pane)->view.drawn != CA_CHANGE &&
           !view_difference(pane->wb);
}

/* --- the second slice ------------------------------------------------------------------------- */

/* The columns of a cell in the largest picture of the first slice whose cells are all alike. */
static double whole_scale(const struct pane *pane, struct rect area)
{
    struct ca_view view = window_of(pane)->view;
    struct scale scale;
    struct raster r;

    picture_fit(&view, &scale, view_glyphs(pane), pane->experiment.size, area);
    r = raster_of(view_glyphs(pane), scale.magnify);
    return (double)r.wide / r.across / (double)view.zoom;
}

/* The second shows what the setting says, but a slice where the first is a projection, and where
 * nothing else goes: through the cursor, and of changes. */
static enum ca_view_projection beside_projection(const struct pane *pane)
{
    const struct window *w = window_of(pane);

    return w->cursor.on || w->view.projection || !view_has_projection(pane)
               ? CA_VIEW_SLICE
               : (enum ca_view_projection)(setting_number(pane->wb, CA_SETTING_BESIDE) - 1);
}

static int64_t slices_across(struct ca_size size, enum ca_axis axis)
{
    int64_t width, height, slices;

    ca_view_extent(size, axis, &width, &height, &slices);
    return slices;
}

/* Finds the place of a second slice beside the first, or below it, if there is to be one. */
static void beside_place(struct pane *pane)
{
    struct window *w = window_of(pane);
    struct ca_view *view = &w->beside.view;
    const struct ca_size size = pane->experiment.size;
    int64_t cell[3] = {size.w / 2, size.h / 2, size.d / 2};
    struct rect area = view_room(pane->wb), at[2];

    *view = (struct ca_view){.axis = w->view.axis == CA_XY ? CA_XZ : CA_XY};
    if (pane->experiment.model->dimensions < 3 || !w->fitted || split_is_open(pane->wb) ||
        setting_number(pane->wb, CA_SETTING_BESIDE) == 0)
        return;
    area.row = area.column = 0;
    if (!layout_two(area, slice_of(size, w->view.axis), slice_of(size, view->axis),
                    whole_scale(pane, area), at))
        return;
    if (w->cursor.on)
        cursor_cell(pane, cell);
    view->slice = view->axis == CA_XY ? cell[2] : cell[1];
    if (!w->cursor.on && w->beside_slice >= 0 && w->beside_slice < slices_across(size, view->axis))
        view->slice = w->beside_slice;
    view->projection = beside_projection(pane);
    w->beside.at = at[1];
    at[1].rows--; /* its caption */
    picture_fit(view, &w->beside.scale, view_glyphs(pane), size, at[1]);
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
        area.columns = at.column - LAYOUT_GAP;
    return area;
}

/* --- the window ------------------------------------------------------------------------------- */

void view_size(struct pane *pane)
{
    struct window *w = window_of(pane);

    if (w->view.width > 0) /* a picture of the whole slice has its size */
        return;
    if (w->view.zoom > 1)
        w->scale.magnify = 0;
    picture_size(&w->view, w->scale.magnify, view_glyphs(pane), view_room(pane->wb));
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

void view_choose(struct window *w)
{
    w->fitted = false;
    picture_unshare(&w->view, &w->scale);
}

void view_clamp(struct pane *pane)
{
    struct window *w = window_of(pane);
    struct ca_view *v = &w->view;
    int64_t width, height, slices, down;

    if (!view_has_projection(pane))
        v->projection = CA_VIEW_SLICE;
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
    to->scale = from->scale;
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
    if (pane->experiment.model->dimensions == 2 || w->view.axis > CA_YZ)
        w->view.axis = CA_XY;
    view_layout(pane->wb); /* another axis or lattice has another one */
    beside_place(pane);
    if (w->fitted)
        picture_fit(&w->view, &w->scale, view_glyphs(pane), pane->experiment.size,
                    beside_first(pane, view_room(pane->wb)));
    else
        view_choose(w);
    view_clamp(pane);
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

    w->chosen = true;
    v->projection = CA_VIEW_SLICE;
    cursor_put(pane, v->axis == CA_YZ ? y : x, v->axis == CA_XY ? y : z);
    v->slice = v->axis == CA_XY ? z : v->axis == CA_XZ ? y : x;
    if (!w->fitted) { /* which has all cells */
        v->x = w->cursor.x - v->columns * v->zoom / 2;
        v->y = w->cursor.y - v->lines * ca_view_down(v) / 2;
    }
    view_changed(pane);
}

void view_cells(struct pane *pane)
{
    struct window *w = window_of(pane);

    view_choose(w);
    if (w->view.zoom > 1 || w->view.tall) {
        w->view.zoom = 1;
        w->scale.magnify = picture_magnify(view_glyphs(pane));
    }
    view_size(pane);
}

void view_middle(struct pane *pane)
{
    struct ca_view *view = &window_of(pane)->view;
    int64_t width, height, slices;

    ca_view_extent(pane->experiment.size, view->axis, &width, &height, &slices);
    view->slice = slices / 2;
    window_of(pane)->chosen = false;
}

void view_reduce(struct pane *pane, enum ca_reduce reduce)
{
    window_of(pane)->view.reduce = reduce;
}

static void range_take(struct window *w, const struct ca_view *range)
{
    w->view.range = range->range;
    w->view.low = range->low;
    w->view.high = range->high;
    w->ranged = w->view;
}

void view_range(struct pane *pane, const struct ca_view *range)
{
    view_field(pane);
    range_take(window_of(pane), range);
    view_changed(pane);
}

/* A range is of one quantity, and has its unit. */
static void range_check(struct window *w)
{
    const struct ca_view *view = &w->view, *ranged = &w->ranged;

    if (view->drawn != ranged->drawn || view->projection != ranged->projection ||
        (view->drawn == CA_FIELD && strcmp(view->field, ranged->field) != 0))
        w->view.range = CA_RANGE_AUTO;
}

/* --- what is drawn ---------------------------------------------------------------------------- */

const struct ca_field *view_field_of(const struct pane *pane)
{
    for (const struct ca_field *f = ca_fields(pane->experiment.model); f->name; f++)
        if (strcmp(f->name, window_of(pane)->view.field) == 0)
            return f;
    return NULL;
}

void view_field(struct pane *pane)
{
    struct window *w = window_of(pane);
    const struct ca_field *first = ca_fields(pane->experiment.model);

    if (w->view.drawn != CA_FIELD || view_field_of(pane))
        return;
    if (first->name)
        view_field_set(pane, first->name);
    else
        w->view.drawn = CA_STATE;
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

/* The fullest slice has been found; meanwhile the user may have chosen another. */
static void fullest_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    struct window *w = window_of(pane);
    const json_t *slice = json_object_get(json, "slice");

    (void)pending;
    if (w->chosen || !json_is_integer(slice))
        return;
    w->view.slice = json_integer_value(slice);
    view_changed(pane);
}

/* The same of the second slice, once there is one. */
static void beside_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    const json_t *slice = json_object_get(json, "slice");

    (void)pending;
    if (!json_is_integer(slice))
        return;
    window_of(pane)->beside_slice = json_integer_value(slice);
    view_changed(pane);
}

static void beside_seek(struct pane *pane)
{
    struct window *w = window_of(pane);

    if (w->beside_sought || w->beside.view.columns == 0 || w->beside.view.projection)
        return;
    w->beside_sought = true;
    session_try(pane, "slice", json_pack("{s:s}", "axis", ca_axis_names[w->beside.view.axis]), NULL,
                0, beside_taken);
}

void view_seek(struct pane *pane)
{
    struct window *w = window_of(pane);

    w->beside_sought = false;
    w->beside_slice = -1;
    if (!w->chosen && pane->experiment.model->dimensions == 3 && pane_index(pane) == 0)
        session_try(pane, "slice", json_pack("{s:s}", "axis", ca_axis_names[w->view.axis]), NULL, 0,
                    fullest_taken);
}

static void view_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    (void)pane, (void)pending, (void)json;
}

static double view_tick(struct pane *pane, double now)
{
    struct window *w = window_of(pane);
    struct ca_view view;
    json_t *body, *beside = json_null();

    (void)now;
    if (!session_has_run(pane) || !w->view_due || session_waits_for(pane, view_taken))
        return -1;
    beside_seek(pane);
    if (session_waits_for(pane, fullest_taken) || session_waits_for(pane, beside_taken))
        return -1;
    body = json_pack("{s:f}", "fps", setting_number(pane->wb, CA_SETTING_FPS));
    view_field(pane);
    range_check(w);
    view = w->view;
    view.digests = view_difference(pane->wb);
    ca_wire_set_view(body, &view);
    if (w->beside.view.columns > 0) { /* what a second slice draws, and how, is as in the first */
        view.digests = w->view.digests;
        view.axis = w->beside.view.axis;
        view.projection = w->beside.view.projection;
        view.slice = w->beside.view.slice;
        view.x = view.y = 0;
        view.zoom = w->beside.view.zoom;
        view.width = w->beside.view.width;
        view.height = w->beside.view.height;
        view.tall = w->beside.view.tall;
        view.columns = w->beside.view.columns;
        view.lines = w->beside.view.lines;
        beside = json_object();
        ca_wire_set_view(beside, &view);
    }
    json_object_set_new(body, "beside", beside);
    w->view_due = false;
    session_send(pane, "view", body, view_taken);
    return -1;
}

static void view_begin(struct pane *pane)
{
    struct window *w = window_of(pane);

    w->view.zoom = 1;
    w->view.range = CA_RANGE_AUTO;
    w->beside_slice = -1;
}

/* The state beside those of panes is whether the difference between A and B is drawn. */
const struct part view_part = {.name = "view",
                               .state_bytes = sizeof(bool),
                               .pane_bytes = sizeof(struct window),
                               .begin_pane = view_begin,
                               .tick_pane = view_tick};

/* --- the initial view ------------------------------------------------------------------------- */

/* A variable CALAB_SPEED or CALAB_DRAWN goes before what an experiment or a model has. */
static bool is_given(const struct workbench *wb, enum ca_setting setting)
{
    return ca_settings_values(wb->settings)->value[setting].origin == CA_FROM_ENVIRONMENT;
}

void view_open(struct pane *pane, const struct ca_experiment *e)
{
    struct window *w = window_of(pane);

    w->fitted =
        ca_initial_view_apply(&e->initial_view, e->model, e->size, &w->view, &w->scale.magnify);
    w->chosen = ca_initial_view_has_slice(&e->initial_view, e->size, &w->view);
}

static void take_row(struct workbench *wb, enum ca_setting setting, const char *text,
                     enum ca_origin origin)
{
    struct ca_error ignored; /* both tables allow the same */

    ca_settings_set(wb->settings, setting, text, origin, &ignored);
}

void initial_view_take(struct pane *pane, const struct ca_experiment *e)
{
    const struct ca_value *row = e->initial_view.value, *drawn = &row[CA_INITIAL_DRAWN];
    bool word = false; /* what is drawn is none of the model's fields */
    struct workbench *wb = pane->wb;
    struct ca_view range = {.range = CA_RANGE_AUTO};
    struct ca_error ignored;
    char text[CA_TEXT_MAX];

    view_open(pane, e);
    if (!is_given(wb, CA_SETTING_SPEED))
        take_row(
            wb, CA_SETTING_SPEED,
            ca_value_format(text, &ca_initial_view_table[CA_INITIAL_PACE], &row[CA_INITIAL_PACE]),
            row[CA_INITIAL_PACE].origin);
    if (!is_given(wb, CA_SETTING_DRAWN)) {
        for (int i = 0; i < CA_FIELD; i++)
            word |= strcmp(drawn->text, ca_drawn_names[i]) == 0;
        view_field_set(pane, word ? "" : drawn->text);
        take_row(wb, CA_SETTING_DRAWN, word ? drawn->text : ca_drawn_names[CA_FIELD],
                 drawn->origin);
    }
    view_drawn(wb);
    if (ca_range_parse(&range, row[CA_INITIAL_RANGE].text, &ignored) == CA_OK)
        range_take(window_of(pane), &range);
    speed_set(wb, setting_number(wb, CA_SETTING_SPEED));
}

void initial_view_print(struct pane *pane)
{
    char text[CA_TEXT_MAX];

    snprintf(text, sizeof text, "%s",
             pane->experiment.initial_view.value[CA_INITIAL_LOOK_FOR].text);
    if (text[0])
        message_show(pane->wb, "look for: %s", ca_plain(text));
}

void initial_view_give(const struct pane *pane, struct ca_values *initial_view)
{
    const struct workbench *wb = pane->wb;
    const struct window *w = window_of(pane);
    const struct ca_value *speed = &ca_settings_values(wb->settings)->value[CA_SETTING_SPEED];
    const struct ca_value *drawn = &ca_settings_values(wb->settings)->value[CA_SETTING_DRAWN];
    const char *name = drawn->number == CA_FIELD ? w->view.field : drawn->text;
    struct ca_error ignored;
    char text[CA_TEXT_MAX];

    *initial_view = pane->experiment.initial_view;
    ca_initial_view_take(initial_view, &w->view, w->scale.magnify, w->fitted,
                         w->chosen && pane->experiment.model->dimensions == 3, CA_FROM_WORKBENCH);
    if (!is_given(wb, CA_SETTING_SPEED))
        initial_view->value[CA_INITIAL_PACE] = *speed;
    /* A difference is between two backends, which another run need not have. */
    if (!is_given(wb, CA_SETTING_DRAWN) && drawn->number != CA_SETTING_DIFFERENCE && name[0])
        ca_values_set(initial_view, CA_INITIAL_DRAWN, name, drawn->origin, NULL, &ignored);
    initial_view->value[CA_INITIAL_RANGE] = (struct ca_value){.text = "auto"};
    if (w->view.range == CA_RANGE_FIXED)
        ca_values_set(initial_view, CA_INITIAL_RANGE, ca_range_format(text, sizeof text, &w->view),
                      CA_FROM_WORKBENCH, NULL, &ignored);
}

void workbench_remember(struct pane *pane)
{
    static struct ca_saved_view saved;

    if (!pane->opened || pane_is_of_lab(pane))
        return;
    ca_settings_set_model(pane->wb->settings, pane->experiment.model);
    if (pane->keep_saved_state)
        return;
    saved.experiment = pane->experiment;
    if (!session_is_opening(pane)) /* else the view is already that of the run that comes */
        initial_view_give(pane, &saved.experiment.initial_view);
    ca_settings_remember(pane->wb->settings, &saved);
}
