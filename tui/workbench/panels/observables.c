/* SPDX-License-Identifier: MIT */
/* The observables panel shows sums over the whole lattice, how they went over the whole run, and an
 * alarm for a violated invariant. */
#include "tui/workbench/panels/panels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/workbench/base/panels.h"
#include "tui/workbench/engine/figures_inside.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/terminal/plot.h"

extern const struct part observables_panel;

/* The cursor of the plots: whether it is shown, and its generation. */
struct cursor {
    bool on;
    uint64_t at;
};

/* Which generation the values are of, if it is not the one that is drawn, and what they cost. */
static void draw_cost(struct pane *pane, struct rect inner, int line)
{
    const struct observed *o = observed_of(pane);
    char cost[64] = "", text[160];

    if (isfinite(o->seconds))
        snprintf(cost, sizeof cost, "%.3g ms %s", o->seconds * 1e3,
                 o->in_place ? "on the device" : "by rows through the host");
    if (frame_of(pane)->known && frame_of(pane)->picture.generation != o->generation)
        snprintf(text, sizeof text, "of generation %llu%s%s", (unsigned long long)o->generation,
                 cost[0] ? ", " : "", cost);
    else
        snprintf(text, sizeof text, "%s", cost);
    put(&pane->wb->palette, inner.row + line, inner.column + 1, inner.columns - 2, STYLE_QUIET,
        text);
}

/* The name and the value of observable i; the columns used. `unit` tells whether its unit is there.
 */
static int draw_value(const struct pane *pane, struct rect line, int i, int name, bool *unit)
{
    const struct palette *palette = &pane->wb->palette;
    const struct ca_observable *observable = &ca_observables(pane->experiment.model)[i];
    const struct observed *o = observed_of(pane);
    bool broken = o->known && o->broken == i;
    char text[QUANTITY_FIT_TEXT];

    put(palette, line.row, line.column, name, STYLE_QUIET, observable->name);
    *unit = true;
    if (!o->known)
        strcpy(text, "-");
    else
        *unit = quantity_fit(text, o->value[i], broken ? "VIOLATED" : observable->unit,
                             line.columns - name);
    if (broken && !*unit)
        strcpy(text, "VIOLATED");
    return name + put(palette, line.row, line.column + name, line.columns - name,
                      broken ? STYLE_ALARM : STYLE_PLAIN, text);
}

/* "min -3 max 1.2 k rows/step"; without the unit where that does not fit, and nothing where two
 * numbers do not. */
static int draw_range(const struct pane *pane, struct rect line, int i, bool with_unit)
{
    const char *unit = with_unit ? ca_observables(pane->experiment.model)[i].unit : NULL;
    const struct timeline *t = &observed_of(pane)->timeline;
    struct timeline_span all = timeline_span(t, i, 0, t->points);
    char low[QUANTITY_FIT_TEXT], high[QUANTITY_FIT_TEXT], text[2 * QUANTITY_FIT_TEXT + 16];

    if (all.count == 0)
        return 0;
    quantity_fit(low, all.min, NULL, 8);
    quantity_fit(high, all.max, unit, unit ? 8 + 1 + (int)strlen(unit) : 8);
    snprintf(text, sizeof text, "min %s max %s", low, high);
    if (text_width(text) > line.columns) {
        quantity_fit(high, all.max, NULL, 8);
        snprintf(text, sizeof text, "min %s max %s", low, high);
    }
    if (text_width(text) > line.columns)
        return 0;
    return put(&pane->wb->palette, line.row, line.column, line.columns, STYLE_QUIET, text);
}

static void draw_sparkline(const struct pane *pane, struct rect line, int i)
{
    char text[3 * TIMELINE_POINTS + 4];

    if (line.columns < 4)
        return;
    sparkline_run(&pane->wb->palette, &observed_of(pane)->timeline, i, line.columns, text,
                  sizeof text);
    put(&pane->wb->palette, line.row, line.column, line.columns, STYLE_GREEN, text);
}

static struct rect from(struct rect line, int columns)
{
    line.column += columns;
    line.columns -= columns;
    return line;
}

/* --- plots ------------------------------------------------------------------------------------ */

