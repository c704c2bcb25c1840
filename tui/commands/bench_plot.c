/* SPDX-License-Identifier: MIT */
/* This file plots a benchmark: bars of one figure a line, and the time by size. */
#include <stdlib.h>
#include <string.h>

#include "tui/commands/bench.h"
#include "core/base/text.h"
#include "tui/commands/plot.h"

static plot_script bars, curves;

static const struct figure {
    const char *name, *title;
    const char *key; /* of a line's JSON */
    plot_script *script;
    bool named, priced; /* it needs a named line, and prices */
} figures[] = {
    {"rates", "million cell updates a second", "mups", bars, false, false},
    {"acceleration", "times as fast as the first line", "to_first", bars, false, false},
    {"cost", "price of a Mups, relative to ", "relative_cost", bars, true, true},
    {"power", "watts for a Mups, relative to ", "relative_power", bars, true, false},
    {"time", "milliseconds for a generation", "ms_per_generation", curves, false, false},
};
#define FIGURES ((int)(sizeof figures / sizeof figures[0]))

const char *bench_figure(const void *none, int i)
{
    (void)none;
    return i < FIGURES ? figures[i].name : NULL;
}

struct job {
    const struct figure *figure;
    const struct ca_bench_report *report;
    json_t *lines;
};

static double bench_plot_value_of(const struct job *job, int line)
{
    return json_number_value(
        json_object_get(json_array_get(job->lines, (size_t)line), job->figure->key));
}

/* --- scripts --------------------------------------------------------------------------------- */

static void bars(FILE *out, const void *context)
{
    const struct job *job = context;
    const struct ca_bench *bench = job->report->bench;
    int count = 0;

    fputs("set logscale y\nset style data histograms\nset style fill solid 0.6\nset boxwidth 0.8\n"
          "set grid ytics\nunset key\nset xtics rotate by -90\nset xtics ()\n",
          out);
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *l = &bench->line[i];
        char text[512], size[64];

        if (!(bench_plot_value_of(job, i) > 0))
            continue;
        snprintf(text, sizeof text, "%s %s %s%s%s x%d", l->experiment.model->name,
                 ca_size_format(size, l->experiment.size, l->experiment.model->dimensions),
                 l->label, l->label[0] ? " " : "", l->experiment.backend->name, l->threads);
        fputs("set xtics add (", out);
        plot_text(out, text);
        fprintf(out, " %d)\n", count++);
    }
    fputs("$figures << EOD\n", out);
    for (int i = 0; i < bench->count; i++)
        if (bench_plot_value_of(job, i) > 0)
            fprintf(out, "%.6g\n", bench_plot_value_of(job, i));
    fputs("EOD\nplot $figures using 1\n", out);
}

/* "life3d large: bitslice x2 /rows=8": what the lines of a curve have in common, with the options
 * that were set but not those that were tuned for each size. Returns text. */
static char *curve_name(char text[512], const struct ca_bench_line *l)
{
    const struct ca_values *options = &l->experiment.options;

    snprintf(text, 512, "%s %s%s%s x%d", l->experiment.model->name, l->label,
             l->label[0] ? ": " : "", l->experiment.backend->name, l->threads);
    for (int i = 0; i < options->count && strlen(text) < 400; i++) {
        char value[CA_TEXT_MAX];

        if (options->value[i].origin > CA_TUNED && strcmp(options->table[i].name, "threads") != 0)
            ca_text_add(text, 512, " /%s=%.40s", options->table[i].name,
                        ca_value_format(value, &options->table[i], &options->value[i]));
    }
    return text;
}

static bool same_curve(const struct ca_bench_line *a, const struct ca_bench_line *b)
{
    const struct ca_experiment *y = &b->experiment;
    struct ca_experiment x = a->experiment;
    char one[512], other[512];

    x.size = y->size;
    return ca_experiment_differs(&x, y, CA_MAKES_RUN) == CA_KEY_COUNT &&
           ca_values_equal(&x.params, &y->params) &&
           strcmp(curve_name(one, a), curve_name(other, b)) == 0;
}

static bool begins_curve(const struct job *job, int line)
{
    const struct ca_bench_line *lines = job->report->bench->line;

    for (int i = 0; i < line; i++)
        if (bench_plot_value_of(job, i) > 0 && same_curve(&lines[i], &lines[line]))
            return false;
    return bench_plot_value_of(job, line) > 0;
}

