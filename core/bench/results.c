/* SPDX-License-Identifier: MIT */
/* This file reads results of benchmarks, finds the lines that are the same work, and judges whether
 * one of them is faster than another. */
#include "core/bench/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/bench/report.h"
#include "core/files/file.h"
#include "core/files/json.h"

const char *const ca_ordinals[CA_RESULTS_MAX] = {"first", "second", "third",   "fourth",
                                                 "fifth", "sixth",  "seventh", "eighth"};

/* --- a file ---------------------------------------------------------------------------------- */

#define FILE_MAX (64 << 20)

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

enum ca_status ca_results_open(struct ca_results *results, const char *path, struct ca_error *error)
{
    enum ca_status status;
    json_error_t cause;
    char *bytes;
    size_t size;

    results->path = path;
    CA_TRY(ca_file_read_text(path, FILE_MAX, &bytes, &size, error));
    status = ca_json_parse(&results->root, bytes, size, 0, &cause);
    free(bytes);
    if (status == CA_NO_MEMORY)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %s", path);
    if (!results->root)
        return ca_fail(error, CA_IO, "%s:%d: %s; expected the output of calab bench --json", path,
                       cause.line, cause.text);
    make_plain(results->root);
    if (strcmp(ca_json_member(results->root, "schema"), CA_BENCH_SCHEMA) != 0)
        return ca_fail(error, CA_IO, "%s: the schema is '%.80s', expected '%s'", path,
                       ca_json_member(results->root, "schema"), CA_BENCH_SCHEMA);
    results->lines = json_object_get(results->root, "lines");
    if (!json_is_array(results->lines))
        return ca_fail(error, CA_IO, "%s: 'lines' is not a list", path);
    /* Checks that each line has the members that the comparison reads. */
    for (size_t i = 0; i < json_array_size(results->lines); i++) {
        const json_t *line = json_array_get(results->lines, i);
        const json_t *experiment = json_object_get(line, "experiment");

        if (!ca_json_member(experiment, "model")[0] || !ca_json_member(experiment, "backend")[0] ||
            !json_is_array(json_object_get(experiment, "size")) ||
            !json_is_integer(json_object_get(line, "threads")))
            return ca_fail(
                error, CA_IO,
                "%s: line %zu has no threads, or its experiment no model, backend or size",
                results->path, i + 1);
    }
    return CA_OK;
}

/* --- lines of the same work --------------------------------------------------------------------
 */

double ca_results_figure(const json_t *line, const char *name)
{
    double value = ca_json_number(line, name);

    return isfinite(value) && value > 0 ? value : 0;
}

static const char *backend_of(const json_t *line)
{
    return ca_json_member(json_object_get(line, "experiment"), "backend");
}

static bool same_key(const json_t *a, const json_t *b, const char *key)
{
    const json_t *p = json_object_get(a, key), *q = json_object_get(b, key);

    return p == q || json_equal(p, q);
}

/* Whether two lines have the same experiment, but for backend and options, and label. */
static bool is_same_work(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "experiment"), *y = json_object_get(b, "experiment");

    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & CA_MAKES_RUN) && !same_key(x, y, ca_key_rows[i].name))
            return false;
    return same_key(x, y, "parameters") &&
           strcmp(ca_json_member(a, "label"), ca_json_member(b, "label")) == 0;
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

static bool has_same_ranks(const json_t *a, const json_t *b) { return ranks_of(a) == ranks_of(b); }

/* How alike two lines are to be cut. */
enum likeness { SAME_CUT, SAME_RANKS, ANY_CUT };

static bool cut_alike(const json_t *a, const json_t *b, enum likeness likeness)
{
    const json_t *p = option_of(a, "devices"), *q = option_of(b, "devices");

    return likeness == ANY_CUT ||
           (has_same_ranks(a, b) && (likeness == SAME_RANKS || p == q || json_equal(p, q)));
}

/* The first line of a file that is the same run on the same backend, and how many there are. */
static const json_t *first_alike(const struct ca_results *file, const json_t *line,
                                 enum likeness likeness, int *count)
{
    const json_t *found = NULL;

    *count = 0;
    for (size_t i = 0; i < json_array_size(file->lines); i++) {
        const json_t *other = json_array_get(file->lines, i);

        if (!is_same_work(other, line) || strcmp(backend_of(other), backend_of(line)) != 0 ||
            !json_equal(json_object_get(other, "threads"), json_object_get(line, "threads")) ||
            !cut_alike(other, line, likeness))
            continue;
        found = found ? found : other;
        (*count)++;
    }
    return found;
}

/*
 * The line of `file` that stands for one of `own`: the same run on the same backend, cut in the
 * same way. Else the only such line that was cut in as many slabs, and else the only one, if the
 * line is likewise the only one of its own file. Other options may differ, because a comparison may
 * be about them. NULL: none.
 */
static const json_t *results_find(const struct ca_results *file, const json_t *line,
                                  const struct ca_results *own)
{
    for (enum likeness likeness = SAME_CUT; likeness <= ANY_CUT; likeness++) {
        int there, here;
        const json_t *found = first_alike(file, line, likeness, &there);

        first_alike(own, line, likeness, &here);
        if (found && (likeness == SAME_CUT || (there == 1 && here == 1)))
            return found;
    }
    return NULL;
}

