/* SPDX-License-Identifier: MIT */
/* calab compare: results of bench --json, line by line, the first file against each other one; with
 * --ratio two backends over machines, by a ratio for each lattice and file. */
#include <jansson.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/bench/results.h"
#include "core/files/json.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/plot.h"
#include "tui/table.h"

_Static_assert(OPERANDS_MAX <= CA_RESULTS_MAX, "each file has a place");

/* --- what both have in common ----------------------------------------------------------------- */

static const json_t *first_gpu(const json_t *provenance)
{
    return json_array_get(json_object_get(provenance, "gpus"), 0);
}

static void compare_print_files(const struct ca_results file[], int count)
{
    for (int i = 0; i < count; i++) {
        const json_t *from = json_object_get(file[i].root, "provenance");
        const json_t *gpu = first_gpu(from);
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s", file[i].path);
        printf("# %s: %s; calab %s, %s on %s, %s%s%s\n", ca_ordinals[i], ca_plain(path),
               ca_json_member(from, "version"), ca_json_member(from, "date"),
               ca_json_member(from, "host"), ca_json_member(from, "cpu"), gpu ? ", " : "",
               ca_json_member(gpu, "name"));
    }
}

static json_t *compare_paths(const struct ca_results file[], int count)
{
    json_t *paths = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(paths, json_string(file[i].path));
    return paths;
}

static json_t *known(double value) { return value > 0 ? json_real(value) : json_null(); }

/* A line of either comparison, but for what it says of the files. */
static json_t *compare_line_of(const json_t *line)
{
    return json_pack("{s:O, s:O, s:s}", "experiment", json_object_get(line, "experiment"),
                     "threads", json_object_get(line, "threads"), "label",
                     ca_json_member(line, "label"));
}

/* The path of an element of a list that has one for each file. */
typedef char compare_path[24];

static char *compare_path_of(compare_path path, const char *name, int file)
{
    snprintf(path, sizeof(compare_path), "%.8s.%d", name, file);
    return path;
}

/* --- files, line by line ---------------------------------------------------------------------- */

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

static json_t *compare_row_json(const struct ca_results_row *row, int count)
{
    json_t *line = compare_line_of(row->any), *mups = json_array(), *ratio = json_array(),
           *verdict = json_array(), *states = json_array();

    for (int i = 0; i < count; i++) {
        json_array_append_new(mups, known(ca_results_figure(row->line[i], "mups")));
        json_array_append_new(ratio, known(row->verdict[i].ratio));
        json_array_append_new(verdict, text_or_null(i > 0 ? row->verdict[i].text : NULL));
        json_array_append_new(states, text_or_null(row->verdict[i].states));
    }
    json_object_set_new(line, "mups", mups);
    json_object_set_new(line, "ratio", ratio);
    json_object_set_new(line, "verdict", verdict);
    json_object_set_new(line, "states", states);
    return line;
}

/* Adds to a row's JSON what the table alone has. */
static void compare_row_texts(json_t *line, const struct ca_results_row *row, int count)
{
    json_t *emulated = json_array(), *is = json_array();
    const char *label = ca_json_member(row->any, "label");
    char cut[128];

    for (int i = 0; i < count; i++) {
        const struct ca_results_verdict *verdict = &row->verdict[i];
        bool differs = verdict->states && strcmp(verdict->states, "different") == 0;

        json_array_append_new(emulated, json_boolean(ca_results_emulated(row->line[i])));
        json_array_append_new(
            is, json_sprintf("%s%s", verdict->text, differs ? ", another state" : ""));
    }
    json_object_set_new(line, "emulated", emulated);
    json_object_set_new(line, "is", is);
    ca_results_cut(cut, row->any);
    json_object_set_new(line, "note",
                        json_sprintf("%s%s", label, label[0] ? cut : cut + strspn(cut, " ")));
}

/* Finds the rows, and counts the lines that each file has in common with the first. */
static json_t *compare_rows(const struct ca_results file[], int count, bool json,
                            int common[OPERANDS_MAX])
{
    json_t *list = json_array(), *line;
    size_t i;

    for (int at = 0; at < count; at++)
        json_array_foreach(file[at].lines, i, line)
        {
            struct ca_results_row row;
            json_t *object;

            if (!ca_results_row(&row, file, count, at, line))
                continue;
            for (int k = 1; k < count; k++)
                common[k] += row.line[0] && row.line[k];
            object = compare_row_json(&row, count);
            if (!json)
                compare_row_texts(object, &row, count);
            json_array_append_new(list, object);
        }
    return list;
}

