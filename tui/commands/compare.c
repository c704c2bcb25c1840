/* SPDX-License-Identifier: MIT */
/* calab compare: results of bench --json, line by line, the first file against each other one; with
 * --ratio two backends over machines, by a ratio for each lattice and file. */
#include <jansson.h>

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/compare/ratio.h"
#include "core/bench/report.h"
#include "core/files/file.h"
#include "core/files/json.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/plot.h"
#include "tui/commands/table.h"

/* A file of bench --json, whose lines have been checked. */
struct compare_side {
    const char *path;
    json_t *root, *lines;
};

static const char *const compare_ordinal[OPERANDS_MAX] = {"first", "second", "third",   "fourth",
                                                          "fifth", "sixth",  "seventh", "eighth"};

/* --- members ---------------------------------------------------------------------------------- */

/* A text member, "" where there is none. */
static const char *compare_text(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));

    return text ? text : "";
}

static const json_t *first_gpu(const json_t *provenance)
{
    return json_array_get(json_object_get(provenance, "gpus"), 0);
}

/* A positive number, 0 where there is none. */
static double compare_figure(const json_t *line, const char *name)
{
    double value = json_number_value(json_object_get(line, name));

    return isfinite(value) && value > 0 ? value : 0;
}

static const char *compare_backend(const json_t *line)
{
    return compare_text(json_object_get(line, "experiment"), "backend");
}

static bool same_key(const json_t *a, const json_t *b, const char *key)
{
    const json_t *p = json_object_get(a, key), *q = json_object_get(b, key);

    return p == q || json_equal(p, q);
}

/* Whether two lines have the same experiment, but for backend and options, and label. */
static bool compare_same_work(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "experiment"), *y = json_object_get(b, "experiment");

    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & CA_MAKES_RUN) && !same_key(x, y, ca_key_rows[i].name))
            return false;
    return same_key(x, y, "parameters") &&
           strcmp(compare_text(a, "label"), compare_text(b, "label")) == 0;
}

/* --- the lines that are compared -------------------------------------------------------------- */

static const json_t *option_of(const json_t *line, const char *name)
{
    return json_object_get(json_object_get(json_object_get(line, "experiment"), "options"), name);
}

/* The slabs that a line's options ask for; 0: one for each GPU of its machine. */
static json_int_t ranks_of(const json_t *line)
{
    const char *list = json_string_value(option_of(line, "devices"));
    json_int_t ranks = json_integer_value(option_of(line, "ranks"));

    if (ranks > 0 || (list && strcmp(list, "all") == 0))
        return ranks;
    for (ranks = 1; list && (list = strchr(list, ',')) != NULL; list++)
        ranks++;
    return ranks;
}

static bool compare_same_ranks(const json_t *a, const json_t *b)
{
    return ranks_of(a) == ranks_of(b);
}

/* How alike two lines are to be cut. */
enum likeness { SAME_CUT, SAME_RANKS, ANY_CUT };

static bool cut_alike(const json_t *a, const json_t *b, enum likeness likeness)
{
    const json_t *p = option_of(a, "devices"), *q = option_of(b, "devices");

    return likeness == ANY_CUT ||
           (compare_same_ranks(a, b) && (likeness == SAME_RANKS || p == q || json_equal(p, q)));
}

/* The first line of a file that is the same run on the same backend, and how many there are. */
static const json_t *first_alike(const struct compare_side *side, const json_t *line,
                                 enum likeness likeness, int *count)
{
    const json_t *found = NULL;

    *count = 0;
    for (size_t i = 0; i < json_array_size(side->lines); i++) {
        const json_t *other = json_array_get(side->lines, i);

        if (!compare_same_work(other, line) ||
            strcmp(compare_backend(other), compare_backend(line)) != 0 ||
            !json_equal(json_object_get(other, "threads"), json_object_get(line, "threads")) ||
            !cut_alike(other, line, likeness))
            continue;
        found = found ? found : other;
        (*count)++;
    }
    return found;
}

