/* SPDX-License-Identifier: MIT */
/* calab run with two backends: runs both, compares states and speeds, and prints the result. */
#include "tui/commands/run_two.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/engine/experiment_json.h"
#include "core/engine/interference_json.h"
#include "tui/commands/json.h"
#include "tui/commands/progress.h"
#include "tui/table.h"

/* --- the three forms -------------------------------------------------------------------------- */

#define TEXT 800

/* In updates per second: from bursts where there were any, otherwise from the run. */
static double run_two_rate_of(const struct two_results *two, int side)
{
    return two->pair.ratio.made > 0 ? two->pair.ratio.rate[side] : two->result[side].mups * 1e6;
}

static double step_of(const struct two_results *two, int side)
{
    double rate = run_two_rate_of(two, side);

    return rate > 0 ? (double)ca_cells(two->pair.experiment[0].size) / rate : -1;
}

/* Adds to the results' JSON what the text and Markdown show besides. */
json_t *two_lines(const struct two_results *two)
{
    json_t *lines = json_array();

    for (int side = 0; side < 2; side++) {
        const struct result *r = &two->result[side];
        double step_s = step_of(two, side);
        json_t *line = result_json(r);
        char rate[CA_QUANTITY_TEXT];

        json_object_set_new(line, "side", json_stringn(&"AB"[side], 1));
        json_object_set_new(line, "name", ca_json_text(two->name[side]));
        json_object_set_new(line, "rate",
                            json_string(result_rate(rate, r, run_two_rate_of(two, side))));
        json_object_set_new(line, "step_s", step_s > 0 ? json_real(step_s) : json_null());
        json_object_set_new(line, "quoted_hash", json_sprintf("`%016" PRIx64 "`", r->hash));
        json_array_append_new(lines, line);
    }
    return lines;
}

static char *finding_text(char text[TEXT], const struct two_results *two)
{
    return ca_differ_sentence(text, TEXT, &two->pair.finding, two->pair.experiment[0].model,
                              two->name[0], two->name[1]);
}

static char *difference_text(char text[TEXT], const struct two_results *two)
{
    const struct ca_difference *d = &two->pair.difference;
    const struct ca_model *model = two->pair.experiment[0].model;
    char count[CA_QUANTITY_TEXT];

    if (d->count == 0)
        snprintf(text, TEXT, "not counted, because both states were not kept at once");
    else
        snprintf(text, TEXT,
                 "%s value%s, the first at x %" PRId64 ", y %" PRId64 ", z %" PRId64
                 ", plane %s: %.9g and %.9g",
                 ca_thousands(count, (uint64_t)d->count), d->count == 1 ? "" : "s", d->x, d->y,
                 d->z, model->plane_names[d->plane], d->expected, d->got);
    return text;
}

/* --- text ------------------------------------------------------------------------------------ */

/* The options follow the backend and what it runs. */
static void print_side(FILE *out, const struct ca_values *options, const json_t *lines, int side)
{
    static const struct table_column keys[] = {
        {"backend", .path = "backend"}, {"report", .path = "report.text"},
        {"device", .path = "device"},   {"wall_s", .path = "wall_s", .digits = 6},
        {"rate", .path = "rate"},       {"step", .path = "step_s", .kind = TABLE_DURATION},
        {"hash", .path = "hash"},
    };
    const struct table table = {keys, sizeof keys / sizeof keys[0], .lines = lines};
    char text[CA_TEXT_MAX], cell[TABLE_CELL], key = "ab"[side];

    for (int c = 0; c < table.columns; c++) {
        for (int i = 0; c == 2 && i < options->count; i++)
            fprintf(out, "%c.options.%s: %s\n", key, options->table[i].name,
                    ca_plain(ca_value_format(text, &options->table[i], &options->value[i])));
        table_text(cell, &table, c, side);
        fprintf(out, "%c.%s: %s\n", key, keys[c].name, cell);
    }
}