struct point {
    double cells, value;
};

static int by_cells(const void *a, const void *b)
{
    double x = ((const struct point *)a)->cells, y = ((const struct point *)b)->cells;

    return (x > y) - (x < y);
}

/* The points of the curve that begins with a line, by size. */
static void write_curve(FILE *out, const struct job *job, int line, struct point *point)
{
    const struct ca_bench *bench = job->report->bench;
    int count = 0;

    for (int i = line; i < bench->count; i++)
        if (bench_plot_value_of(job, i) > 0 && same_curve(&bench->line[line], &bench->line[i]))
            point[count++] = (struct point){(double)ca_cells(bench->line[i].experiment.size),
                                            bench_plot_value_of(job, i)};
    qsort(point, (size_t)count, sizeof *point, by_cells);
    fprintf(out, "$curve%d << EOD\n", line);
    for (int i = 0; i < count; i++)
        fprintf(out, "%.0f %.6g\n", point[i].cells, point[i].value);
    fputs("EOD\n", out);
}

static void curves(FILE *out, const void *context)
{
    const struct job *job = context;
    const struct ca_bench *bench = job->report->bench;
    struct point *point = calloc((size_t)bench->count, sizeof *point);
    bool first = true;

    if (!point) /* then gnuplot has nothing to draw, and fails */
        return;
    fputs("set xlabel 'cells'\nset ylabel 'ms'\nset logscale xy\nset grid\nset key left top\n",
          out);
    for (int i = 0; i < bench->count; i++)
        if (begins_curve(job, i))
            write_curve(out, job, i, point);
    free(point);
    fputs("plot", out);
    for (int i = 0; i < bench->count; i++) {
        char text[512];

        if (!begins_curve(job, i))
            continue;
        fprintf(out, "%s $curve%d using 1:2 with linespoints title ", first ? "" : ",", i);
        plot_text(out, curve_name(text, &bench->line[i]));
        first = false;
    }
    putc('\n', out);
}

/* --------------------------------------------------------------------------------------------- */

static const struct figure *bench_plot_find(const char *name)
{
    for (int i = 0; i < FIGURES; i++)
        if (strcmp(figures[i].name, name) == 0)
            return &figures[i];
    return NULL;
}

enum ca_status bench_plot_check(const char *path, const char *figure, struct ca_error *error)
{
    char suggestion[CA_TEXT_MAX];

    if (!bench_plot_find(figure))
        return ca_fail(error, CA_USAGE, "--figure: there is no '%.80s'%.300s", figure,
                       ca_suggest(suggestion, figure, FIGURES, bench_figure, NULL));
    return plot_check(path, error);
}

enum ca_status bench_plot_needs(const char *figure, const struct ca_bench_report *report,
                                struct ca_error *error)
{
    const struct figure *f = bench_plot_find(figure);

    if (f->named && !report->bench->relative[0])
        return ca_fail(error, CA_USAGE,
                       "--figure: '%s' is relative to a line that has to be named: by --relative, "
                       "or by 'relative' in the file of -c",
                       figure);
    if (f->priced && !ca_bench_any_price(report))
        return ca_fail(error, CA_USAGE,
                       "--figure: '%s' needs prices: by --price, or by 'price' in the cases of -c",
                       figure);
    return CA_OK;
}

enum ca_status bench_plot(const char *path, const char *figure,
                          const struct ca_bench_report *report, struct ca_error *error)
{
    struct job job = {bench_plot_find(figure), report, NULL};
    enum ca_status status;
    char title[512];
    int i = 0;

    CA_TRY(bench_lines(&job.lines, report, error));
    while (i < report->bench->count && !(bench_plot_value_of(&job, i) > 0))
        i++;
    snprintf(title, sizeof title, "%s%s (calab %.40s on %.150s)", job.figure->title,
             job.figure->named ? report->bench->relative : "", report->provenance.version,
             report->provenance.cpu);
    status = i < report->bench->count
                 ? plot_draw(path, title, job.figure->script, &job, error)
                 : ca_fail(error, CA_WRONG,
                           "--plot: nothing is drawn, because no line has a figure of %s", figure);
    json_decref(job.lines);
    return status;
}
