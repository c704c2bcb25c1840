/* SPDX-License-Identifier: MIT */
/* The lattice panel shows glyphs and colours of the last frame, its title, the cursor. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/sim/projection.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/panels/panels.h"
#include "tui/workbench/terminal/legend.h"

struct picture lattice_picture(const struct pane *pane)
{
    return picture_of(&frame_of(pane)->picture, pane->experiment.model, pane->experiment.size,
                      view_glyphs(pane), view_scale(pane));
}

static void lattice_cursor(const struct pane *pane, const struct picture *picture, struct rect area,
                           int64_t x, int64_t y)
{
    const struct ca_view *view = &picture->frame->view;
    struct rect at = {0};

    if (cursor_is_on(pane) && x >= view->x && y >= view->y)
        at = picture_point(picture, area, ca_view_column_of(view, x), ca_view_line_of(view, y));
    if (at.rows == 0)
        return;
    style_set(&pane->wb->palette, STYLE_STRONG);
    if (at.column > area.column)
        mvaddch(at.row, at.column - 1, '[');
    if (at.column + at.columns < area.column + area.columns)
        mvaddch(at.row, at.column + at.columns, ']');
    if (glyphs_are_pixels(picture->glyphs))
        picture_invert(picture, &pane->wb->palette, ca_view_column_of(view, x),
                       ca_view_line_of(view, y));
    for (int row = 0; row < at.rows && !glyphs_are_pixels(picture->glyphs); row++)
        mvchgat(at.row + row, at.column, at.columns, A_REVERSE, 0, NULL);
}

/* --- the difference between two panes --------------------------------------------------------- */

static bool same_place(const struct frame *a, const struct frame *b)
{
    return a->known && b->known && a->picture.digest && b->picture.digest &&
           a->picture.generation == b->picture.generation &&
           ca_view_same_cells(&a->picture.view, &b->picture.view);
}

/* Whether the cells that a point of both frames stands for differ. */
static bool differs(const struct workbench *wb, size_t at)
{
    return memcmp(frame_of(&wb->panes[0])->picture.digest + at * CA_VIEW_DIGEST,
                  frame_of(&wb->panes[1])->picture.digest + at * CA_VIEW_DIGEST,
                  CA_VIEW_DIGEST) != 0;
}

/* In a split: the state, with marks. In a single pane: X where it differs from a hidden one. */
static void differences_draw(const struct workbench *wb, const struct picture *picture,
                             struct rect area)
{
    const struct frame *a = frame_of(&wb->panes[0]), *b = frame_of(&wb->panes[1]);
    const struct ca_view *v = &a->picture.view;

    if (!split_is_open(wb) || !view_difference(wb) || !same_place(a, b))
        return;
    /* The marks last, since a character may have several points. */
    for (int other = 0; other < 2; other++)
        for (int line = 0; line < v->lines; line++)
            for (int column = 0; column < v->columns; column++) {
                size_t i = (size_t)line * (size_t)v->columns + (size_t)column;
                struct rect at = picture_point(picture, area, column, line);

                if (a->picture.code[i] == CA_VIEW_OUTSIDE || differs(wb, i) != other ||
                    (!other && split_is_shown(wb)))
                    continue;
                style_set(&wb->palette, other ? STYLE_ALARM : STYLE_QUIET);
                for (int row = 0; row < at.rows; row++)
                    mvhline(at.row + row, at.column, other ? 'X' : '.', at.columns);
            }
}

/* "13-14" of n and n + 1 cells a character, "12" where all have as many. */
static void cells_a_character(double cells, char *text, size_t size)
{
    int64_t least = (int64_t)cells;

    ca_text_add(text, size, (double)least < cells ? "%lld-%lld" : "%lld", (long long)least,
                (long long)least + 1);
}

/* The cells of a character across and down or, where cells are larger, the characters of a cell.
 * Returns which. In pixels cells may be larger than dots, and smaller than characters. */
static const char *lattice_scale(const struct pane *pane, const struct ca_view *view,
                                 struct scale scale, char *text, size_t size)
{
    struct raster r = raster_of(view_glyphs(pane), scale.magnify);
    double across =
        scale.across > 0 ? (double)view->width / scale.across : (double)view->zoom / r.wide;
    double down =
        scale.down > 0 ? (double)view->height / scale.down : (double)ca_view_down(view) / r.high;

    text[0] = 0;
    if (view->width > 0 ? across < 1 || down < 1 : scale.magnify > 0) {
        double columns = across * r.across, lines = down * r.down;
        bool many = columns >= 1 && lines >= 1;

        snprintf(text, size, "%.3gx%.3g", many ? columns : 1 / columns, many ? lines : 1 / lines);
        return many ? " a char" : " a cell";
    }
    cells_a_character(across * r.across, text, size);
    ca_text_add(text, size, "x");
    cells_a_character(down * r.down, text, size);
    return " a char";
}

static void lattice_slice(const struct pane *pane, const struct ca_view *view, char *text,
                          size_t size)
{
    const char *axis = ca_axis_names[view->axis];
    char across = view->axis == CA_XY ? 'z' : view->axis == CA_XZ ? 'y' : 'x';
    int64_t width, height, slices;

    snprintf(text, size, "%c%c", toupper(axis[0]), toupper(axis[1]));
    ca_view_extent(pane->experiment.size, view->axis, &width, &height, &slices);
    if (view->projection)
        ca_text_add(text, size, " %s", ca_view_projection_names[view->projection]);
    if (view->projection && ca_view_nearest(pane->experiment.model, view, slices) > 0)
        ca_text_add(text, size, " %c=%lld-0", across, (long long)slices - 1);
    else if (view->projection || (pane->experiment.model->dimensions == 3 && view_is_through(pane)))
        ca_text_add(text, size, " %c=0-%lld", across, (long long)slices - 1);
    else if (pane->experiment.model->dimensions == 3)
        ca_text_add(text, size, " %c=%lld/%lld", across, (long long)view->slice,
                    (long long)slices - 1);
}