static void compare_print_rows(const json_t *lines, int count)
{
    struct table_column column[5 + 3 * OPERANDS_MAX] = {
        {"model", .path = "experiment.model", .width = 8, .left = true},
        {"size", .path = "experiment.size", .width = 14, .gap = 1, .left = true},
        {"backend", .path = "experiment.backend", .width = 20, .gap = 1, .left = true},
        {"threads", .path = "threads", .width = 7, .gap = 1},
    };
    compare_path path[OPERANDS_MAX][4];
    char name[OPERANDS_MAX][32];
    int columns = 4;

    for (int i = 0; i < count; i++)
        column[columns++] =
            (struct table_column){ca_ordinals[i],
                                  .path = compare_path_of(path[i][0], "mups", i),
                                  .kind = TABLE_RATE,
                                  .scale = 1e6,
                                  .emulated = compare_path_of(path[i][1], "emulated", i),
                                  .width = 12,
                                  .gap = 1};
    for (int i = 1; i < count; i++) {
        snprintf(name[i], sizeof name[i], "%s is", ca_ordinals[i]);
        column[columns++] = (struct table_column){"ratio",
                                                  .path = compare_path_of(path[i][2], "ratio", i),
                                                  .kind = TABLE_FIXED,
                                                  .digits = 3,
                                                  .width = 8,
                                                  .gap = 1};
        column[columns++] =
            (struct table_column){name[i], .path = compare_path_of(path[i][3], "is", i),
                                  .width = i + 1 < count ? 24 : 1, .left = true};
    }
    column[columns++] = (struct table_column){"", .path = "note", .left = true};
    table_print(stdout, &(struct table){column, columns, .lines = lines}, TABLE_TEXT);
}

static enum ca_status compare_lines(const struct ca_results file[], int count, bool json,
                                    struct ca_error *error)
{
    int common[OPERANDS_MAX] = {0};
    json_t *lines = compare_rows(file, count, json, common);
    enum ca_status status;

    if (json) {
        status = json_print(json_pack("{s:s, s:o, s:O}", "schema", "calab-compare/2", "files",
                                      compare_paths(file, count), "lines", lines),
                            error);
    } else if ((status = json_check(error)) == CA_OK) {
        compare_print_files(file, count);
        compare_print_rows(lines, count);
    }
    json_decref(lines);
    CA_TRY(status);
    for (int i = 1; i < count; i++)
        if (common[i] == 0)
            return ca_fail(error, CA_WRONG, "%.200s and %.200s have no line in common",
                           file[0].path, file[i].path);
    return CA_OK;
}

/* --- two backends over machines ----------------------------------------------------------------
 */

static enum ca_status compare_ratio_check(const struct options *options, struct ca_error *error)
{
    const char *text = options_value(options, OPTION_RATIO);
    const char *comma = text ? strchr(text, ',') : NULL;

    if (text && (!comma || comma == text || !comma[1] || strchr(comma + 1, ',')))
        return ca_fail(
            error, CA_USAGE,
            "--ratio: '%.80s' is not allowed; allowed: two backends, A,B, of whose rates "
            "A's is divided by B's",
            text);
    if (!options_has(options, OPTION_PLOT))
        return CA_OK;
    if (!text)
        return ca_fail(error, CA_USAGE, "--plot: only with --ratio A,B, which it draws");
    return plot_check(options_value(options, OPTION_PLOT), error);
}

struct ratio_job {
    const struct ca_results *file;
    int count; /* of files */
    char a[64], b[64];
    json_t *lines; /* a lattice each that some file has both backends on, and the ratio in each */
};

static enum ca_status ratio_find_lines(struct ratio_job *job, struct ca_error *error)
{
    const json_t *line;
    size_t i;

    job->lines = json_array();
    for (int at = 0; at < job->count; at++)
        json_array_foreach(job->file[at].lines, i, line)
        {
            double value[CA_RESULTS_MAX];
            json_t *object, *ratio;

            if (!ca_results_ratio(value, job->file, job->count, job->a, job->b, at, line))
                continue;
            object = compare_line_of(line);
            ratio = json_array();
            for (int k = 0; k < job->count; k++)
                json_array_append_new(ratio, known(value[k]));
            json_object_set_new(object, "ratio", ratio);
            json_array_append_new(job->lines, object);
        }
    CA_TRY(json_check(error));
    if (json_array_size(job->lines) == 0)
        return ca_fail(error, CA_WRONG,
                       "--ratio: no file has figures of both %s and %s on the same lattice", job->a,
                       job->b);
    return CA_OK;
}

/* "water 512x512, 2 threads, a label". Returns text. */
static char *ratio_lattice(char text[TABLE_CELL], const json_t *line)
{
    const json_t *experiment = json_object_get(line, "experiment");
    int threads = (int)json_integer_value(json_object_get(line, "threads"));
    const char *label = ca_json_member(line, "label");
    char size[64], cut[128], of[32] = "";

    if (threads > 1)
        snprintf(of, sizeof of, ", %d threads", threads);
    snprintf(text, TABLE_CELL, "%.40s %s%s%s%.80s%.80s", ca_json_member(experiment, "model"),
             table_sides(size, json_object_get(experiment, "size")), of, label[0] ? ", " : "",
             label, ca_results_cut(cut, line));
    return text;
}

