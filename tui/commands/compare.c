/* SPDX-License-Identifier: MIT */
/* calab compare: two results of bench --json, line by line. */
#include <jansson.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/base/quantity.h"
#include "tui/commands/bench.h"
#include "tui/commands/commands.h"

#define FILE_MAX (64 << 20)

struct side {
    const char *path;
    json_t *root, *lines;
    bool hashed; /* its hashes are digests (core/model/digest.h), not XXH3 */
};

static const char *text_of(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));

    return text ? text : "";
}

/* Checks that each line has the members that the comparison reads. */
static enum ca_status check_lines(const struct side *side, struct ca_error *error)
{
    for (size_t i = 0; i < json_array_size(side->lines); i++) {
        const json_t *line = json_array_get(side->lines, i);
        const json_t *experiment = json_object_get(line, "experiment");

        if (!text_of(experiment, "model")[0] || !text_of(experiment, "backend")[0] ||
            !json_is_array(json_object_get(experiment, "size")) ||
            !json_is_integer(json_object_get(line, "threads")))
            return ca_fail(
                error, CA_IO,
                "%s: line %zu has no threads, or its experiment no model, backend or size",
                side->path, i + 1);
    }
    return CA_OK;
}

static enum ca_status side_open(struct side *side, const char *path, struct ca_error *error)
{
    json_error_t cause;
    char *bytes;
    size_t size;

    side->path = path;
    CA_TRY(ca_file_read(path, FILE_MAX, &bytes, &size, error));
    side->root = json_loadb(bytes, size, 0, &cause);
    free(bytes);
    if (!side->root)
        return ca_fail(error, CA_IO, "%s:%d: %s; expected the output of calab bench --json", path,
                       cause.line, cause.text);
    side->hashed = strcmp(text_of(side->root, "schema"), CA_BENCH_SCHEMA) == 0;
    if (!side->hashed && strcmp(text_of(side->root, "schema"), CA_BENCH_SCHEMA_XXH3) != 0)
        return ca_fail(error, CA_IO, "%s: the schema is '%.80s', expected '%s'", path,
                       text_of(side->root, "schema"), CA_BENCH_SCHEMA);
    side->lines = json_object_get(side->root, "lines");
    if (!json_is_array(side->lines))
        return ca_fail(error, CA_IO, "%s: 'lines' is not a list", path);
    return check_lines(side, error);
}

/* Whether two lines are the same run on the same backend. Options may differ, because a comparison
 * may be about them. */
static bool same_line(const json_t *a, const json_t *b)
{
    static const char *const names[] = {"model", "backend", "size", "seed", "init", "parameters"};
    const json_t *x = json_object_get(a, "experiment"), *y = json_object_get(b, "experiment");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const json_t *p = json_object_get(x, names[i]), *q = json_object_get(y, names[i]);

        if (p != q && !json_equal(p, q))
            return false;
    }
    return json_integer_value(json_object_get(a, "threads")) ==
               json_integer_value(json_object_get(b, "threads")) &&
           strcmp(text_of(a, "label"), text_of(b, "label")) == 0;
}

static const json_t *find(const json_t *lines, const json_t *line)
{
    for (size_t i = 0; i < json_array_size(lines); i++)
        if (same_line(json_array_get(lines, i), line))
            return json_array_get(lines, i);
    return NULL;
}

/* --- one pair -------------------------------------------------------------------------------- */

struct pair {
    const json_t *line; /* of the first file that has it */
    double mups[2];     /* 0: that file has no figures */
    double ratio;       /* second divided by first; 0: unknown */
    const char *verdict;
    const char *states; /* "equal" or "different"; NULL: they cannot be compared */
};

static double figure(const json_t *line, const char *name)
{
    double value = json_number_value(json_object_get(line, name));

    return isfinite(value) && value > 0 ? value : 0;
}

static double error_of(const json_t *line)
{
    struct ca_bench_stats stats = {.n = (int)json_integer_value(json_object_get(line, "n")),
                                   .median = figure(line, "median_s"),
                                   .mad = figure(line, "mad_s")};

    return ca_bench_error(&stats);
}

/* The two states, where both lines have one of the same generation by the same hash. */
static const char *states_of(const json_t *a, const json_t *b)
{
    const char *one = text_of(a, "hash"), *other = text_of(b, "hash");

    if (!one[0] || !other[0] ||
        json_integer_value(json_object_get(a, "steps")) !=
            json_integer_value(json_object_get(b, "steps")))
        return NULL;
    return strcmp(one, other) == 0 ? "equal" : "different";
}

static struct pair judge(const json_t *a, const json_t *b, bool hashed)
{
    struct pair pair = {.line = a ? a : b, .mups = {figure(a, "mups"), figure(b, "mups")}};
    double error;

    if (!a || !b)
        pair.verdict = a ? "only in the first" : "only in the second";
    else if (pair.mups[0] <= 0 || pair.mups[1] <= 0)
        pair.verdict = "no figures";
    else {
        pair.ratio = pair.mups[1] / pair.mups[0];
        error = CA_BENCH_SIGMAS * hypot(error_of(a), error_of(b));
        pair.verdict = !isfinite(error)                ? "one sample"
                       : fabs(pair.ratio - 1) <= error ? "same"
                       : pair.ratio > 1                ? "faster"
                                                       : "slower";
    }
    if (a && b && hashed)
        pair.states = states_of(a, b);
    return pair;
}

