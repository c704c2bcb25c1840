/* SPDX-License-Identifier: MIT */
/* This file compares two backends over machines: by a ratio for each lattice and file. */
#include "tui/commands/compare.h"

#include <stdlib.h>
#include <string.h>

#include "core/sim/experiment.h"
#include "tui/commands/plot.h"
#include "tui/commands/json.h"

enum ca_status compare_ratio_check(const struct options *options, struct ca_error *error)
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

/* A lattice that some file has both backends on, and the ratio in each file; 0: unknown. */
struct row {
    const json_t *line; /* of A, in the first file that has it */
    double ratio[OPERANDS_MAX];
};

struct job {
    const struct compare_side *side;
    int count; /* of files */
    char a[64], b[64];
    struct row *row;
    int rows;
};

/* The number of threads counts where both backends have the option. */
static bool same_threads(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(json_object_get(a, "experiment"), "options");
    const json_t *y = json_object_get(json_object_get(b, "experiment"), "options");

    return !json_object_get(x, "threads") || !json_object_get(y, "threads") ||
           json_integer_value(json_object_get(a, "threads")) ==
               json_integer_value(json_object_get(b, "threads"));
}

static const json_t *compare_ratio_find(const struct compare_side *side, const char *backend,
                                        const json_t *line)
{
    for (size_t i = 0; i < json_array_size(side->lines); i++) {
        const json_t *other = json_array_get(side->lines, i);

        if (strcmp(compare_backend(other), backend) == 0 && compare_same_work(line, other) &&
            same_threads(line, other) && compare_same_ranks(line, other))
            return other;
    }
    return NULL;
}

/* The ratio in a file on the lattice of a line of A, 0: unknown. */
static double ratio_in(const struct job *job, int file, const json_t *line)
{
    const json_t *a = compare_ratio_find(&job->side[file], job->a, line);
    const json_t *b = a ? compare_ratio_find(&job->side[file], job->b, a) : NULL;
    double divisor = compare_figure(b, "mups");

    return divisor > 0 ? compare_figure(a, "mups") / divisor : 0;
}

/* The row of a line of file `at`. False if it is not one of A, an earlier file has it, or no file
 * has a ratio of it. */
static bool fill_row(struct row *row, const struct job *job, int at, const json_t *line)
{
    bool any = false;

    if (strcmp(compare_backend(line), job->a) != 0)
        return false;
    row->line = line;
    for (int i = 0; i < job->count; i++) {
        if (i < at && compare_ratio_find(&job->side[i], job->a, line))
            return false;
        row->ratio[i] = ratio_in(job, i, line);
        any |= row->ratio[i] > 0;
    }
    return any;
}

static enum ca_status fill_rows(struct job *job, struct ca_error *error)
{
    size_t lines = 1;

    for (int i = 0; i < job->count; i++)
        lines += json_array_size(job->side[i].lines);
    job->row = calloc(lines, sizeof *job->row);
    if (!job->row)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu lines", lines);
    for (int at = 0; at < job->count; at++)
        for (size_t i = 0; i < json_array_size(job->side[at].lines); i++)
            job->rows +=
                fill_row(&job->row[job->rows], job, at, json_array_get(job->side[at].lines, i));
    if (job->rows == 0)
        return ca_fail(error, CA_WRONG,
                       "--ratio: no file has figures of both %s and %s on the same lattice", job->a,
                       job->b);
    return CA_OK;
}

/* --- forms ----------------------------------------------------------------------------------- */

/* "water 512x512, 2 threads, a label". Returns text. */
static char *row_name(char text[256], const json_t *line)
{
    const json_t *experiment = json_object_get(line, "experiment");
    int threads = (int)json_integer_value(json_object_get(line, "threads"));
    const char *label = compare_text(line, "label");
    char size[64], cut[128], of[32] = "";

    if (threads > 1)
        snprintf(of, sizeof of, ", %d threads", threads);
    snprintf(text, 256, "%.40s %s%s%s%.80s%.80s", compare_text(experiment, "model"),
             compare_size(size, experiment), of, label[0] ? ", " : "", label,
             compare_cut(cut, line));
    return text;
}

static enum ca_status compare_ratio_print(const struct job *job, bool json, struct ca_error *error)
{
    json_t *list, *files;

