/* SPDX-License-Identifier: MIT */
/* This table holds the columns of a benchmark's full table: the text of each for a line, and when
 * it is shown. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/bench/scaling.h"
#include "core/model/registry.h"
#include "core/sim/plan_text.h"
#include "tui/commands/bench.h"

/* --- cuts and scaling ------------------------------------------------------------------------- */

static void bench_columns_number(char text[BENCH_CELL], double value, int digits)
{
    if (value > 0)
        snprintf(text, BENCH_CELL, "%.*g", digits, value);
    else
        strcpy(text, "-");
}

static void bench_ranks(char text[BENCH_CELL], const struct ca_bench_report *r,
                        const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%d", l->ranks);
}

static void bench_kind(char text[BENCH_CELL], const struct ca_bench_report *r,
                       const struct ca_bench_line *l)
{
    snprintf(text, BENCH_CELL, "%s", l->share ? "share" : ca_scaling_names[r->bench->scaling]);
}

static void bench_waited(char text[BENCH_CELL], const struct ca_bench_report *r,
                         const struct ca_bench_line *l)
{
    double waited_s = ca_bench_scaling(r->bench, l).waited_s;

    if (l->share || isnan(waited_s))
        strcpy(text, "-");
    else
        snprintf(text, BENCH_CELL, "%.4g", waited_s * 1e6);
}

static void c_label(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%s", l->label);
}

static void c_model(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%s", l->experiment.model->name);
}

static void c_size(char text[BENCH_CELL], const struct ca_bench_report *r,
                   const struct ca_bench_line *l)
{
    (void)r;
    ca_size_format(text, l->experiment.size, l->experiment.model->dimensions);
}

