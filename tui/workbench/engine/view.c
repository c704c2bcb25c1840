/* SPDX-License-Identifier: MIT */
/* The part of a lattice that the panes show: its place on the screen, its window, what is drawn. */
#include "tui/workbench/engine/view.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/picture.h"

#define LEGEND_ROWS 6  /* of a panel's inside, from which on its last one is the legend */
#define GAP 2          /* columns between the two */
#define COLUMNS_MIN 12 /* of the second */
#define ROWS_MIN 5     /* its caption among them */

/* --- the place on the screen ------------------------------------------------------------------ */

void view_layout(struct workbench *wb)
{
    getmaxyx(stdscr, wb->rows, wb->columns);
    if (split_is_shown(wb)) {
        wb->layout = layout_split(wb->rows, wb->columns, split_lines(wb));
        return;
    }
    if (wb->panels_auto)
        layout_wants(wb->rows, wb->columns, wb->wanted);
    wb->layout = layout_make(wb->rows, wb->columns, wb->wanted, wb->full ? (int)wb->focus : -1);
}

struct rect view_area(const struct workbench *wb, struct rect inner)
{
    if (inner.rows >= LEGEND_ROWS && !split_is_shown(wb))
        inner.rows--;
    return inner;
}

struct rect view_room(const struct workbench *wb)
{
    return view_area(wb, layout_inner(&wb->layout, PANEL_LATTICE));
}

enum glyphs view_glyphs(const struct pane *pane)
{
    return picture_glyphs((enum glyphs)setting_number(pane->wb, CA_SETTING_GLYPHS),
                          &pane->wb->palette, pane->experiment.model, pane->view.drawn);
}

/* --- the second slice ------------------------------------------------------------------------- */

void cursor_cell(const struct pane *pane, int64_t cell[3])
{
    const struct ca_view *v = &pane->view;

    cell[0] = v->axis == CA_YZ ? v->slice : pane->cursor.x;
    cell[1] = v->axis == CA_XY ? pane->cursor.y : v->axis == CA_XZ ? v->slice : pane->cursor.x;
    cell[2] = v->axis == CA_XY ? v->slice : pane->cursor.y;
}

static bool is_wanted(const struct pane *pane)
{
    const struct workbench *wb = pane->wb;

    return pane->experiment.model->dimensions == 3 && pane->fitted && !split_is_open(wb) &&
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
    struct ca_view view = {.axis = pane->view.axis == CA_XY ? CA_XZ : CA_XY};
    const struct ca_size size = pane->experiment.size;
    int64_t cell[3] = {size.w / 2, size.h / 2, size.d / 2};
    int magnify;

    if (at.columns < COLUMNS_MIN || at.rows < ROWS_MIN)
        return;
    if (pane->cursor.on)
        cursor_cell(pane, cell);
    view.slice = view.axis == CA_XY ? cell[2] : cell[1];
    picture_fit(&view, &magnify, view_glyphs(pane), size,
                (struct rect){at.row + 1, at.column, at.rows - 1, at.columns});
    if (pane->beside.view.columns > 0 &&
        coarseness(&pane->beside.view, pane->beside.magnify) <= coarseness(&view, magnify))
        return;
    pane->beside.view = view;
    pane->beside.magnify = magnify;
    pane->beside.at = at;
}

static struct rect first_of(const struct pane *pane, struct rect area)
{
    return picture_extent(&pane->view, pane->magnify, view_glyphs(pane), pane->experiment.size,
                          area);
}

/* Finds the place of a second slice beside the first, or below it. */
static void beside_place(struct pane *pane)
{
    struct rect area = view_room(pane->wb), first;

    pane->beside.view.columns = 0;
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
    struct rect at = pane->beside.at;

    if (pane->beside.view.columns == 0)
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
    if (pane->view.zoom > 1)
        pane->magnify = 0;
    picture_size(&pane->view, pane->magnify, view_glyphs(pane), view_room(pane->wb));
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

void view_clamp(struct pane *pane)
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
static void pane_view_follow(const struct pane *a, struct pane *b)
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
        pane_view_follow(&pane->wb->panes[0], pane);
        return;
    }
    if (pane->fitted)
        picture_fit(&pane->view, &pane->magnify, view_glyphs(pane), pane->experiment.size,
                    view_room(pane->wb));
    view_clamp(pane);
    beside_place(pane);
    session_view(pane);
    if (split_is_open(pane->wb))
        pane_view_follow(pane, &pane->wb->panes[1]);
    if (pane->cursor.on)
        session_cell(pane);
    settings_save_soon(pane->wb);
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

void view_cells(struct pane *pane)
{
    pane->fitted = false;
    if (pane->view.zoom > 1 || pane->view.tall) {
        pane->view.zoom = 1;
        pane->magnify = view_glyphs(pane) > GLYPHS_RAMP10 ? 0 : 1;
    }
    view_size(pane);
}

void cursor_hide(struct pane *pane)
{
    bool was = pane->cursor.on;

    pane->cursor.on = pane->cursor.edits = false;
    pane->wb->dirty = true;
    if (was) /* a second slice went through it */
        view_changed(pane);
}

/* --- what is drawn ---------------------------------------------------------------------------- */

/* The first field from `field` on, the end of the table included; NULL: there is none. */
static const struct ca_field *drawable(const struct ca_field *field)
{
    return field->name ? field : NULL;
}

const struct ca_field *view_field_of(const struct pane *pane)
{
    const struct ca_field *field = drawable(ca_fields(pane->experiment.model));

    while (field && strcmp(field->name, pane->view.field) != 0)
        field = drawable(field + 1);
    return field;
}

bool view_is_through(const struct pane *pane)
{
    const struct ca_field *field = view_field_of(pane);

    return pane->view.drawn == CA_FIELD && field && field->through;
}

const struct ca_field *view_field_after(const struct pane *pane)
{
    const struct ca_field *field = pane->view.drawn == CA_FIELD ? view_field_of(pane) : NULL;

    return field ? drawable(field + 1) : NULL;
}

void view_field_set(struct pane *pane, const struct ca_field *field)
{
    snprintf(pane->view.field, sizeof pane->view.field, "%s", field->name);
}

void view_field(struct pane *pane)
{
    const struct ca_field *first = drawable(ca_fields(pane->experiment.model));

    if (pane->view.drawn != CA_FIELD || view_field_of(pane))
        return;
    if (first)
        view_field_set(pane, first);
    else
        pane->view.drawn = CA_STATE;
}

void view_drawn(struct workbench *wb)
{
    int drawn = (int)setting_number(wb, CA_SETTING_DRAWN);

    wb->difference = drawn == CA_SETTING_DIFFERENCE;
    wb->panes[0].view.drawn = wb->difference ? CA_STATE : (enum ca_drawn)drawn;
}