    if (!json) {
        compare_print_files(job->side, job->count);
        printf("# the rate of %s by that of %s\n%-36s", job->a, job->b, "lattice");
        for (int i = 0; i < job->count; i++)
            printf(" %8s", compare_ordinal[i]);
        putchar('\n');
        for (int i = 0; i < job->rows; i++) {
            char name[256];

            printf("%-36s", row_name(name, job->row[i].line));
            for (int k = 0; k < job->count; k++) {
                char ratio[32] = "-";

                if (job->row[i].ratio[k] > 0)
                    snprintf(ratio, sizeof ratio, "%.3f", job->row[i].ratio[k]);
                printf(" %8s", ratio);
            }
            putchar('\n');
        }
        return CA_OK;
    }
    list = json_array();
    files = json_array();
    for (int i = 0; i < job->count; i++)
        json_array_append_new(files, json_string(job->side[i].path));
    for (int i = 0; i < job->rows; i++) {
        json_t *ratio;

        ratio = json_array();
        for (int k = 0; k < job->count; k++)
            json_array_append_new(ratio, job->row[i].ratio[k] > 0 ? json_real(job->row[i].ratio[k])
                                                                  : json_null());
        json_array_append_new(list,
                              json_pack("{s:O, s:O, s:s, s:o}", "experiment",
                                        json_object_get(job->row[i].line, "experiment"), "threads",
                                        json_object_get(job->row[i].line, "threads"), "label",
                                        compare_text(job->row[i].line, "label"), "ratio", ratio));
    }
    return json_print(json_pack("{s:s, s:o, s:[s, s], s:o}", "schema", "calab-compare-ratio/1",
                                "files", files, "backends", job->a, job->b, "lines", list),
                      error);
}

/* --- the plot -------------------------------------------------------------------------------- */

/* A group of bars a machine, a bar a lattice, and a line where both are as fast. */
static void script(FILE *out, const void *context)
{
    const struct job *job = context;

    fputs("set datafile missing '?'\nset style data histograms\nset style histogram clustered\n"
          "set style fill solid 0.6\nset grid ytics\nset yrange [0:*]\nset key outside bottom\n"
          "set xtics ()\n",
          out);
    for (int i = 0; i < job->count; i++) {
        const json_t *from, *gpu;
        const char *device, *slash;
        char text[256];

        fputs("set xtics add (", out);
        /* A machine by its GPU or CPU, and by its file, as there may be several of one kind. */
        from = json_object_get(job->side[i].root, "provenance");
        gpu = json_array_get(json_object_get(from, "gpus"), 0);
        device = compare_text(gpu ? gpu : from, gpu ? "name" : "cpu");
        slash = strrchr(job->side[i].path, '/');
        snprintf(text, sizeof text, "%.100s (%.100s)", device,
                 slash ? slash + 1 : job->side[i].path);
        plot_text(out, text);
        fprintf(out, " %d)\n", i);
    }
    for (int r = 0; r < job->rows; r++) {
        fprintf(out, "$row%d << EOD\n", r);
        for (int i = 0; i < job->count; i++)
            if (job->row[r].ratio[i] > 0)
                fprintf(out, "%.6g\n", job->row[r].ratio[i]);
            else
                fputs("?\n", out);
        fputs("EOD\n", out);
    }
    fputs("plot 1 with lines linecolor 'black' notitle", out);
    for (int r = 0; r < job->rows; r++) {
        char name[256];

        fprintf(out, ", $row%d using 1 title ", r);
        plot_text(out, row_name(name, job->row[r].line));
    }
    putc('\n', out);
}

/* --------------------------------------------------------------------------------------------- */

enum ca_status compare_ratio(const struct compare_side side[], int count,
                             const struct options *options, struct ca_error *error)
{
    const char *text = options_value(options, OPTION_RATIO), *comma = strchr(text, ',');
    struct job job = {.side = side, .count = count};
    enum ca_status status;
    char title[256];

    snprintf(job.a, sizeof job.a, "%.*s", (int)(comma - text), text);
    snprintf(job.b, sizeof job.b, "%s", comma + 1);
    snprintf(title, sizeof title, "the rate of %s by that of %s", job.a, job.b);
    status = fill_rows(&job, error);
    if (status == CA_OK)
        status = compare_ratio_print(&job, options_has(options, OPTION_JSON), error);
    if (status == CA_OK && options_has(options, OPTION_PLOT))
        status = plot_draw(options_value(options, OPTION_PLOT), title, script, &job, error);
    free(job.row);
    return status;
}
