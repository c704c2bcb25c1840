/* SPDX-License-Identifier: MIT */
/*
 * Owns the second slice of a three-dimensional lattice, which stands beside the first, or below it,
 * where the whole of the first leaves room. It is of another axis and goes through the cursor or,
 * without one, through the middle. What is drawn, and its range, are those of the first.
 */
#include "tui/workbench/app.h"

#define GAP 2          /* columns between the two */
#define COLUMNS_MIN 12 /* of the second */
#define ROWS_MIN 5     /* its caption among them */

/* Where a slice of this axis has a cell of the lattice. */
static void point_of(enum ca_axis axis, const int64_t cell[3], int64_t *x, int64_t *y)
{
    *x = axis == CA_YZ ? cell[1] : cell[0];
    *y = axis == CA_XY ? cell[1] : cell[2];
}

static bool is_wanted(const struct pane *pane)
{
    const struct workbench *wb = pane->wb;

    return pane->experiment.model->dimensions == 3 && pane->fitted && !split_is_open(wb) &&
           setting_on(wb, CA_SETTING_BESIDE);
}

/* Of two ways to fit a slice the smaller is the better one: cells a point, or less than one. */
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
    picture_fit(&view, &magnify, lattice_glyphs(pane), size,
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
    return picture_extent(&pane->view, pane->magnify, lattice_glyphs(pane), pane->experiment.size,
                          area);
}

void beside_place(struct pane *pane)
{
    struct rect area = lattice_room(pane->wb), first;

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

void beside_draw(const struct pane *pane, struct rect area)
{
    const struct ca_view *view = &pane->beside.view;
    struct rect at = pane->beside.at;
    char slice[64], scale[48];
    struct picture picture;
    int64_t cell[3], x, y;

    if (view->columns == 0)
        return;
    at.row += area.row;
    at.column += area.column;
    lattice_slice(pane, view, slice, sizeof slice);
    lattice_scale(pane, view, pane->beside.magnify, scale, sizeof scale);
    putf(&pane->wb->palette, at.row, at.column, at.columns, STYLE_QUIET, "%s %s", slice, scale);
    if (pane->frame.beside.view.columns == 0)
        return;
    at.row++;
    at.rows--;
    picture = picture_of(&pane->frame.beside, pane->experiment.model, pane->experiment.size,
                         lattice_glyphs(pane), pane->beside.magnify);
    picture_draw(&picture, &pane->wb->palette, at);
    cursor_cell(pane, cell);
    point_of(view->axis, cell, &x, &y);
    lattice_cursor(pane, &picture, view, at, x, y);
}
