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

static void bench_cut_times(char text[BENCH_CELL], const struct ca_bench_report *r,
                            const struct ca_bench_line *l)
{
    bench_columns_number(text, l->share ? 0 : ca_bench_scaling(r->bench, l).times.times, 4);
}

static void bench_efficiency(char text[BENCH_CELL], const struct ca_bench_report *r,
                             const struct ca_bench_line *l)
{
    bench_columns_number(text, l->share ? 0 : 100 * ca_bench_scaling(r->bench, l).efficiency, 4);
}

static void bench_ceiling(char text[BENCH_CELL], const struct ca_bench_report *r,
                          const struct ca_bench_line *l)
{
    bench_columns_number(text, l->share ? 0 : ca_bench_scaling(r->bench, l).ceiling_mups, 5);
}

static void microseconds(char text[BENCH_CELL], const struct ca_bench_line *l, double seconds)
{
    if (l->share || isnan(seconds))
        strcpy(text, "-");
    else
        snprintf(text, BENCH_CELL, "%.4g", seconds * 1e6);
}

static void bench_halo(char text[BENCH_CELL], const struct ca_bench_report *r,
                       const struct ca_bench_line *l)
{
    microseconds(text, l, ca_bench_scaling(r->bench, l).predicted_s);
}

static void bench_hidden(char text[BENCH_CELL], const struct ca_bench_report *r,
                         const struct ca_bench_line *l)
{
    microseconds(text, l, ca_bench_scaling(r->bench, l).hidden_s);
}

static void bench_exposed(char text[BENCH_CELL], const struct ca_bench_report *r,
                          const struct ca_bench_line *l)
{
    microseconds(text, l, ca_bench_scaling(r->bench, l).exposed_s);
}

static void bench_waited(char text[BENCH_CELL], const struct ca_bench_report *r,
                         const struct ca_bench_line *l)
{
    microseconds(text, l, ca_bench_scaling(r->bench, l).waited_s);
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

static void c_threads(char text[BENCH_CELL], const struct ca_bench_report *r,
                      const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%d", l->threads);
}

static void c_cores(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    (void)r;
    bench_columns_number(text, l->machine.cores, 10);
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

static void c_n(char text[BENCH_CELL], const struct ca_bench_report *r,
                const struct ca_bench_line *l)
{
    (void)r;
    snprintf(text, BENCH_CELL, "%d", l->stats.n);
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

/* Milliseconds per call; a wrong line has no figures. */
static void ms(char text[BENCH_CELL], const struct ca_bench_line *l, double seconds)
{
    if (ca_bench_good(l))
        snprintf(text, BENCH_CELL, "%.4g", seconds * 1e3);
    else
        strcpy(text, "-");
}

static void c_median(char text[BENCH_CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->stats.median);
}

static void c_mad(char text[BENCH_CELL], const struct ca_bench_report *r,
                  const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->stats.mad);
}

static void c_min(char text[BENCH_CELL], const struct ca_bench_report *r,
                  const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->stats.min);
}

static void c_max(char text[BENCH_CELL], const struct ca_bench_report *r,
                  const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->stats.max);
}

static void c_device(char text[BENCH_CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, l->device_stats.median);
}

static void c_generation(char text[BENCH_CELL], const struct ca_bench_report *r,
                         const struct ca_bench_line *l)
{
    (void)r;
    ms(text, l, ca_bench_generation_s(l));
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

static void c_cells(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    (void)r;
    bench_columns_number(text, ca_bench_mups(l) * 1e6, 4);
}

static void c_mups(char text[BENCH_CELL], const struct ca_bench_report *r,
                   const struct ca_bench_line *l)
{
    (void)r;
    bench_columns_number(text, ca_bench_mups(l), 5);
}

static void c_gb(char text[BENCH_CELL], const struct ca_bench_report *r,
                 const struct ca_bench_line *l)
{
    (void)r;
    bench_columns_number(text, ca_bench_gb(l), 4);
}

static void c_copy(char text[BENCH_CELL], const struct ca_bench_report *r,
                   const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_copy_percent(r, l), 3);
}

static void c_logic(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_logic_percent(r, l), 3);
}