/*
 * The line of `side` that stands for one of `own`: the same run on the same backend, cut in the
 * same way. Else the only such line that was cut in as many slabs, and else the only one, if the
 * line is likewise the only one of its own file. Other options may differ, because a comparison may
 * be about them. NULL: none.
 */
static const json_t *compare_find(const struct compare_side *side, const json_t *line,
                                  const struct compare_side *own)
{
    for (enum likeness likeness = SAME_CUT; likeness <= ANY_CUT; likeness++) {
        int there, here;
        const json_t *found = first_alike(side, line, likeness, &there);

        first_alike(own, line, likeness, &here);
        if (found && (likeness == SAME_CUT || (there == 1 && here == 1)))
            return found;
    }
    return NULL;
}

/* "  ranks=2", "  devices=0,1", or "" of a line that was not cut. Returns text. */
static char *compare_cut(char text[128], const json_t *line)
{
    const char *list = json_string_value(option_of(line, "devices"));
    json_int_t ranks = json_integer_value(option_of(line, "ranks"));
    int used = 0;

    text[0] = '\0';
    if (ranks > 0)
        used = snprintf(text, 128, "  ranks=%d", (int)ranks);
    if (list && list[0])
        snprintf(text + used, 128 - (size_t)used, "  devices=%.80s", list);
    return text;
}

#define FILE_MAX (64 << 20)
#define DRIFT_MOST 0.1 /* a machine whose speed has changed by more tells nothing of kernels */

/* Texts of a file that somebody else may have written are printed, so they lose what steers a
 * terminal. */
static void make_plain(json_t *json)
{
    const char *name;
    json_t *member;
    size_t i;

    json_object_foreach(json, name, member) make_plain(member);
    json_array_foreach(json, i, member) make_plain(member);
    if (json_is_string(json)) {
        char *text = strdup(json_string_value(json));

        if (!text || json_string_set(json, ca_plain(text)) != 0)
            json_string_set(json, "?");
        free(text);
    }
}

static enum ca_status side_open(struct compare_side *side, const char *path, struct ca_error *error)
{
    enum ca_status status;
    json_error_t cause;
    char *bytes;
    size_t size;

    side->path = path;
    CA_TRY(ca_file_read_text(path, FILE_MAX, &bytes, &size, error));
    status = ca_json_parse(&side->root, bytes, size, 0, &cause);
    free(bytes);
    if (status == CA_NO_MEMORY)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %s", path);
    if (!side->root)
        return ca_fail(error, CA_IO, "%s:%d: %s; expected the output of calab bench --json", path,
                       cause.line, cause.text);
    make_plain(side->root);
    if (strcmp(compare_text(side->root, "schema"), CA_BENCH_SCHEMA) != 0)
        return ca_fail(error, CA_IO, "%s: the schema is '%.80s', expected '%s'", path,
                       compare_text(side->root, "schema"), CA_BENCH_SCHEMA);
    side->lines = json_object_get(side->root, "lines");
    if (!json_is_array(side->lines))
        return ca_fail(error, CA_IO, "%s: 'lines' is not a list", path);
    /* Checks that each line has the members that the comparison reads. */
    for (size_t i = 0; i < json_array_size(side->lines); i++) {
        const json_t *line = json_array_get(side->lines, i);
        const json_t *experiment = json_object_get(line, "experiment");

        if (!compare_text(experiment, "model")[0] || !compare_text(experiment, "backend")[0] ||
            !json_is_array(json_object_get(experiment, "size")) ||
            !json_is_integer(json_object_get(line, "threads")))
            return ca_fail(
                error, CA_IO,
                "%s: line %zu has no threads, or its experiment no model, backend or size",
                side->path, i + 1);
    }
    return CA_OK;
}

/* --- one row --------------------------------------------------------------------------------- */