static void c_lattice(char text[TABLE_CELL], const void *lines, int line)
{
    ratio_lattice(text, json_array_get(lines, (size_t)line));
}

static void ratio_print_text(const struct ratio_job *job)
{
    struct table_column column[1 + OPERANDS_MAX] = {
        {"lattice", .cell = c_lattice, .width = 36, .left = true}};
    compare_path path[OPERANDS_MAX];

    for (int i = 0; i < job->count; i++)
        column[1 + i] =
            (struct table_column){ca_ordinals[i],      .path = compare_path_of(path[i], "ratio", i),
                                  .kind = TABLE_FIXED, .digits = 3,
                                  .width = 8,          .gap = 1};
    compare_print_files(job->file, job->count);
    printf("# the rate of %s by that of %s\n", job->a, job->b);
    table_print(stdout,
                &(struct table){column, 1 + job->count, .lines = job->lines, .context = job->lines},
                TABLE_TEXT);
}

static enum ca_status ratio_print(const struct ratio_job *job, bool json, struct ca_error *error)
{
    if (json)
        return json_print(json_pack("{s:s, s:o, s:[s, s], s:O}", "schema", "calab-compare-ratio/1",
                                    "files", compare_paths(job->file, job->count), "backends",
                                    job->a, job->b, "lines", job->lines),
                          error);
    ratio_print_text(job);
    return CA_OK;
}

/* A group of bars a machine, a bar a lattice, and a line where both are as fast. */
static void ratio_script(FILE *out, const void *context)
{
    const struct ratio_job *job = context;
    const json_t *line, *ratio;
    size_t r, i;

    fputs("set datafile missing '?'\nset style data histograms\nset style histogram clustered\n"
          "set style fill solid 0.6\nset grid ytics\nset yrange [0:*]\nset key outside bottom\n"
          "set xtics ()\n",
          out);
    for (int k = 0; k < job->count; k++) {
        const json_t *from, *gpu;
        const char *device, *slash;
        char text[256];

        fputs("set xtics add (", out);
        /* A machine by its GPU or CPU, and by its file, as there may be several of one kind. */
        from = json_object_get(job->file[k].root, "provenance");
        gpu = first_gpu(from);
        device = ca_json_member(gpu ? gpu : from, gpu ? "name" : "cpu");
        slash = strrchr(job->file[k].path, '/');
        snprintf(text, sizeof text, "%.100s (%.100s)", device,
                 slash ? slash + 1 : job->file[k].path);
        plot_text(out, text);
        fprintf(out, " %d)\n", k);
    }
    json_array_foreach(job->lines, r, line)
    {
        fprintf(out, "$row%zu << EOD\n", r);
        json_array_foreach(json_object_get(line, "ratio"), i, ratio)
        {
            if (json_is_number(ratio))
                fprintf(out, "%.6g\n", json_number_value(ratio));
            else
                fputs("?\n", out);
        }
        fputs("EOD\n", out);
    }
    fputs("plot 1 with lines linecolor 'black' notitle", out);
    json_array_foreach(job->lines, r, line)
    {
        char name[TABLE_CELL];

        fprintf(out, ", $row%zu using 1 title ", r);
        plot_text(out, ratio_lattice(name, line));
    }
    putc('\n', out);
}

static enum ca_status compare_ratio(const struct ca_results file[], int count,
                                    const struct options *options, struct ca_error *error)
{
    const char *text = options_value(options, OPTION_RATIO), *comma = strchr(text, ',');
    struct ratio_job job = {.file = file, .count = count};
    enum ca_status status;
    char title[256];

    snprintf(job.a, sizeof job.a, "%.*s", (int)(comma - text), text);
    snprintf(job.b, sizeof job.b, "%s", comma + 1);
    snprintf(title, sizeof title, "the rate of %s by that of %s", job.a, job.b);
    status = ratio_find_lines(&job, error);
    if (status == CA_OK)
        status = ratio_print(&job, options_has(options, OPTION_JSON), error);
    if (status == CA_OK && options_has(options, OPTION_PLOT))
        status = plot_draw(options_value(options, OPTION_PLOT), title, ratio_script, &job, error);
    json_decref(job.lines);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

int command_compare(const struct options *options, struct ca_error *error)
{
    struct ca_results file[OPERANDS_MAX] = {{.path = NULL}};
    int count = options->operands;
    enum ca_status status;

    if (count < 2)
        return ca_fail(error, CA_USAGE,
                       "expected two files or more from calab bench --json, got %d", count);
    CA_TRY(compare_ratio_check(options, error));
    status = CA_OK;
    for (int i = 0; i < count && status == CA_OK; i++)
        status = ca_results_open(&file[i], options->operand[i], error);
    if (status == CA_OK)
        status = options_has(options, OPTION_RATIO)
                     ? compare_ratio(file, count, options, error)
                     : compare_lines(file, count, options_has(options, OPTION_JSON), error);
    for (int i = 0; i < count; i++)
        json_decref(file[i].root);
    return (int)status;
}
