/* SPDX-License-Identifier: MIT */
/* The columns of a benchmark's tables, which are rows over the JSON of its lines: of the full
 * table, and of those that fit into 80 columns. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/bench/scaling.h"
#include "core/model/registry.h"
#include "core/sim/plan_text.h"
#include "tui/commands/bench.h"

static const struct ca_bench_report *report_of(const void *context) { return context; }

static const struct ca_bench_line *line_at(const void *context, int line)
{
    return &report_of(context)->bench->line[line];
}

/* --- cells that no member of a line's JSON is ------------------------------------------------- */

static void c_kind(char text[TABLE_CELL], const void *context, int line)
{
    strcpy(text, line_at(context, line)->share
                     ? "share"
                     : ca_scaling_names[report_of(context)->bench->scaling]);
}

/* A line that was cut may have waited for the slowest rank outside a study of scaling, too. */
static void c_waited(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);
    double waited_s = ca_bench_scaling(report_of(context)->bench, l).waited_s;

    if (!l->share && !isnan(waited_s))
        snprintf(text, TABLE_CELL, "%.4g", waited_s * 1e6);
}

/* The options that are neither at their defaults nor in another column, tuned ones last. */
static void c_options(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_values *options = &line_at(context, line)->experiment.options;
    bool named = false;
    size_t used = 0;

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

/* Calls that others disturbed. */
static void c_left_out(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);

    snprintf(text, TABLE_CELL, "%d", l->unsure ? 0 : l->made - l->stats.n);
}

static void c_others(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);
    char why[CA_DISTURBANCE_TEXT];

    if (ca_bench_good(l))
        snprintf(text, TABLE_CELL, "%s%s", l->unsure ? "unsure: " : "",
                 ca_disturbance_text(why, &l->disturbance));
}

/* The pictures a second that fit. */
static void c_real_time(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);

    if (ca_bench_good(l))
        strcpy(text, ca_bench_fits(l, 60) ? "30, 60" : ca_bench_fits(l, 30) ? "30" : "no");
}

/* Watts may be stated for lines that have no figures. */
static void c_watts(char text[TABLE_CELL], const void *context, int line)
{
    double watts = ca_bench_watts(context, line_at(context, line));

    if (watts > 0)
        snprintf(text, TABLE_CELL, "%.4g", watts);
}

static void c_watts_by(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);

    if (ca_bench_watts(context, l) > 0)
        strcpy(text, ca_bench_watts_counted(l) ? "counter" : "given");
}

static void c_checked(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);

    if (l->available)
        strcpy(text, l->checked);
    else
        snprintf(text, TABLE_CELL, "unavailable: %.110s", l->reason);
}

static void c_report(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);
    char plan[CA_TEXT_MAX];

    if (l->available && ca_plan_text(plan, &l->plan)[0])
        snprintf(text, TABLE_CELL, "%.*s", BENCH_CELL - 1, plan);
}

static void c_name(char text[TABLE_CELL], const void *context, int line)
{
    ca_bench_name(text, report_of(context)->bench, line_at(context, line));
}

static void c_cut(char text[TABLE_CELL], const void *context, int line)
{
    ca_bench_cut_text(text, line_at(context, line));
}

static void c_rate_or_wrong(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);

    if (l->emulated || l->wrong > 0)
        strcpy(text, l->emulated ? "emulated" : "WRONG");
    else
        ca_rate(text, ca_bench_mups(l) * 1e6);
}

/* Half the interval that holds the median with 95 %, in percent of it. */
static void c_error(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);
    bool study = report_of(context)->bench->scaling != CA_SCALING_NONE;

    if (l->unsure && (study || ca_bench_good(l)))
        strcpy(text, "unsure");
    else if (l->stats.n >= CA_BENCH_MEDIAN && ca_bench_good(l))
        snprintf(text, TABLE_CELL, "%.0f%%", ceil(196 * ca_bench_repeat_error(&l->stats, false)));
}

/* "reference", or what was checked in place of the whole: "only to generation 20". */
static void c_equal(char text[TABLE_CELL], const void *context, int line)
{
    const struct ca_bench_line *l = line_at(context, line);
    const char *part = strstr(l->checked, ", only ");

    if (l->wrong > 0)
        snprintf(text, TABLE_CELL, "%" PRId64 " WRONG", l->wrong);
    else
        snprintf(text, TABLE_CELL, "%.100s", part ? part + 2 : l->checked);
}

/* --- when columns are shown ------------------------------------------------------------------- */

static bool any_cut(const void *r) { return report_of(r)->bench->studies > 0; }
static bool scaling(const void *r) { return report_of(r)->bench->scaling != CA_SCALING_NONE; }
static bool strong(const void *r) { return report_of(r)->bench->scaling == CA_SCALING_STRONG; }
static bool verbose(const void *r) { return report_of(r)->verbose; }
static bool probed(const void *r) { return report_of(r)->probed; }
static bool any_price(const void *r) { return ca_bench_any_price(r); }

static bool any_line(const void *context, bool (*is)(const void *context, int line))
{
    for (int i = 0; i < report_of(context)->bench->count; i++)
        if (is(context, i))
            return true;
    return false;
}

static bool on_gpu(const void *r, int i)
{
    return line_at(r, i)->experiment.backend->device != CA_CPU;
}
static bool has_joules(const void *r, int i) { return line_at(r, i)->joules > 0; }
static bool has_watts(const void *r, int i) { return ca_bench_watts(r, line_at(r, i)) > 0; }
static bool is_cloud(const void *r, int i)
{
    return line_at(r, i)->experiment.model == &cloud_model;
}