static void c_launch(char text[BENCH_CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_launch_percent(r, l), 3);
}

static void c_bound(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    ca_bench_bound(text, r, l);
}

static void c_reference(char text[BENCH_CELL], const struct ca_bench_report *r,
                        const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_to_reference(r->bench, l), 4);
}

static void c_before(char text[BENCH_CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_to_before(r->bench, l), 4);
}

static void c_first(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_to_first(r->bench, l), 4);
}

static void c_joules(char text[BENCH_CELL], const struct ca_bench_report *r,
                     const struct ca_bench_line *l)
{
    (void)r;
    bench_columns_number(text, ca_bench_good(l) ? l->joules : 0, 4);
}

static void c_price(char text[BENCH_CELL], const struct ca_bench_report *r,
                    const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_price(r, l), 6);
}

static void c_price_per_mups(char text[BENCH_CELL], const struct ca_bench_report *r,
                             const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_price_per_mups(r, l), 4);
}

static void c_relative_cost(char text[BENCH_CELL], const struct ca_bench_report *r,
                            const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_relative_cost(r, l), 4);
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

static void c_watts_per_mups(char text[BENCH_CELL], const struct ca_bench_report *r,
                             const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_watts_per_mups(r, l), 4);
}

static void c_relative_power(char text[BENCH_CELL], const struct ca_bench_report *r,
                             const struct ca_bench_line *l)
{
    bench_columns_number(text, ca_bench_relative_power(r, l), 4);
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
    {"label", c_label, any_label, true},
    {"model", c_model, NULL, true},
    {"size", c_size, NULL, true},
    {"backend", c_backend, NULL, true},
    {"options", c_options, any_options, true},
    {"threads", c_threads, NULL, false},
    {"ranks", bench_ranks, any_cut, false},
    {"scaling", bench_kind, scaling, true},
    {"cores", c_cores, any_cores, false},
    {"steps", c_steps, NULL, false},
    {"n", c_n, NULL, false},
    {"left_out", c_left_out, NULL, false},
    {"others", c_others, NULL, true},
    {"median_ms", c_median, NULL, false},
    {"mad_ms", c_mad, NULL, false},
    {"min_ms", c_min, NULL, false},
    {"max_ms", c_max, NULL, false},
    {"device_ms", c_device, any_device, false},
    {"predicted_ms", c_predicted, verbose, false},
    {"ms/gen", c_generation, NULL, false},
    {"real_time", c_real_time, any_cloud, true},
    {"rate", c_rate, NULL, false, BENCH_NOT_CSV},
    {"cells/s", c_cells, NULL, false, BENCH_ONLY_CSV},
    {"Mups", c_mups, NULL, false, BENCH_ONLY_CSV},
    {"GB/s", c_gb, NULL, false},
    {"%copy", c_copy, NULL, false},
    {"%logic", c_logic, NULL, false},
    {"%launch", c_launch, any_device, false},
    {"bound", c_bound, probed, true},
    {"x_reference", c_reference, NULL, false},
    {"x_before", c_before, NULL, false},
    {"x_first", c_first, NULL, false},
    {"x_cut", bench_cut_times, scaling, false},
    {"%efficiency", bench_efficiency, scaling, false},
    {"ceiling_Mups", bench_ceiling, strong, false},
    {"halo_us", bench_halo, scaling, false},
    {"hidden_us", bench_hidden, scaling, false},
    {"exposed_us", bench_exposed, scaling, false},
    {"waited_us", bench_waited, any_cut, false},
    {"joules", c_joules, any_joules, false},
    {"price", c_price, ca_bench_any_price, false},
    {"price/Mups", c_price_per_mups, ca_bench_any_price, false},
    {"x_cost", c_relative_cost, relative_cost, false},
    {"watts", c_watts, any_watts, false},
    {"watts_by", c_watts_by, any_watts, true},
    {"watts/Mups", c_watts_per_mups, any_watts, false},
    {"x_power", c_relative_power, relative_power, false},
    {"wrong", c_wrong, NULL, false},
    {"checked", c_checked, NULL, true},
    {"report", c_report, NULL, true},
};

const int bench_columns_count = (int)(sizeof bench_columns / sizeof bench_columns[0]);