/* The line of one file against that of the first. */
struct verdict {
    double ratio; /* of the rates; 0: unknown */
    char text[CA_RATIO_VERDICT];
    const char *states; /* "equal" or "different"; NULL: they cannot be compared */
};

/* Computes the statistics of the calls that count; a file without them has their median and
 * deviation. */
static struct ca_bench_stats stats_of(const json_t *line)
{
    const json_t *samples = json_object_get(line, "samples_s");
    double sample[CA_BENCH_SAMPLES];
    int n = (int)json_array_size(samples);

    for (int i = 0; i < n && i < CA_BENCH_SAMPLES; i++)
        sample[i] = json_number_value(json_array_get(samples, (size_t)i));
    if (n > 0 && n <= CA_BENCH_SAMPLES)
        return ca_bench_stats(sample, n);
    return (struct ca_bench_stats){.n = (int)json_integer_value(json_object_get(line, "n")),
                                   .median = compare_figure(line, "median_s"),
                                   .mad = compare_figure(line, "mad_s"),
                                   .min = compare_figure(line, "min_s")};
}

static struct ca_bench_figures figures_of(const json_t *line, bool one_machine)
{
    return (struct ca_bench_figures){
        .stats = stats_of(line),
        .work = compare_figure(line, "mups") * 1e6 * compare_figure(line, "median_s"),
        .speed = one_machine && !json_is_true(
                                    json_object_get(json_object_get(line, "interference"), "gpu"))
                     ? compare_figure(line, "loop_per_s")
                     : 0};
}

/* The two states, where both lines have one of the same generation by the same hash. */
static const char *states_of(const json_t *a, const json_t *b)
{
    const char *one = compare_text(a, "hash"), *other = compare_text(b, "hash");

    if (!one[0] || !other[0] ||
        json_integer_value(json_object_get(a, "steps")) !=
            json_integer_value(json_object_get(b, "steps")))
        return NULL;
    return strcmp(one, other) == 0 ? "equal" : "different";
}

/* Its times are no speed. */
static bool is_emulated(const json_t *line)
{
    return json_is_true(json_object_get(line, "emulated"));
}

/* `a` of the first file and `b` of file `at`, NULL where it lacks the line. */
static struct verdict compare_judge(const json_t *a, const json_t *b, bool one_machine, int at)
{
    static const char *const missing[OPERANDS_MAX] = {
        "not in the first", "not in the second", "not in the third",   "not in the fourth",
        "not in the fifth", "not in the sixth",  "not in the seventh", "not in the eighth"};
    struct verdict verdict = {.ratio = 0};
    double mups[2] = {compare_figure(a, "mups"), compare_figure(b, "mups")};

    if (!a || !b)
        snprintf(verdict.text, sizeof verdict.text, "%s", missing[b ? 0 : at]);
    else if (mups[0] <= 0 || mups[1] <= 0)
        snprintf(verdict.text, sizeof verdict.text, "%s",
                 is_emulated(a) || is_emulated(b) ? "emulated" : "no figures");
    else {
        struct ca_bench_figures one, other;
        double fast, slow;
        struct ca_bench_factor factor;
        const json_t *unsure;

        verdict.ratio = mups[1] / mups[0];
        /* Judges the ratio where both lines have figures. */
        one = figures_of(a, one_machine);
        other = figures_of(b, one_machine);
        fast = fmax(one.speed, other.speed);
        slow = fmin(one.speed, other.speed);
        factor = ca_bench_factor_of(&other, &one, CA_BENCH_SIGMAS);
        unsure = json_is_true(json_object_get(a, "unsure"))   ? a
                 : json_is_true(json_object_get(b, "unsure")) ? b
                                                              : NULL;
        if (unsure)
            snprintf(verdict.text, sizeof verdict.text, "unsure: %s",
                     compare_text(json_object_get(unsure, "interference"), "text"));
        else if (slow > 0 && fast > (1 + DRIFT_MOST) * slow)
            snprintf(verdict.text, sizeof verdict.text,
                     "unsure: a fixed loop ran %.2f times as fast in one of the files",
                     fast / slow);
        else
            snprintf(verdict.text, sizeof verdict.text, "%s",
                     !isfinite(factor.error) ? "too few calls"
                     : factor.low > 1        ? "faster"
                     : factor.high < 1       ? "slower"
                                             : "same");
    }
    if (a && b)
        verdict.states = states_of(a, b);
    return verdict;
}

