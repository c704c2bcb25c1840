/* SPDX-License-Identifier: MIT */
/* calab compare: results of bench --json, line by line, the first file against each other one. */
#include "tui/commands/compare.h"

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

/* --- the lines that are compared -------------------------------------------------------------- */

const char *compare_backend(const json_t *line)
{
    return compare_text(json_object_get(line, "experiment"), "backend");
}

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

bool compare_same_ranks(const json_t *a, const json_t *b) { return ranks_of(a) == ranks_of(b); }

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

char *compare_cut(char text[128], const json_t *line)
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

const char *const compare_ordinal[OPERANDS_MAX] = {"first", "second", "third",   "fourth",
                                                   "fifth", "sixth",  "seventh", "eighth"};

const char *compare_text(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));

    return text ? text : "";
}

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

static bool same_key(const json_t *a, const json_t *b, const char *key)
{
    const json_t *p = json_object_get(a, key), *q = json_object_get(b, key);

    return p == q || json_equal(p, q);
}

bool compare_same_work(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "experiment"), *y = json_object_get(b, "experiment");

    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & CA_MAKES_RUN) && !same_key(x, y, ca_key_rows[i].name))
            return false;
    return same_key(x, y, "parameters") &&
           strcmp(compare_text(a, "label"), compare_text(b, "label")) == 0;
}

/* --- one row --------------------------------------------------------------------------------- */

/* The line of one file against that of the first. */
struct verdict {
    double ratio; /* of the rates; 0: unknown */
    char text[CA_RATIO_VERDICT];
    const char *states; /* "equal" or "different"; NULL: they cannot be compared */
};

double compare_figure(const json_t *line, const char *name)
{
    double value = json_number_value(json_object_get(line, name));

    return isfinite(value) && value > 0 ? value : 0;
}

static bool on_gpu(const json_t *line)
{
    return json_is_true(json_object_get(json_object_get(line, "interference"), "gpu"));
}

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
        .speed = one_machine && !on_gpu(line) ? compare_figure(line, "loop_per_s") : 0};
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

char *compare_size(char text[64], const json_t *experiment)
{
    const json_t *size = json_object_get(experiment, "size");
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(size) && i < 3; i++)
        used += (size_t)snprintf(text + used, 64 - used, "%s%" PRId64, i ? "x" : "",
                                 (int64_t)json_integer_value(json_array_get(size, i)));
    return text;
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
           compare_size(size, experiment), compare_text(experiment, "backend"),
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

void compare_print_files(const struct compare_side side[], int count)
{
    for (int i = 0; i < count; i++) {
        const json_t *from = json_object_get(side[i].root, "provenance");
        const json_t *gpu = json_array_get(json_object_get(from, "gpus"), 0);
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s", side[i].path);
        printf("# %s: %s; calab %s, %s on %s, %s%s%s\n", compare_ordinal[i], ca_plain(path),
               compare_text(from, "version"), compare_text(from, "date"),
               compare_text(from, "host"), compare_text(from, "cpu"), gpu ? ", " : "",
               compare_text(gpu, "name"));
    }
}

static void print_head(int count)
{
    printf("%-8s %-14s %-20s %7s", "model", "size", "backend", "threads");
    for (int i = 0; i < count; i++)
        printf(" %12s", compare_ordinal[i]);
    for (int i = 1; i < count; i++) {
        char is[32];

        snprintf(is, sizeof is, "%s is", compare_ordinal[i]);
        printf(" %8s  %-*s", "ratio", i + 1 < count ? 24 : 0, is);
    }
    putchar('\n');
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
        print_head(count);
        each_row(side, count, NULL, common);
    }
    for (int i = 1; i < count; i++)
        if (common[i] == 0)
            return ca_fail(error, CA_WRONG, "%.200s and %.200s have no line in common",
                           side[0].path, side[i].path);
    return CA_OK;
}

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