static bool any_device(const void *r) { return any_line(r, on_gpu); }
static bool any_joules(const void *r) { return any_line(r, has_joules); }
static bool any_watts(const void *r) { return any_line(r, has_watts); }
static bool any_cloud(const void *r) { return any_line(r, is_cloud); } /* its report asks for it */

static bool related(const void *r) { return report_of(r)->bench->relative[0] != '\0'; }
static bool relative_cost(const void *r) { return related(r) && ca_bench_any_price(r); }
static bool relative_power(const void *r) { return related(r) && any_watts(r); }

const struct table_column bench_columns[] = {
    {"label", .path = "label", .if_any = true, .left = true},
    {"model", .path = "experiment.model", .left = true},
    {"size", .path = "experiment.size", .left = true},
    {"backend", .path = "experiment.backend", .left = true},
    {"options", .cell = c_options, .if_any = true, .left = true},
    {"threads", .path = "threads"},
    {"ranks", .path = "ranks", .shown = any_cut},
    {"scaling", .cell = c_kind, .shown = scaling, .left = true},
    {"cores", .path = "cores", .digits = 10, .if_any = true},
    {"steps", .path = "steps", .kind = TABLE_COUNT},
    {"n", .path = "n"},
    {"left_out", .cell = c_left_out},
    {"others", .cell = c_others, .left = true},
    {"median_ms", .path = "median_s", .scale = 1e3, .digits = 4},
    {"mad_ms", .path = "mad_s", .scale = 1e3, .digits = 4},
    {"min_ms", .path = "min_s", .scale = 1e3, .digits = 4},
    {"max_ms", .path = "max_s", .scale = 1e3, .digits = 4},
    {"device_ms", .path = "device_s", .scale = 1e3, .digits = 4, .shown = any_device},
    {"predicted_ms", .path = "predicted_s", .by = "steps", .scale = 1e3, .digits = 4,
     .shown = verbose},
    {"ms/gen", .path = "ms_per_generation", .digits = 4},
    {"real_time", .cell = c_real_time, .shown = any_cloud, .left = true},
    {"rate", .path = "cells_per_s", .kind = TABLE_RATE, .emulated = "emulated",
     .form = TABLE_NOT_CSV},
    {"cells/s", .path = "cells_per_s", .digits = 4, .form = TABLE_ONLY_CSV},
    {"Mups", .path = "mups", .digits = 5, .form = TABLE_ONLY_CSV},
    {"GB/s", .path = "gb_per_s", .digits = 4},
    {"%copy", .path = "copy_percent", .digits = 3},
    {"%logic", .path = "logic_percent", .digits = 3},
    {"%launch", .path = "launch_percent", .digits = 3, .shown = any_device},
    {"bound", .path = "bound", .shown = probed, .left = true},
    {"x_reference", .path = "to_reference", .digits = 4},
    {"x_before", .path = "to_before", .digits = 4},
    {"x_first", .path = "to_first", .digits = 4},
    {"x_cut", .path = "to_first_cut", .digits = 4, .shown = scaling},
    {"%efficiency", .path = "efficiency", .scale = 100, .digits = 4, .shown = scaling},
    {"ceiling_Mups", .path = "ceiling_mups", .digits = 5, .shown = strong},
    {"halo_us", .path = "halo_predicted_s", .scale = 1e6, .digits = 4, .shown = scaling},
    {"hidden_us", .path = "halo_hidden_s", .scale = 1e6, .digits = 4, .shown = scaling},
    {"exposed_us", .path = "halo_exposed_s", .scale = 1e6, .digits = 4, .shown = scaling},
    {"waited_us", .cell = c_waited, .shown = any_cut},
    {"joules", .path = "joules", .digits = 4, .shown = any_joules},
    {"price", .path = "price", .digits = 6, .shown = any_price},
    {"price/Mups", .path = "price_per_mups", .digits = 4, .shown = any_price},
    {"x_cost", .path = "relative_cost", .digits = 4, .shown = relative_cost},
    {"watts", .cell = c_watts, .shown = any_watts},
    {"watts_by", .cell = c_watts_by, .shown = any_watts, .left = true},
    {"watts/Mups", .path = "watts_per_mups", .digits = 4, .shown = any_watts},
    {"x_power", .path = "relative_power", .digits = 4, .shown = relative_power},
    {"wrong", .path = "wrong"},
    {"checked", .cell = c_checked, .left = true},
    {"report", .cell = c_report, .left = true},
};

const int bench_columns_count = (int)(sizeof bench_columns / sizeof bench_columns[0]);

const struct table_column bench_short_columns[BENCH_SHORT_COLUMNS] = {
    {"backend", .cell = c_name, .left = true},
    {"rate", .path = "cells_per_s", .kind = TABLE_RATE, .emulated = "emulated"},
    {"+-", .cell = c_error},
    {"x reference", .path = "to_reference", .kind = TABLE_TIMES},
    {"x before", .path = "to_before", .kind = TABLE_TIMES},
    {"bound", .path = "bound", .shown = probed, .left = true},
    {"equal", .cell = c_equal, .left = true},
};

const struct table_column bench_study_columns[BENCH_STUDY_COLUMNS] = {
    {"cut", .cell = c_cut, .left = true},
    {"rate", .cell = c_rate_or_wrong},
    {"+-", .cell = c_error},
    {"x first", .path = "to_first_cut", .kind = TABLE_TIMES},
    {"effic.", .path = "efficiency", .kind = TABLE_PERCENT},
    {"ceiling", .path = "ceiling_mups", .kind = TABLE_RATE, .scale = 1e6, .shown = strong},
    {"halo", .path = "halo_predicted_s", .kind = TABLE_DURATION},
    {"hidden", .path = "halo_hidden_s", .kind = TABLE_DURATION},
    {"exposed", .path = "halo_exposed_s", .kind = TABLE_DURATION},
};