/* --- the second slice ------------------------------------------------------------------------- */

static void beside_draw(const struct pane *pane, struct rect area)
{
    const struct beside *beside = view_beside(pane);
    const struct ca_view *view = &beside->view;
    struct rect at = beside->at;
    char slice[64], scale[48];
    struct picture picture;
    int64_t cell[3];

    if (view->columns == 0)
        return;
    at.row += area.row;
    at.column += area.column;
    lattice_slice(pane, view, slice, sizeof slice);
    lattice_scale(pane, view, beside->scale, scale, sizeof scale);
    putf(&pane->wb->palette, at.row, at.column, at.columns, STYLE_QUIET, "%s %s", slice, scale);
    if (frame_of(pane)->beside.view.columns == 0)
        return;
    at.row++;
    at.rows--;
    picture = picture_of(&frame_of(pane)->beside, pane->experiment.model, pane->experiment.size,
                         view_glyphs(pane), beside->scale);
    picture_draw(&picture, &pane->wb->palette, at);
    cursor_cell(pane, cell);
    lattice_cursor(pane, &picture, at, view->axis == CA_YZ ? cell[1] : cell[0],
                   view->axis == CA_XY ? cell[1] : cell[2]);
}

/* --- the panel -------------------------------------------------------------------------------- */

void lattice_draw(struct pane *pane, struct rect inner)
{
    struct rect area = view_area(pane->wb, inner), first = beside_first(pane, area);
    struct picture picture;
    int64_t at[2];

    if (!frame_of(pane)->known) {
        put(&pane->wb->palette, inner.row + inner.rows / 2, inner.column + 1, inner.columns - 1,
            STYLE_PLAIN,
            session_has_run(pane)  ? "..."
            : session_client(pane) ? "starting"
                                   : "no engine");
        return;
    }
    picture = lattice_picture(pane);
    picture_draw(&picture, &pane->wb->palette, first);
    differences_draw(pane->wb, &picture, first);
    cursor_at(pane, at);
    lattice_cursor(pane, &picture, first, at[0], at[1]);
    beside_draw(pane, area);
    if (area.rows < inner.rows)
        legend_draw(&picture, &pane->wb->palette,
                    (struct rect){area.row + area.rows, area.column, 1, area.columns});
}

void lattice_heading(const struct pane *pane, char *text, int size)
{
    const struct ca_view *v = view_of(pane);
    char slice[64], of[16] = "", how[16] = "", drawn[40] = "", place[64], scale[48];
    char unit[sizeof " a char"];
    /* The width between the corners and brackets, after the name of the panel. */
    int width = panel_rect(pane->wb, &lattice_panel).columns - 6 - (int)strlen("1 lattice ");
    /* If the title is too long, these parts are left out in this order, the least useful first. */
    char *parts[] = {frame_of(pane)->picture.sampled ? unit : of, unit, place, drawn, NULL};

    lattice_slice(pane, v, slice, sizeof slice);
    if (ca_view_is_of_many(v))
        snprintf(how, sizeof how, " %s",
                 v->drawn == CA_FIELD ? "mean" : ca_reduce_names[v->reduce]);
    strcpy(unit, lattice_scale(pane, v, view_scale(pane), scale, sizeof scale));
    if (ca_view_is_of_many(v) && (v->drawn == CA_FIELD || v->reduce != CA_SAMPLE))
        snprintf(of, sizeof of, frame_of(pane)->picture.sampled ? " of samples" : " of all");
    if (view_difference(pane->wb) || v->drawn != CA_STATE)
        snprintf(drawn, sizeof drawn, " %s",
                 view_difference(pane->wb) ? "difference"
                 : v->drawn == CA_FIELD    ? v->field
                                           : ca_drawn_names[v->drawn]);
    snprintf(place, sizeof place, " %lld,%lld", (long long)v->x, (long long)v->y);
    for (char **part = parts;; part++) {
        int length = snprintf(text, (size_t)size, "%s %s%s%s%s%s%s", slice, scale, unit, how, of,
                              drawn, place);

        if (length <= width || !*part)
            break;
        (*part)[0] = 0;
    }
}

void lattice_footer(const struct pane *pane, char *text, int size)
{
    char headline[96];

    text[0] = 0;
    if (cursor_is_on(pane))
        snprintf(text, (size_t)size, "cell %s", cursor_text(pane));
    else if (split_is_open(pane->wb)) /* B is hidden */
        snprintf(text, (size_t)size, "%s: %s", pane->wb->panes[1].experiment.backend->name,
                 compare_headline(pane->wb, headline));
}

static void lattice_wheel(struct workbench *wb, int by)
{
    if (frame_of(wb->pane)->known)
        parts_perform(wb, by < 0 ? REQUEST_DOUBLE : REQUEST_HALVE);
}

const struct part lattice_panel = {
    .name = "lattice",
    .scene = SCENE_LATTICE,
    .place = {.at = PLACE_MAIN, .always = true, .least = 6, .grows = 5},
    .draw = lattice_draw,
    .wheel = lattice_wheel,
    .heading = lattice_heading,
    .footer = lattice_footer};