/* A line of any file, and what each file has of it. */
struct row {
    const json_t *any, *line[OPERANDS_MAX];
    struct verdict verdict[OPERANDS_MAX]; /* but for the first file */
};

static void compare_print_row(const struct row *row, int count)
{
    const json_t *experiment = json_object_get(row->any, "experiment");
    char size[64], cut[128];

    printf("%-8s %-14s %-20s %7d", compare_text(experiment, "model"),
           table_sides(size, json_object_get(experiment, "size")),
           compare_text(experiment, "backend"),
           (int)json_integer_value(json_object_get(row->any, "threads")));
    for (int i = 0; i < count; i++) {
        char rate[CA_QUANTITY_TEXT];

        printf(" %12s", is_emulated(row->line[i])
                            ? "emulated"
                            : ca_rate(rate, compare_figure(row->line[i], "mups") * 1e6));
    }
    for (int i = 1; i < count; i++) {
        const struct verdict *verdict = &row->verdict[i];
        bool differs = verdict->states && strcmp(verdict->states, "different") == 0;
        char ratio[32] = "-";

        if (verdict->ratio > 0)
            snprintf(ratio, sizeof ratio, "%.3f", verdict->ratio);
        printf(" %8s  %s%-*s", ratio, verdict->text,
               i + 1 < count ? 24 - (int)strlen(verdict->text) : 0,
               differs ? ", another state" : "");
    }
    printf("%s%s%s\n", compare_text(row->any, "label")[0] ? "  " : "",
           compare_text(row->any, "label"), compare_cut(cut, row->any));
}

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

static json_t *known(double value) { return value > 0 ? json_real(value) : json_null(); }

static void add_row(json_t *list, const struct row *row, int count)
{
    json_t *mups = json_array(), *ratio = json_array(), *verdict = json_array(),
           *states = json_array();

    for (int i = 0; i < count; i++) {
        json_array_append_new(mups, known(compare_figure(row->line[i], "mups")));
        json_array_append_new(ratio, known(row->verdict[i].ratio));
        json_array_append_new(verdict, text_or_null(i > 0 ? row->verdict[i].text : NULL));
        json_array_append_new(states, text_or_null(row->verdict[i].states));
    }
    json_array_append_new(list, json_pack("{s:O, s:O, s:s, s:o, s:o, s:o, s:o}", "experiment",
                                          json_object_get(row->any, "experiment"), "threads",
                                          json_object_get(row->any, "threads"), "label",
                                          compare_text(row->any, "label"), "mups", mups, "ratio",
                                          ratio, "verdict", verdict, "states", states));
}

/* --------------------------------------------------------------------------------------------- */

static void compare_print_files(const struct compare_side side[], int count)
{
    for (int i = 0; i < count; i++) {
        const json_t *from = json_object_get(side[i].root, "provenance");
        const json_t *gpu = first_gpu(from);
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s", side[i].path);
        printf("# %s: %s; calab %s, %s on %s, %s%s%s\n", compare_ordinal[i], ca_plain(path),
               compare_text(from, "version"), compare_text(from, "date"),
               compare_text(from, "host"), compare_text(from, "cpu"), gpu ? ", " : "",
               compare_text(gpu, "name"));
    }
}

static bool same_machine(const struct compare_side *a, const struct compare_side *b)
{
    const json_t *x = json_object_get(a->root, "provenance");
    const json_t *y = json_object_get(b->root, "provenance");

    return strcmp(compare_text(x, "host"), compare_text(y, "host")) == 0 &&
           strcmp(compare_text(x, "cpu"), compare_text(y, "cpu")) == 0;
}