#define PLOT_COLUMNS_MIN 40
#define PLOT_ROWS_MIN 3   /* of a plot, with the line above it */
#define PLOT_ROWS_ALONE 6 /* from which on each observable has a plot of its own */
#define PLOT_AXIS 2       /* rows of the horizontal axis below all */
#define PLOT_COST 1       /* and of the line with the cost */

/* How the observables are plotted in a rectangle. */
struct plots {
    int count, each, rows; /* plots; observables of one; rows of one. rows 0: as lines */
};

static struct plots plots_of(const struct pane *pane, struct rect inner)
{
    int rows = inner.rows - PLOT_AXIS - PLOT_COST;
    struct plots p = {.each = 1};

    while (ca_observables(pane->experiment.model)[p.count].name)
        p.count++;
    if (p.count == 0 || inner.columns < PLOT_COLUMNS_MIN)
        return p;
    if (rows / p.count < PLOT_ROWS_ALONE && p.count > 1) {
        p.each = 2;
        p.count = (p.count + 1) / 2;
    }
    p.rows = rows / p.count < PLOT_ROWS_MIN ? 0 : rows / p.count;
    return p;
}

/* The point of the timeline under the cursor, NULL: there is none. */
static const struct timeline_point *point_at(const struct pane *pane)
{
    const struct cursor *cursor = pane_state(pane, &observables_panel);
    const struct timeline *t = &observed_of(pane)->timeline;
    const struct timeline_point *found = NULL;

    for (int i = 0; cursor->on && i < t->points; i++)
        if (t->point[i].known && (!found || t->point[i].first <= cursor->at))
            found = &t->point[i];
    return found;
}

/* The points of observable i, which are kept in `point`. */
static struct plot_series series_of(const struct pane *pane, int i, int place,
                                    struct plot_point point[])
{
    const struct timeline *t = &observed_of(pane)->timeline;
    struct plot_series series = {.sign = (char)('A' + place - 1),
                                 .style = place > 1 ? STYLE_WARM : STYLE_GREEN,
                                 .point = point};

    for (int p = 0; p < t->points; p++) {
        const struct timeline_span *span = &t->point[p].value[i];

        if (t->point[p].known && span->count > 0)
            point[series.count++] = (struct plot_point){(double)t->point[p].first, span->min,
                                                        timeline_mean(*span), span->max};
    }
    return series;
}

/* Plot p, with scales of its own for each of its observables. */
static struct plot plot_of(const struct pane *pane, const struct plots *plots, int p)
{
    static struct plot_point point[2][TIMELINE_POINTS];
    const struct timeline_point *at = point_at(pane);
    struct plot plot = {.across = PLOT_WHOLE,
                        .apart = true,
                        .axis = p == plots->count - 1,
                        .across_unit = "generation",
                        .cursor = at ? (double)at->first : NAN,
                        .fine = plot_is_fine(&pane->wb->palette)};

    for (int i = p * plots->each;
         i < (p + 1) * plots->each && ca_observables(pane->experiment.model)[i].name; i++) {
        plot.series[plot.count] = series_of(pane, i, plot.count + 1, point[plot.count]);
        plot.count++;
    }
    if (plot.count == 1)
        plot.series[0].sign = '*';
    return plot;
}

/* The value and the range of observable i, behind its sign where a plot has two. */
static void plot_line_draw(const struct pane *pane, struct rect at, const struct plot *plot, int i,
                           int name)
{
    const struct plot_series *series = &plot->series[i % plot->count];
    bool unit;
    int used;

    if (series->sign != '*')
        at = from(at, 1 + putf(&pane->wb->palette, at.row, at.column, at.columns, series->style,
                               "%c", series->sign));
    used = draw_value(pane, at, i, name, &unit);
    draw_range(pane, from(at, used + 2), i, !unit);
}