void two_print_text(FILE *out, const struct two_results *two, const json_t *lines)
{
    const struct ca_pair *pair = &two->pair;
    const struct ca_experiment *e = &pair->experiment[0];
    char text[TEXT], value[CA_TEXT_MAX], noise[CA_RATIO_VERDICT];

    result_print_run(out, e, CA_IN_RESULT | CA_MAKES_RUN);
    for (int i = 0; i < e->params.count; i++)
        fprintf(out, "parameters.%s: %s\n", e->params.table[i].name,
                ca_plain(ca_value_format(value, &e->params.table[i], &e->params.value[i])));
    fprintf(out, "steps: %" PRIu64 "\n", e->steps);
    for (int side = 0; side < 2; side++)
        print_side(out, &two->pair.experiment[side].options, lines, side);
    fprintf(out, "equal: %s\n", pair->equal ? "yes" : "no");
    if (pair->tolerance > 0)
        fprintf(out, "tolerance: %g\ncompared: %" PRIu64 "\n", pair->tolerance, pair->compared);
    if (!pair->equal)
        fprintf(out, "differences: %s\n", difference_text(text, two));
    if (pair->searched)
        fprintf(out, "found: %s\n", finding_text(text, two));
    else if (!pair->equal && pair->together)
        fprintf(out, "found: nothing; --find looks where they begin to differ\n");
    if (!pair->together)
        fprintf(out, "apart: %s\n", pair->apart);
    if (pair->ratio.made > 0)
        fprintf(out, "noise: %s\n", ca_ratio_verdict(noise, &pair->ratio));
    fprintf(out, "summary: %s\n",
            ca_pair_sentence(text, sizeof text, pair, two->name[0], two->name[1]));
}

/* --- Markdown -------------------------------------------------------------------------------- */

void two_print_markdown(FILE *out, const struct two_results *two, const json_t *lines)
{
    static const struct table_column columns[] = {
        {"", .path = "side", .left = true},
        {"backend", .path = "name", .left = true},
        {"how it runs", .path = "report.text", .left = true},
        {"device", .path = "device", .left = true},
        {"rate", .path = "rate", .left = true},
        {"a generation", .path = "step_s", .kind = TABLE_DURATION, .left = true},
        {"hash", .path = "quoted_hash", .left = true},
    };
    const struct table table = {columns, sizeof columns / sizeof columns[0], .lines = lines,
                                .tight = true};
    const struct ca_pair *pair = &two->pair;
    const struct ca_experiment *e = &pair->experiment[0];
    char text[TEXT], steps[CA_QUANTITY_TEXT], value[CA_TEXT_MAX], start[CA_TEXT_MAX + 64];

    fprintf(out, "%s %s, seed %" PRIu64 ", %s, %s generations", e->model->name,
            ca_size_format(text, e->size, e->model->dimensions), e->seed,
            ca_experiment_start(start, e), ca_thousands(steps, e->steps));
    for (int i = 0; i < e->params.count; i++)
        if (!ca_value_is_default(&e->params.table[i], &e->params.value[i]))
            fprintf(out, ", %s %s", e->params.table[i].name,
                    ca_plain(ca_value_format(value, &e->params.table[i], &e->params.value[i])));
    fputs(" (calab " CALAB_VERSION ")\n\n", out);
    table_print(out, &table, TABLE_MARKDOWN);
    fprintf(out, "\n%s.\n", ca_pair_sentence(text, sizeof text, pair, two->name[0], two->name[1]));
    if (!pair->equal)
        fprintf(out, "Differences: %s.\n", difference_text(text, two));
    if (pair->searched)
        fprintf(out, "Found: %s.\n", finding_text(text, two));
}

/* --- JSON ------------------------------------------------------------------------------------ */

static json_t *ratio_json(const struct ca_pair *pair)
{
    const struct ca_ratio_result *r = &pair->ratio;

    char verdict[CA_RATIO_VERDICT];

    if (r->made == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:i, s:[f, f], s:I, s:b, s:[f, f], s:i, s:s, s:o}", "median",
                     r->median, "low", r->low, "high", r->high, "pairs", r->pairs, "burst_s",
                     r->burst_s[0], r->burst_s[1], "call_generations",
                     (json_int_t)pair->side[0].call, "same", r->same, "cells_per_s", r->rate[0],
                     r->rate[1], "made", r->made, "verdict", ca_ratio_verdict(verdict, r),
                     "interference", ca_disturbance_to_json(&r->disturbance));
}

static json_t *cell_json(int64_t x, int64_t y, int64_t z)
{
    return json_pack("[I, I, I]", (json_int_t)x, (json_int_t)y, (json_int_t)z);
}

static json_t *difference_json(const struct two_results *two)
{
    const struct ca_difference *d = &two->pair.difference;

    if (d->count == 0)
        return json_null();
    return json_pack("{s:I, s:o, s:s, s:[f, f]}", "count", (json_int_t)d->count, "cell",
                     cell_json(d->x, d->y, d->z), "plane",
                     two->pair.experiment[0].model->plane_names[d->plane], "values", d->expected,
                     d->got);
}