static void size_text(char text[64], const json_t *experiment)
{
    const json_t *size = json_object_get(experiment, "size");
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(size) && i < 3; i++)
        used += (size_t)snprintf(text + used, 64 - used, "%s%" PRId64, i ? "x" : "",
                                 (int64_t)json_integer_value(json_array_get(size, i)));
}

static void print_pair(const struct pair *pair)
{
    const json_t *experiment = json_object_get(pair->line, "experiment");
    char size[64], a[CA_QUANTITY_TEXT], b[CA_QUANTITY_TEXT], ratio[32];

    size_text(size, experiment);
    ca_rate(a, pair->mups[0] * 1e6);
    ca_rate(b, pair->mups[1] * 1e6);
    if (pair->ratio > 0)
        snprintf(ratio, sizeof ratio, "%.3f", pair->ratio);
    else
        strcpy(ratio, "-");
    printf("%-8s %-14s %-20s %7d %12s %12s %8s  %s%s%s%s\n", text_of(experiment, "model"), size,
           text_of(experiment, "backend"),
           (int)json_integer_value(json_object_get(pair->line, "threads")), a, b, ratio,
           pair->verdict,
           pair->states && strcmp(pair->states, "different") == 0 ? ", another state" : "",
           text_of(pair->line, "label")[0] ? "  " : "", text_of(pair->line, "label"));
}

static void add_pair(json_t *list, const struct pair *pair)
{
    json_t *json =
        json_pack("{s:O, s:O, s:s, s:s}", "experiment", json_object_get(pair->line, "experiment"),
                  "threads", json_object_get(pair->line, "threads"), "label",
                  text_of(pair->line, "label"), "verdict", pair->verdict);

    json_object_set_new(json, "first_mups",
                        pair->mups[0] > 0 ? json_real(pair->mups[0]) : json_null());
    json_object_set_new(json, "second_mups",
                        pair->mups[1] > 0 ? json_real(pair->mups[1]) : json_null());
    json_object_set_new(json, "states", pair->states ? json_string(pair->states) : json_null());
    json_object_set_new(json, "ratio", pair->ratio > 0 ? json_real(pair->ratio) : json_null());
    json_array_append_new(list, json);
}

/* --------------------------------------------------------------------------------------------- */

static void print_head(const struct side side[2])
{
    for (int i = 0; i < 2; i++) {
        const json_t *from = json_object_get(side[i].root, "provenance");

        const json_t *gpu = json_array_get(json_object_get(from, "gpus"), 0);

        printf("# %s: %s; calab %s, %s on %s, %s%s%s\n", i ? "second" : "first", side[i].path,
               text_of(from, "version"), text_of(from, "date"), text_of(from, "host"),
               text_of(from, "cpu"), gpu ? ", " : "", text_of(gpu, "name"));
    }
    printf("%-8s %-14s %-20s %7s %12s %12s %8s  %s\n", "model", "size", "backend", "threads",
           "first", "second", "ratio", "second is");
}

/* Adds each pair to the list, or prints it if there is no list. Returns how many both files have.
 */
static int each_pair(const struct side side[2], json_t *list)
{
    int common = 0;

    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < json_array_size(side[s].lines); i++) {
            const json_t *line = json_array_get(side[s].lines, i);
            const json_t *other = find(side[1 - s].lines, line);
            struct pair pair;

            if (s == 1 && other)
                continue; /* already reported with the line of the first file */
            pair = s == 0 ? judge(line, other, side[0].hashed && side[1].hashed)
                          : judge(NULL, line, false);
            common += other != NULL;
            if (list)
                add_pair(list, &pair);
            else
                print_pair(&pair);
        }
    return common;
}

static enum ca_status compare(const struct side side[2], bool json, struct ca_error *error)
{
    int common, failed = 0;

    if (json) {
        json_t *list = json_array(), *root;

        common = each_pair(side, list);
        root = json_pack("{s:s, s:s, s:s, s:o}", "schema", "calab-compare/1", "first", side[0].path,
                         "second", side[1].path, "lines", list);
        failed = json_dumpf(root, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(root);
    } else {
        print_head(side);
        common = each_pair(side, NULL);
    }
    if (failed)
        return ca_fail(error, CA_IO, "cannot write to standard output: %m");
    if (common == 0)
        return ca_fail(error, CA_WRONG, "the two files have no line in common");
    return CA_OK;
}

int command_compare(const struct options *options, struct ca_error *error)
{
    struct side side[2] = {{.path = NULL}};
    enum ca_status status;

    if (options->operands < 2)
        return ca_fail(error, CA_USAGE, "expected two files from calab bench --json, got %d",
                       options->operands);
    status = side_open(&side[0], options->operand[0], error);
    if (status == CA_OK)
        status = side_open(&side[1], options->operand[1], error);
    if (status == CA_OK)
        status = compare(side, options_has(options, OPTION_JSON), error);
    json_decref(side[0].root);
    json_decref(side[1].root);
    return (int)status;
}