/* A line with values above each plot, and one axis below all. Returns the lines used. */
static int draw_plots(const struct pane *pane, struct rect inner, const struct plots *plots,
                      int name)
{
    int left = 0, right = 0, line = 0;

    for (int p = 0; p < plots->count; p++) {
        struct plot plot = plot_of(pane, plots, p);

        plot_margins(&plot, plots->rows - 1 + plot.axis * PLOT_AXIS, &left, &right);
    }
    for (int p = 0; p < plots->count; p++, line += plots->rows) {
        struct plot plot = plot_of(pane, plots, p);
        struct rect at = {inner.row + line, inner.column + 1, 1, (inner.columns - 2) / plots->each};

        for (int k = 0; k < plot.count; k++, at.column += at.columns)
            plot_line_draw(pane,
                           (struct rect){at.row, at.column, 1, at.columns - (plots->each - 1)},
                           &plot, p * plots->each + k, name);
        plot.left = left;
        plot.right = right;
        plot_put(&pane->wb->palette,
                 (struct rect){at.row + 1, inner.column + 1,
                               plots->rows - 1 + plot.axis * PLOT_AXIS, inner.columns - 2},
                 &plot);
    }
    return line + PLOT_AXIS;
}

/* --- the cursor ------------------------------------------------------------------------------- */

static bool has_plots(const struct pane *pane)
{
    struct rect inner = panel_inner(pane->wb, &observables_panel);

    return inner.rows > 0 && plots_of(pane, inner).rows > 0 &&
           observed_of(pane)->timeline.points > 0;
}

/* Moves it by a column of the plots, at least to the next point that is known. */
static void cursor_move_by(const struct pane *pane, int by)
{
    struct cursor *cursor = pane_state(pane, &observables_panel);
    const struct timeline *t = &observed_of(pane)->timeline;
    uint64_t last = timeline_last(t),
             columns = (uint64_t)panel_inner(pane->wb, &observables_panel).columns,
             step = (last - t->base) / columns;
    const struct timeline_point *at, *next;

    if (!cursor->on) {
        *cursor = (struct cursor){true, last};
        return;
    }
    at = next = point_at(pane);
    step = step < t->stride ? t->stride : step;
    for (cursor->at = at->first; next == at; next = point_at(pane)) {
        if (by < 0 ? cursor->at <= t->base : cursor->at >= last)
            return;
        if (by < 0)
            cursor->at -= cursor->at - t->base < step ? cursor->at - t->base : step;
        else
            cursor->at += last - cursor->at < step ? last - cursor->at : step;
    }
}

/* In the plots the keys that move in the lattice move a cursor. */
static bool observables_key(struct workbench *wb, enum request request, int code)
{
    enum request own =
        request == REQUEST_NONE ? keymap_find(&wb->keys, KEYS_LATTICE, code) : REQUEST_NONE;
    struct cursor *cursor = pane_state(wb->pane, &observables_panel);

    if (panels_focused(wb) != &observables_panel || !has_plots(wb->pane))
        return false;
    if (own == REQUEST_PAN_LEFT || own == REQUEST_PAN_RIGHT)
        cursor_move_by(wb->pane, own == REQUEST_PAN_LEFT ? -1 : 1);
    else if (own == REQUEST_INSPECT)
        *cursor = (struct cursor){!cursor->on, timeline_last(&observed_of(wb->pane)->timeline)};
    else
        return false;
    wb->dirty = true;
    return true;
}

/* What the values were under the cursor, or how to learn it. */
static void observables_footer(const struct pane *pane, char *text, int size)
{
    const struct timeline_point *at = point_at(pane);
    const struct ca_observable *table = ca_observables(pane->experiment.model);
    char first[CA_QUANTITY_TEXT], last[CA_QUANTITY_TEXT], key[2][16];

    text[0] = 0;
    if (!has_plots(pane) || (!at && panels_focused(pane->wb) != &observables_panel))
        return;
    if (!at) {
        snprintf(text, (size_t)size, "%s and %s show values",
                 keys_first(pane->wb->keys.keys[REQUEST_PAN_LEFT], key[0]),
                 keys_first(pane->wb->keys.keys[REQUEST_PAN_RIGHT], key[1]));
        return;
    }
    snprintf(text, (size_t)size, "generation %s%s%s", ca_thousands(first, at->first),
             at->last > at->first ? "-" : "",
             at->last > at->first ? ca_thousands(last, at->last) : "");
    for (int i = 0; table[i].name; i++)
        if (at->value[i].count > 0)
            ca_text_add(text, (size_t)size, " %s=%.9g", table[i].name, timeline_mean(at->value[i]));
}

/* One or two lines for each: the range and a sparkline go where there is room. Returns the lines
 * used. */