static json_t *finding_json(const struct two_results *two)
{
    static const char *const kinds[] = {"pending", "from", "length", "varying"};
    const struct ca_differ_result *r = &two->pair.finding;
    char text[TEXT], headline[80];

    if (!two->pair.searched)
        return json_null();
    return json_pack("{s:s, s:I, s:I, s:I, s:b, s:[b, b], s:o, s:s, s:s}", "kind", kinds[r->kind],
                     "equal_at", (json_int_t)r->equal_at, "generation", (json_int_t)r->generation,
                     "length", (json_int_t)r->length, "bisected", r->bisected, "guilty",
                     r->guilty[0], r->guilty[1], "cell",
                     r->placed ? cell_json(r->cell.x, r->cell.y, r->cell.z) : json_null(),
                     "headline", ca_differ_headline(headline, r, two->pair.experiment[0].model),
                     "text", finding_text(text, two));
}

json_t *two_json(const struct two_results *two)
{
    char text[TEXT];

    return json_pack("{s:s, s:o, s:o, s:b, s:f, s:I, s:b, s:o, s:o, s:o, s:s}", "schema",
                     "calab-run-two/1", "a", result_json(&two->result[0]), "b",
                     result_json(&two->result[1]), "equal", two->pair.equal, "tolerance",
                     two->pair.tolerance, "compared", (json_int_t)two->pair.compared, "together",
                     two->pair.together, "ratio", ratio_json(&two->pair), "differences",
                     difference_json(two), "found", finding_json(two), "summary",
                     ca_pair_sentence(text, sizeof text, &two->pair, two->name[0], two->name[1]));
}

static bool show(void *context, const char *what)
{
    (void)context;
    if (progress_due())
        progress_show("%s", what);
    return !stopped_by;
}

static enum ca_status ran(void *context, int side, struct ca_simulation *simulation,
                          struct ca_error *error)
{
    struct two_results *two = context;

    return result_take(&two->result[side], simulation, false, error);
}

static int run_two_run(struct two_results *two, const struct options *options,
                       struct ca_error *error)
{
    enum ca_status status;
    const struct ca_experiment *e = two->pair.experiment;

    /* Options tell two rows of the same backend apart. */
    for (int side = 0; side < 2; side++) {
        const struct ca_values *own = &e[side].options;
        char *name = two->name[side], text[CA_TEXT_MAX];

        snprintf(name, CA_TEXT_MAX, "%s", e[side].backend->name);
        for (int i = 0; e[0].backend == e[1].backend && i < own->count; i++)
            if (!ca_value_is_default(&own->table[i], &own->value[i]) && strlen(name) < 200)
                ca_text_add(name, CA_TEXT_MAX, "/%s=%.60s", own->table[i].name,
                            ca_value_format(text, &own->table[i], &own->value[i]));
    }
    catch_signals();
    progress_open(options);
    status = ca_pair_run(&two->pair, error);
    progress_clear();
    if (status == CA_TIMEOUT && stopped_by)
        return stopped_status(CA_WRONG, "; nothing was written", error);
    CA_TRY(status);
    for (int side = 0; side < 2; side++)
        two->result[side].experiment = &two->pair.experiment[side];
    if (options_has(options, OPTION_JSON)) {
        status = json_print(two_json(two), error);
    } else {
        json_t *lines = two_lines(two);

        status = json_check(error);
        if (status == CA_OK)
            (options_has(options, OPTION_MARKDOWN) ? two_print_markdown
                                                   : two_print_text)(stdout, two, lines);
        json_decref(lines);
    }
    CA_TRY(status);
    if (!two->pair.equal) {
        char text[CA_TEXT_MAX];

        return (int)ca_fail(
            error, CA_WRONG, "%s",
            ca_pair_sentence(text, sizeof text, &two->pair, two->name[0], two->name[1]));
    }
    return CA_OK;
}

int run_two(const struct ca_experiment experiment[2], const struct options *options,
            struct ca_error *error)
{
    struct two_results *two = calloc(1, sizeof *two);
    int status;

    if (options_has(options, OPTION_JSON) && options_has(options, OPTION_MARKDOWN)) {
        free(two);
        return ca_fail(error, CA_USAGE, "--json, --markdown: only one of them is allowed");
    }
    if (!two)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the result");
    two->pair.watch = show;
    two->pair.ran = ran;
    two->pair.context = two;
    two->pair.find = options_has(options, OPTION_FIND);
    memcpy(two->pair.experiment, experiment, sizeof two->pair.experiment);
    status = run_two_run(two, options, error);
    free(two);
    return status;
}