/* Fills the row of a line of file `at`. False if an earlier file has it, whose row it is in. */
static bool fill_row(struct row *row, const struct compare_side side[], int count, int at,
                     const json_t *line)
{
    *row = (struct row){.any = line};
    for (int i = 0; i < count; i++) {
        row->line[i] = compare_find(&side[i], line, &side[at]);
        if (i < at && row->line[i])
            return false;
        if (i > 0 && (row->line[0] || row->line[i]))
            row->verdict[i] =
                compare_judge(row->line[0], row->line[i], same_machine(&side[0], &side[i]), i);
        else if (i > 0)
            strcpy(row->verdict[i].text, "not there either");
    }
    return true;
}

/* Adds each row to the list, or prints it if there is no list; counts the lines that each file has
 * in common with the first. */
static void each_row(const struct compare_side side[], int count, json_t *list,
                     int common[OPERANDS_MAX])
{
    for (int at = 0; at < count; at++)
        for (size_t i = 0; i < json_array_size(side[at].lines); i++) {
            struct row row;

            if (!fill_row(&row, side, count, at, json_array_get(side[at].lines, i)))
                continue;
            for (int k = 1; k < count; k++)
                common[k] += row.line[0] && row.line[k];
            if (list)
                add_row(list, &row, count);
            else
                compare_print_row(&row, count);
        }
}

static enum ca_status compare_lines(const struct compare_side side[], int count, bool json,
                                    struct ca_error *error)
{
    int common[OPERANDS_MAX] = {0};

    if (json) {
        json_t *list = json_array(), *files = json_array();

        for (int i = 0; i < count; i++)
            json_array_append_new(files, json_string(side[i].path));
        each_row(side, count, list, common);
        CA_TRY(json_print(json_pack("{s:s, s:o, s:o}", "schema", "calab-compare/2", "files", files,
                                    "lines", list),
                          error));
    } else {
        compare_print_files(side, count);
        printf("%-8s %-14s %-20s %7s", "model", "size", "backend", "threads");
        for (int i = 0; i < count; i++)
            printf(" %12s", compare_ordinal[i]);
        for (int i = 1; i < count; i++) {
            char is[32];

            snprintf(is, sizeof is, "%s is", compare_ordinal[i]);
            printf(" %8s  %-*s", "ratio", i + 1 < count ? 24 : 0, is);
        }
        putchar('\n');
        each_row(side, count, NULL, common);
    }
    for (int i = 1; i < count; i++)
        if (common[i] == 0)
            return ca_fail(error, CA_WRONG, "%.200s and %.200s have no line in common",
                           side[0].path, side[i].path);
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

/* A lattice that some file has both backends on, and the ratio in each file; 0: unknown. */
struct ratio_row {
    const json_t *line; /* of A, in the first file that has it */
    double ratio[OPERANDS_MAX];
};

struct ratio_job {
    const struct compare_side *side;
    int count; /* of files */
    char a[64], b[64];
    struct ratio_row *row;
    int rows;
};

/* The number of threads counts where both backends have the option. */
static bool ratio_same_threads(const json_t *a, const json_t *b)
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
            ratio_same_threads(line, other) && compare_same_ranks(line, other))
            return other;
    }
    return NULL;
}

/* The ratio in a file on the lattice of a line of A, 0: unknown. */
static double ratio_in(const struct ratio_job *job, int file, const json_t *line)
{
    const json_t *a = compare_ratio_find(&job->side[file], job->a, line);
    const json_t *b = a ? compare_ratio_find(&job->side[file], job->b, a) : NULL;
    double divisor = compare_figure(b, "mups");

    return divisor > 0 ? compare_figure(a, "mups") / divisor : 0;
}

/* The row of a line of file `at`. False if it is not one of A, an earlier file has it, or no file
 * has a ratio of it. */