static int draw_lines(const struct pane *pane, struct rect inner, int count, int name)
{
    bool two = inner.rows >= 2 * count;
    int line = 0;

    for (int i = 0; i < count && line < inner.rows; i++) {
        struct rect at = {inner.row + line++, inner.column + 1, 1, inner.columns - 2};
        bool unit;
        int used = draw_value(pane, at, i, name, &unit);

        if (!two) {
            draw_sparkline(pane, from(at, used + 1), i);
            continue;
        }
        at.row++;
        line++;
        used = draw_range(pane, at, i, !unit);
        draw_sparkline(pane, from(at, used ? used + 1 : 0), i);
    }
    return line;
}

static void observables_draw(struct pane *pane, struct rect inner)
{
    const struct ca_observable *table = ca_observables(pane->experiment.model);
    struct plots plots = plots_of(pane, inner);
    int name = 4, count = 0, line; /* the width of the names, at most half of the panel */

    for (; table[count].name; count++)
        if ((int)strlen(table[count].name) + 2 > name)
            name = (int)strlen(table[count].name) + 2;
    name = name > inner.columns / 2 ? inner.columns / 2 : name;
    if (plots.rows > 0)
        line = draw_plots(pane, inner, &plots, name);
    else
        line = draw_lines(pane, inner, count, name);
    if (observed_of(pane)->known && line < inner.rows)
        draw_cost(pane, inner, line);
}

const struct part observables_panel = {
    .name = "observables",
    .scene = SCENE_OBSERVABLES,
    .pane_bytes = sizeof(struct cursor),
    .place = {.at = PLACE_BESIDE, .always = true, .least = 5, .most = 10, .grows = 4},
    .key = observables_key,
    .draw = observables_draw,
    .footer = observables_footer};

/* --- the table -------------------------------------------------------------------------------- */

bool observables_path(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".csv") == 0;
}

static void write_name(FILE *out, const struct ca_observable *o, const char *what)
{
    fprintf(out, ",%s%s%s%s%s", o->name, what, o->unit ? " (" : "", o->unit ? o->unit : "",
            o->unit ? ")" : "");
}

enum ca_status observables_write(const struct pane *pane, const char *path, struct ca_error *error)
{
    const struct ca_observable *table = ca_observables(pane->experiment.model);
    const struct timeline *t = &observed_of(pane)->timeline;
    struct ca_file_writer writer;
    char *command;

    if (t->points == 0)
        return ca_fail(error, CA_USAGE, "%.300s: no observables are known yet; step or run first",
                       path);
    CA_TRY(ca_file_begin(&writer, path, error));
    /* The experiment, as the command that repeats it. A name of a file may have a line's end. */
    command = ca_experiment_command(&pane->experiment, &pane->outputs, timeline_last(t));
    for (char *at = command; at && *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    fprintf(writer.stream, "# %s\n", command ? command : pane->experiment.model->name);
    free(command);
    if (pane->modified)
        fprintf(writer.stream, "# a parameter was changed in mid-run\n");
    if (t->base > 0)
        fprintf(writer.stream, "# observed from generation %" PRIu64 " on\n", t->base);
    fprintf(writer.stream,
            "# a row: mean, least and greatest of what was observed in %" PRIu64 " generation%s\n",
            t->stride, t->stride == 1 ? "" : "s");
    fprintf(writer.stream, "generation,last");
    for (int i = 0; table[i].name; i++) {
        write_name(writer.stream, &table[i], "");
        write_name(writer.stream, &table[i], " min");
        write_name(writer.stream, &table[i], " max");
    }
    fputc('\n', writer.stream);
    for (int p = 0; p < t->points; p++) {
        const struct timeline_point *point = &t->point[p];

        if (!point->known)
            continue;
        fprintf(writer.stream, "%" PRIu64 ",%" PRIu64, point->first, point->last);
        for (int i = 0; table[i].name; i++)
            if (point->value[i].count > 0)
                fprintf(writer.stream, ",%.15g,%.15g,%.15g", timeline_mean(point->value[i]),
                        point->value[i].min, point->value[i].max);
            else
                fprintf(writer.stream, ",,,");
        fputc('\n', writer.stream);
    }
    return ca_file_commit(&writer, error);
}

void observables_span(const struct pane *pane, uint64_t *first, uint64_t *last)
{
    *first = observed_of(pane)->timeline.base;
    *last = timeline_last(&observed_of(pane)->timeline);
}