static void c_backend(char text[BENCH_CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%s", l->experiment.backend->name);
}

/* The options that are neither at their defaults nor in another column, tuned ones last. */
static void c_options(char text[BENCH_CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    const struct ca_values *options = &l->experiment.options;
    bool named = false;
    size_t used = 0;

    (void)r;
    strcpy(text, "-");
    for (int tuned = 0; tuned < 2; tuned++)
        for (int i = 0; i < options->count && used < BENCH_CELL; i++) {
            const struct ca_value *value = &options->value[i];
            char chosen[CA_TEXT_MAX];

            if (!ca_bench_names_option(options, i) || (value->origin == CA_TUNED) != tuned ||
                strcmp(options->table[i].name, "threads") == 0)
                continue;
            used += (size_t)snprintf(text + used, BENCH_CELL - used, "%s%s%s=%s", used ? " " : "",
                                     tuned && !named ? "tuned: " : "", options->table[i].name,
                                     ca_value_format(chosen, &options->table[i], value));
            named = tuned;
        }
}

static void c_steps(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    (void)r;
    if (l->experiment.steps)
        snprintf(text, BENCH_CELL, "%" PRIu64, l->experiment.steps);
    else
        strcpy(text, "-");
}

/* Calls that others disturbed. */
static void c_left_out(char text[BENCH_CELL], const struct ca_bench_report *r,
                       const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%d", l->unsure ? 0 : l->made - l->stats.n);
}

static void c_others(char text[BENCH_CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    char why[CA_DISTURBANCE_TEXT];

    (void)r;
    if (ca_bench_good(l))
        snprintf(text, BENCH_CELL, "%s%s", l->unsure ? "unsure: " : "",
                 ca_disturbance_text(why, &l->disturbance));
    else
        strcpy(text, "-");
}

/* The pictures a second that fit. */
static void c_real_time(char text[BENCH_CELL], const struct ca_bench_report *r,
                        const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%s",
             !ca_bench_good(l)      ? "-"
             : ca_bench_fits(l, 60) ? "30, 60"
             : ca_bench_fits(l, 30) ? "30"
                                    : "no");
}

static void c_rate(char text[BENCH_CELL], const struct ca_bench_report *r,
                   const struct ca_bench_line *l)
{
    char rate[CA_QUANTITY_TEXT];

    (void)r;
    snprintf(text, BENCH_CELL, "%s",
             l->emulated ? "emulated" : ca_rate(rate, ca_bench_mups(l) * 1e6));
}

static void c_watts(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_watts(r, l), 4);
}

static void c_watts_by(char text[BENCH_CELL], const struct ca_bench_report *r,
                       const struct ca_bench_line *l)
{
    snprintf(text, BENCH_CELL, "%s",
             ca_bench_watts_counted(l)  ? "counter"
             : ca_bench_watts(r, l) > 0 ? "given"
                                        : "-");
}

static void c_wrong(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    (void)r;
    if (l->wrong >= 0)
        snprintf(text, BENCH_CELL, "%" PRId64, l->wrong);
    else
        strcpy(text, "-");
}

static void c_checked(char text[BENCH_CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    (void)r;
    if (l->available)
        snprintf(text, BENCH_CELL, "%s", l->checked);
    else
        snprintf(text, BENCH_CELL, "unavailable: %.110s", l->reason);
}

static void c_predicted(char text[BENCH_CELL], const struct ca_bench_report *r,
                        const struct ca_bench_line *l)
{
    (void)r;
    bench_columns_number(text,
                         l->available ? l->predicted_s * (double)l->experiment.steps * 1e3 : 0, 4);
}

static void c_report(char text[BENCH_CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    char plan[CA_TEXT_MAX];

    (void)r;
    snprintf(text, BENCH_CELL, "%.*s", BENCH_CELL - 1,
             l->available && ca_plan_text(plan, &l->plan)[0] ? plan : "-");
}

static bool any_cut(const struct ca_bench_report *r) { return r->bench->studies > 0; }
static bool scaling(const struct ca_bench_report *r)
{
    return r->bench->scaling != CA_SCALING_NONE;
}

static bool strong(const struct ca_bench_report *r)
{
    return r->bench->scaling == CA_SCALING_STRONG;
}

static bool verbose(const struct ca_bench_report *r) { return r->verbose; }
static bool probed(const struct ca_bench_report *r) { return r->probed; }

static bool any_device(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (r->bench->line[i].experiment.backend->device != CA_CPU)
            return true;
    return false;
}

static bool any_options(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++) {
        char text[BENCH_CELL];

        c_options(text, r, &r->bench->line[i]);
        if (strcmp(text, "-") != 0)
            return true;
    }
    return false;
}

static bool any_label(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (r->bench->line[i].label[0])
            return true;
    return false;
}

static bool any_joules(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (r->bench->line[i].joules > 0)
            return true;
    return false;
}

static bool any_watts(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (ca_bench_watts(r, &r->bench->line[i]) > 0)
            return true;
    return false;
}

/* The cloud report asks for real time. */
static bool any_cloud(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (r->bench->line[i].experiment.model == &cloud_model)
            return true;
    return false;
}

static bool any_cores(const struct ca_bench_report *r)
{
    for (int i = 0; i < r->bench->count; i++)
        if (r->bench->line[i].machine.cores > 0)
            return true;
    return false;
}

static bool related(const struct ca_bench_report *r) { return r->bench->relative[0] != '\0'; }
static bool relative_cost(const struct ca_bench_report *r)
{
    return related(r) && ca_bench_any_price(r);
}
static bool relative_power(const struct ca_bench_report *r) { return related(r) && any_watts(r); }

const struct bench_column bench_columns[] = {
    {"label", .cell = c_label, .shown = any_label, .left = true},
    {"model", .cell = c_model, .left = true},
    {"size", .cell = c_size, .left = true},
    {"backend", .cell = c_backend, .left = true},
    {"options", .cell = c_options, .shown = any_options, .left = true},
    {"threads", .key = "threads"},
    {"ranks", .cell = bench_ranks, .shown = any_cut},
    {"scaling", .cell = bench_kind, .shown = scaling, .left = true},
    {"cores", .key = "cores", .digits = 10, .shown = any_cores},
    {"steps", .cell = c_steps},
    {"n", .key = "n"},
    {"left_out", .cell = c_left_out},
    {"others", .cell = c_others, .left = true},
    {"median_ms", .key = "median_s", .scale = 1e3, .digits = 4},
    {"mad_ms", .key = "mad_s", .scale = 1e3, .digits = 4},
    {"min_ms", .key = "min_s", .scale = 1e3, .digits = 4},
    {"max_ms", .key = "max_s", .scale = 1e3, .digits = 4},
    {"device_ms", .key = "device_s", .scale = 1e3, .digits = 4, .shown = any_device},
    {"predicted_ms", .cell = c_predicted, .shown = verbose},
    {"ms/gen", .key = "ms_per_generation", .digits = 4},
    {"real_time", .cell = c_real_time, .shown = any_cloud, .left = true},
    {"rate", .cell = c_rate, .form = BENCH_NOT_CSV},
    {"cells/s", .key = "cells_per_s", .digits = 4, .form = BENCH_ONLY_CSV},
    {"Mups", .key = "mups", .digits = 5, .form = BENCH_ONLY_CSV},
    {"GB/s", .key = "gb_per_s", .digits = 4},
    {"%copy", .key = "copy_percent", .digits = 3},
    {"%logic", .key = "logic_percent", .digits = 3},
    {"%launch", .key = "launch_percent", .digits = 3, .shown = any_device},
    {"bound", .key = "bound", .shown = probed, .left = true},
    {"x_reference", .key = "to_reference", .digits = 4},
    {"x_before", .key = "to_before", .digits = 4},
    {"x_first", .key = "to_first", .digits = 4},
    {"x_cut", .key = "to_first_cut", .digits = 4, .shown = scaling},
    {"%efficiency", .key = "efficiency", .scale = 100, .digits = 4, .shown = scaling},
    {"ceiling_Mups", .key = "ceiling_mups", .digits = 5, .shown = strong},
    {"halo_us", .key = "halo_predicted_s", .scale = 1e6, .digits = 4, .shown = scaling},
    {"hidden_us", .key = "halo_hidden_s", .scale = 1e6, .digits = 4, .shown = scaling},
    {"exposed_us", .key = "halo_exposed_s", .scale = 1e6, .digits = 4, .shown = scaling},
    {"waited_us", .cell = bench_waited, .shown = any_cut},
    {"joules", .key = "joules", .digits = 4, .shown = any_joules},
    {"price", .key = "price", .digits = 6, .shown = ca_bench_any_price},
    {"price/Mups", .key = "price_per_mups", .digits = 4, .shown = ca_bench_any_price},
    {"x_cost", .key = "relative_cost", .digits = 4, .shown = relative_cost},
    {"watts", .cell = c_watts, .shown = any_watts},
    {"watts_by", .cell = c_watts_by, .shown = any_watts, .left = true},
    {"watts/Mups", .key = "watts_per_mups", .digits = 4, .shown = any_watts},
    {"x_power", .key = "relative_power", .digits = 4, .shown = relative_power},
    {"wrong", .cell = c_wrong},
    {"checked", .cell = c_checked, .left = true},
    {"report", .cell = c_report, .left = true},
};

const int bench_columns_count = (int)(sizeof bench_columns / sizeof bench_columns[0]);

void bench_column_text(char text[BENCH_CELL], const struct bench_column *column,
                       const struct ca_bench_report *report, const struct ca_bench_line *line,
                       const json_t *figures)
{
    const json_t *value = column->key ? json_object_get(figures, column->key) : NULL;

    if (column->cell)
        column->cell(text, report, line);
    else if (json_is_string(value))
        snprintf(text, BENCH_CELL, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, BENCH_CELL, "%lld", (long long)json_integer_value(value));
    else if (json_is_number(value))
        snprintf(text, BENCH_CELL, "%.*g", column->digits,
                 json_number_value(value) * (column->scale > 0 ? column->scale : 1));
    else
        strcpy(text, "-");
}
