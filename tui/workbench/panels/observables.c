/* SPDX-License-Identifier: MIT */
/* The observables panel shows sums over the whole lattice, how they went over the whole run, and an
 * alarm for a violated invariant. */
#include "tui/workbench/panels/panels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/workbench/engine/figures_inside.h"

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

#define PLOT_ROWS_MIN 2
#define PLOT_COLUMNS_MIN 40

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

/* A line with value and range above each plot, and one axis below all. Returns the lines used. */
static int draw_plots(const struct pane *pane, struct rect inner, int count, int rows, int name)
{
    const struct timeline *t = &observed_of(pane)->timeline;
    int line = 0;

    for (int i = 0; i < count; i++, line += rows) {
        struct rect at = {inner.row + line, inner.column + 1, 1, inner.columns - 2};
        struct rect plot = {at.row + 1, at.column, rows - 1, at.columns};
        bool unit;
        int used = draw_value(pane, at, i, name, &unit);

        draw_range(pane, from(at, used + 2), i, !unit);
        plot_draw_lines(&pane->wb->palette, plot, t, i);
    }
    plot_draw_axis(&pane->wb->palette,
                   (struct rect){inner.row + line, inner.column + 1, 1, inner.columns - 2}, t);
    return line + 1;
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
    int name = 4, count = 0, line, rows; /* the width of the names, at most half of the panel */

    for (; table[count].name; count++)
        if ((int)strlen(table[count].name) + 2 > name)
            name = (int)strlen(table[count].name) + 2;
    name = name > inner.columns / 2 ? inner.columns / 2 : name;
    rows = count > 0 ? (inner.rows - 2) / count : 0; /* the axis and the cost have lines too */
    if (rows > PLOT_ROWS_MIN && inner.columns >= PLOT_COLUMNS_MIN)
        line = draw_plots(pane, inner, count, rows, name);
    else
        line = draw_lines(pane, inner, count, name);
    if (observed_of(pane)->known && line < inner.rows)
        draw_cost(pane, inner, line);
}

const struct part observables_panel = {
    .name = "observables",
    .scene = SCENE_OBSERVABLES,
    .place = {.at = PLACE_BESIDE, .always = true, .least = 5, .most = 10, .grows = 4},
    .draw = observables_draw};

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