char *ca_results_cut(char text[128], const json_t *line)
{
    const char *list = json_string_value(option_of(line, "devices"));
    json_int_t ranks = json_integer_value(option_of(line, "ranks"));

    text[0] = '\0';
    if (ranks > 0)
        ca_text_add(text, 128, "  ranks=%d", (int)ranks);
    if (list && list[0])
        ca_text_add(text, 128, "  devices=%.80s", list);
    return text;
}

/* --- a line against another ------------------------------------------------------------------- */

#define DRIFT_MOST 0.1 /* a machine whose speed has changed by more says nothing of kernels */

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
                                   .median = ca_results_figure(line, "median_s"),
                                   .mad = ca_results_figure(line, "mad_s"),
                                   .min = ca_results_figure(line, "min_s")};
}

static struct ca_bench_figures figures_of(const json_t *line, bool one_machine)
{
    return (struct ca_bench_figures){
        .stats = stats_of(line),
        .work = ca_results_figure(line, "mups") * 1e6 * ca_results_figure(line, "median_s"),
        .speed = one_machine && !json_is_true(
                                    json_object_get(json_object_get(line, "interference"), "gpu"))
                     ? ca_results_figure(line, "loop_per_s")
                     : 0};
}

/* The two states, where both lines have one of the same generation by the same hash. */
static const char *states_of(const json_t *a, const json_t *b)
{
    const char *one = ca_json_member(a, "hash"), *other = ca_json_member(b, "hash");

    if (!one[0] || !other[0] ||
        json_integer_value(json_object_get(a, "steps")) !=
            json_integer_value(json_object_get(b, "steps")))
        return NULL;
    return strcmp(one, other) == 0 ? "equal" : "different";
}

bool ca_results_emulated(const json_t *line)
{
    return json_is_true(json_object_get(line, "emulated"));
}

/* `a` of the first file and `b` of file `at`, NULL where it lacks the line. */
static struct ca_results_verdict results_judge(const json_t *a, const json_t *b, bool one_machine,
                                               int at)
{
    struct ca_results_verdict verdict = {.ratio = 0};
    double mups[2] = {ca_results_figure(a, "mups"), ca_results_figure(b, "mups")};

    if (!a || !b)
        snprintf(verdict.text, sizeof verdict.text, "not in the %s", ca_ordinals[b ? 0 : at]);
    else if (mups[0] <= 0 || mups[1] <= 0)
        snprintf(verdict.text, sizeof verdict.text, "%s",
                 ca_results_emulated(a) || ca_results_emulated(b) ? "emulated" : "no figures");
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
                     ca_json_member(json_object_get(unsure, "interference"), "text"));
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

static bool same_machine(const struct ca_results *a, const struct ca_results *b)
{
    const json_t *x = json_object_get(a->root, "provenance");
    const json_t *y = json_object_get(b->root, "provenance");

    return strcmp(ca_json_member(x, "host"), ca_json_member(y, "host")) == 0 &&
           strcmp(ca_json_member(x, "cpu"), ca_json_member(y, "cpu")) == 0;
}

bool ca_results_row(struct ca_results_row *row, const struct ca_results file[], int count, int at,
                    const json_t *line)
{
    *row = (struct ca_results_row){.any = line};
    for (int i = 0; i < count; i++) {
        row->line[i] = results_find(&file[i], line, &file[at]);
        if (i < at && row->line[i])
            return false;
        if (i > 0 && (row->line[0] || row->line[i]))
            row->verdict[i] =
                results_judge(row->line[0], row->line[i], same_machine(&file[0], &file[i]), i);
        else if (i > 0)
            strcpy(row->verdict[i].text, "not there either");
    }
    return true;
}

/* --- the ratio of two backends ------------------------------------------------------------------
 */

/* The number of threads counts where both backends have the option. */
static bool ratio_same_threads(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(json_object_get(a, "experiment"), "options");
    const json_t *y = json_object_get(json_object_get(b, "experiment"), "options");

    return !json_object_get(x, "threads") || !json_object_get(y, "threads") ||
           json_integer_value(json_object_get(a, "threads")) ==
               json_integer_value(json_object_get(b, "threads"));
}

static const json_t *ratio_find(const struct ca_results *file, const char *backend,
                                const json_t *line)
{
    for (size_t i = 0; i < json_array_size(file->lines); i++) {
        const json_t *other = json_array_get(file->lines, i);

        if (strcmp(backend_of(other), backend) == 0 && is_same_work(line, other) &&
            ratio_same_threads(line, other) && has_same_ranks(line, other))
            return other;
    }
    return NULL;
}

bool ca_results_ratio(double ratio[CA_RESULTS_MAX], const struct ca_results file[], int count,
                      const char *a, const char *b, int at, const json_t *line)
{
    bool any = false;

    if (strcmp(backend_of(line), a) != 0)
        return false;
    for (int i = 0; i < count; i++) {
        const json_t *one = ratio_find(&file[i], a, line);
        double divisor = one ? ca_results_figure(ratio_find(&file[i], b, one), "mups") : 0;

        if (i < at && one)
            return false;
        ratio[i] = divisor > 0 ? ca_results_figure(one, "mups") / divisor : 0;
        any |= ratio[i] > 0;
    }
    return any;
}