static bool fill_ratio_row(struct ratio_row *row, const struct ratio_job *job, int at,
                           const json_t *line)
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

static enum ca_status fill_ratio_rows(struct ratio_job *job, struct ca_error *error)
{
    size_t lines = 1;

    for (int i = 0; i < job->count; i++)
        lines += json_array_size(job->side[i].lines);
    job->row = calloc(lines, sizeof *job->row);
    if (!job->row)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %zu lines", lines);
    for (int at = 0; at < job->count; at++)
        for (size_t i = 0; i < json_array_size(job->side[at].lines); i++)
            job->rows += fill_ratio_row(&job->row[job->rows], job, at,
                                        json_array_get(job->side[at].lines, i));
    if (job->rows == 0)
        return ca_fail(error, CA_WRONG,
                       "--ratio: no file has figures of both %s and %s on the same lattice", job->a,
                       job->b);
    return CA_OK;
}

/* "water 512x512, 2 threads, a label". Returns text. */
static char *ratio_row_name(char text[256], const json_t *line)
{
    const json_t *experiment = json_object_get(line, "experiment");
    int threads = (int)json_integer_value(json_object_get(line, "threads"));
    const char *label = compare_text(line, "label");
    char size[64], cut[128], of[32] = "";

    if (threads > 1)
        snprintf(of, sizeof of, ", %d threads", threads);
    snprintf(text, 256, "%.40s %s%s%s%.80s%.80s", compare_text(experiment, "model"),
             table_sides(size, json_object_get(experiment, "size")), of, label[0] ? ", " : "",
             label, compare_cut(cut, line));
    return text;
}

static enum ca_status compare_ratio_print(const struct ratio_job *job, bool json,
                                          struct ca_error *error)
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

            printf("%-36s", ratio_row_name(name, job->row[i].line));
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
        json_t *ratio = json_array();

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

/* A group of bars a machine, a bar a lattice, and a line where both are as fast. */
static void ratio_script(FILE *out, const void *context)
{
    const struct ratio_job *job = context;

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
        gpu = first_gpu(from);
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
        plot_text(out, ratio_row_name(name, job->row[r].line));
    }
    putc('\n', out);
}

static enum ca_status compare_ratio(const struct compare_side side[], int count,
                                    const struct options *options, struct ca_error *error)
{
    const char *text = options_value(options, OPTION_RATIO), *comma = strchr(text, ',');
    struct ratio_job job = {.side = side, .count = count};
    enum ca_status status;
    char title[256];

    snprintf(job.a, sizeof job.a, "%.*s", (int)(comma - text), text);
    snprintf(job.b, sizeof job.b, "%s", comma + 1);
    snprintf(title, sizeof title, "the rate of %s by that of %s", job.a, job.b);
    status = fill_ratio_rows(&job, error);
    if (status == CA_OK)
        status = compare_ratio_print(&job, options_has(options, OPTION_JSON), error);
    if (status == CA_OK && options_has(options, OPTION_PLOT))
        status = plot_draw(options_value(options, OPTION_PLOT), title, ratio_script, &job, error);
    free(job.row);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

int command_compare(const struct options *options, struct ca_error *error)
{
    struct compare_side side[OPERANDS_MAX] = {{.path = NULL}};
    int count = options->operands;
    enum ca_status status;

    if (count < 2)
        return ca_fail(error, CA_USAGE,
                       "expected two files or more from calab bench --json, got %d", count);
    CA_TRY(compare_ratio_check(options, error));
    status = CA_OK;
    for (int i = 0; i < count && status == CA_OK; i++)
        status = side_open(&side[i], options->operand[i], error);
    if (status == CA_OK)
        status = options_has(options, OPTION_RATIO)
                     ? compare_ratio(side, count, options, error)
                     : compare_lines(side, count, options_has(options, OPTION_JSON), error);
    for (int i = 0; i < count; i++)
        json_decref(side[i].root);
    return (int)status;
}
