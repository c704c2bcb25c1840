/* SPDX-License-Identifier: MIT */
/* Owns the lattice panel: glyphs and colours of the last frame, its title, the cursor. */
#include "tui/workbench/app.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/sim/frame_text.h"

static void put_run(const struct palette *palette, int row, int column, const char *text, int n,
                    enum style style)
{
    style_set(palette, style);
    mvaddnstr(row, column, text, n);
}

/* A blank looks the same in every colour, so that it continues the present run. */
static void frame_line(const struct pane *pane, struct rect inner, int line, int columns,
                       enum ca_glyphs glyphs)
{
    enum ca_colour colour[CA_VIEW_SIDE_MAX], current;
    char text[CA_VIEW_SIDE_MAX];
    int first = 0;

    ca_frame_line(&pane->frame.picture, pane->experiment.model, glyphs, line, columns, text,
                  colour);
    for (int i = 1; i < columns; i++) {
        current = colour[first];
        if (colour[i] == current || text[i] == ' ')
            continue;
        put_run(&pane->wb->palette, inner.row + line, inner.column + first, text + first, i - first,
                (enum style)current);
        first = i;
    }
    if (columns > first)
        put_run(&pane->wb->palette, inner.row + line, inner.column + first, text + first,
                columns - first, (enum style)colour[first]);
}

static void cursor_draw(const struct pane *pane, struct rect inner)
{
    int64_t column = (pane->cursor.x - pane->view.x) / pane->view.zoom;
    int64_t line = (pane->cursor.y - pane->view.y) / pane->view.zoom;
    int row, at;

    if (!pane->cursor.on || column < 0 || line < 0 || column >= inner.columns || line >= inner.rows)
        return;
    row = inner.row + (int)line;
    at = inner.column + (int)column;
    style_set(&pane->wb->palette, STYLE_STRONG);
    if (column > 0)
        mvaddch(row, at - 1, '[');
    if (column + 1 < inner.columns)
        mvaddch(row, at + 1, ']');
    mvchgat(row, at, 1, A_REVERSE, 0, NULL);
}

/* --- the difference between two panes --------------------------------------------------------- */

static bool same_place(const struct frame *a, const struct frame *b)
{
    const struct ca_view *v = &a->picture.view, *w = &b->picture.view;

    return a->known && b->known && a->picture.digest && b->picture.digest &&
           a->picture.generation == b->picture.generation && v->axis == w->axis &&
           v->slice == w->slice && v->x == w->x && v->y == w->y && v->zoom == w->zoom &&
           v->columns == w->columns && v->lines == w->lines;
}

/* Whether the cells that a character of both frames stands for differ. */
static bool differs(const struct workbench *wb, size_t at)
{
    return memcmp(wb->panes[0].frame.picture.digest + at * CA_VIEW_DIGEST,
                  wb->panes[1].frame.picture.digest + at * CA_VIEW_DIGEST, CA_VIEW_DIGEST) != 0;
}

/* In a split: the state, with marks. In a single pane: X where it differs from a hidden one. */
static void differences_draw(const struct workbench *wb, struct rect inner)
{
    const struct frame *a = &wb->panes[0].frame, *b = &wb->panes[1].frame;
    const struct ca_view *v = &a->picture.view;

    if (!split_is_open(wb) || !wb->difference || !same_place(a, b))
        return;
    for (int line = 0; line < v->lines && line < inner.rows; line++)
        for (int column = 0; column < v->columns && column < inner.columns; column++) {
            size_t at = (size_t)line * (size_t)v->columns + (size_t)column;
            bool other = differs(wb, at);

            if (a->picture.code[at] == CA_VIEW_OUTSIDE || (!other && !wb->split.hidden))
                continue;
            style_set(&wb->palette, other ? STYLE_ALARM : STYLE_QUIET);
            mvaddch(inner.row + line, inner.column + column, other ? 'X' : '.');
        }
}

void lattice_draw(struct pane *pane, struct rect inner)
{
    const struct frame *frame = &pane->frame;
    const struct ca_view *view = &frame->picture.view;
    enum ca_glyphs glyphs = ca_states_count(pane->experiment.model) > 16
                                ? CA_GLYPHS_BY_LEVEL
                                : (enum ca_glyphs)setting_number(pane->wb, CA_SETTING_GLYPHS);
    int lines, columns;

    if (!frame->known) {
        put(&pane->wb->palette, inner.row + inner.rows / 2, inner.column + 1, inner.columns - 1,
            STYLE_PLAIN,
            pane->session.open     ? "..."
            : pane->session.client ? "starting"
                                   : "no engine");
        return;
    }
    lines = view->lines < inner.rows ? view->lines : inner.rows;
    columns = view->columns < inner.columns ? view->columns : inner.columns;
    for (int line = 0; line < lines; line++)
        frame_line(pane, inner, line, columns, glyphs);
    differences_draw(pane->wb, inner);
    cursor_draw(pane, inner);
}

void lattice_heading(const struct pane *pane, char *text, int size)
{
    const struct ca_view *v = &pane->view;
    const char *axis = ca_axis_names[v->axis];
    char slice[64] = "", of[16] = "", how[16] = "", drawn[40] = "", place[64];
    /* The width between the corners and brackets, after the name of the panel. */
    int room = pane->wb->layout.panel[PANEL_LATTICE].columns - 6 - (int)strlen("1 lattice ");
    /* If the title is too long, these parts are left out in this order, the least useful first. */
    char *parts[] = {pane->frame.picture.sampled ? place : of, place, drawn, NULL};
    int64_t width, height, slices;

    ca_view_extent(pane->experiment.size, v->axis, &width, &height, &slices);
    if (pane->experiment.model->dimensions == 3)
        snprintf(slice, sizeof slice, " %c=%lld/%lld",
                 v->axis == CA_XY   ? 'z'
                 : v->axis == CA_XZ ? 'y'
                                    : 'x',
                 (long long)v->slice, (long long)slices - 1);
    if (v->zoom > 1)
        snprintf(how, sizeof how, " %s",
                 v->drawn == CA_FIELD ? "mean" : ca_reduce_names[v->reduce]);
    if (v->zoom > 1 && (v->drawn == CA_FIELD || v->reduce != CA_SAMPLE))
        snprintf(of, sizeof of, pane->frame.picture.sampled ? " of samples" : " of all");
    if (pane->wb->difference || v->drawn != CA_STATE)
        snprintf(drawn, sizeof drawn, " %s",
                 pane->wb->difference   ? "difference"
                 : v->drawn == CA_FIELD ? v->field
                                        : ca_drawn_names[v->drawn]);
    snprintf(place, sizeof place, " %lld,%lld", (long long)v->x, (long long)v->y);
    for (char **part = parts;; part++) {
        int length = snprintf(text, (size_t)size, "%c%c%s 1:%lld%s%s%s%s", toupper(axis[0]),
                              toupper(axis[1]), slice, (long long)v->zoom, how, of, drawn, place);

        if (length <= room || !*part)
            break;
        (*part)[0] = 0;
    }
}

void lattice_footer(const struct pane *pane, char *text, int size)
{
    char headline[96];

    text[0] = 0;
    if (pane->cursor.on)
        snprintf(text, (size_t)size, "cell %s", pane->cursor.text);
    else if (pane->frame.known &&
             ca_frame_legend(&pane->frame.picture, pane->experiment.model, text, (size_t)size) > 0)
        return;
    else if (split_is_open(pane->wb)) /* B is hidden */
        snprintf(text, (size_t)size, "%s: %s", pane->wb->panes[1].experiment.backend->name,
                 compare_headline(pane->wb, headline));
}
