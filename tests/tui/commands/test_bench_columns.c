/* SPDX-License-Identifier: MIT */
/* The columns of a benchmark's full table: what each says of a line whose figures are known. */
#include <stdio.h>
#include <string.h>

#include "core/bench/bench.h"
#include "core/engine/bench_json.h"
#include "tests/support/support.h"
#include "tui/commands/bench.h"

#define CELLS 500000 /* of each line */

static struct ca_bench bench;

static void fill(struct ca_bench_line *line, double median)
{
    line->available = true;
    line->experiment.steps = 7;
    line->passes = 4;
    line->wrong = 0;
    strcpy(line->checked, "reference");
    line->stats = (struct ca_bench_stats){
        .n = 13, .median = median, .mad = 0.00023456, .min = 0.0111111, .max = 0.0222222};
    line->device_stats = (struct ca_bench_stats){.n = 13, .median = 0.0098765};
    line->seconds = 0.5;
    line->joules = 12.3456;
    line->predicted_s = 0.0021234;
    line->machine.cores = 12345;
    line->machine.price = 1234567;
}

static void make_bench(void)
{
    static struct ca_bench_spec spec;
    struct ca_error error;

    ca_bench_default(&bench);
    bench.tuned = false;
    memset(&spec, 0, sizeof spec);
    spec.model = test_model("anneal");
    strcpy(spec.backends, "reference,threads,bitslice");
    strcpy(spec.sizes, "1000x500");
    strcpy(spec.threads, "1");
    strcpy(spec.label, "name");
    ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error));
    ck_assert_int_eq(bench.count, 3);
    fill(&bench.line[0], 0.05);
    fill(&bench.line[1], 0.03);
    fill(&bench.line[2], 0.0123456);
}

static const char *cell_of(const struct ca_bench_report *report, const char *name, int line)
{
    static char text[TABLE_CELL];
    struct table table = {bench_columns, bench_columns_count, .context = report};

    for (int i = 0; i < bench_columns_count; i++)
        if (strcmp(bench_columns[i].name, name) == 0) {
            json_t *lines = json_array();

            for (int k = 0; k <= line; k++)
                json_array_append_new(lines, ca_bench_line_json(report, &report->bench->line[k]));
            table.lines = lines;
            table_text(text, &table, i, line);
            json_decref(lines);
            return text;
        }
    ck_abort_msg("no column '%s'", name);
}

static const struct {
    const char *name, *text;
} cells[] = {
    {"label", "name"},
    {"model", "anneal"},
    {"size", "1000x500"},
    {"backend", "bitslice"},
    {"options", "-"},
    {"threads", "1"},
    {"cores", "12345"},
    {"steps", "7"},
    {"n", "13"},
    {"median_ms", "12.35"},
    {"mad_ms", "0.2346"},
    {"min_ms", "11.11"},
    {"max_ms", "22.22"},
    {"device_ms", "9.877"},
    {"predicted_ms", "14.86"},
    {"ms/gen", "1.764"},
    {"real_time", "30, 60"},
    {"rate", "284 Mups"},
    {"cells/s", "2.835e+08"},
    {"Mups", "283.5"},
    {"x_reference", "4.05"},
    {"x_before", "2.43"},
    {"x_first", "4.05"},
    {"joules", "12.35"},
    {"price", "1.23457e+06"},
    {"price/Mups", "4355"},
    {"watts", "24.69"},
    {"watts_by", "counter"},
    {"watts/Mups", "0.08709"},
    {"wrong", "0"},
    {"checked", "reference"},
};

START_TEST(says)
{
    struct ca_bench_report report = {.bench = &bench};

    make_bench();
    ck_assert_str_eq(cell_of(&report, cells[_i].name, 2), cells[_i].text);
    ca_bench_free(&bench);
}
END_TEST

/* Bytes of all passes, not of all generations. */
START_TEST(bytes)
{
    struct ca_bench_report report = {.bench = &bench};

    make_bench();
    ck_assert_str_eq(
        cell_of(&report, "GB/s", 2),
        test_text("%.4g", CELLS * 4.0 * bench.line[2].experiment.backend->bytes_per_cell_step /
                              0.0123456 / 1e9));
    ca_bench_free(&bench);
}
END_TEST

/* Sixty pictures a second take 16.7 ms, and no longer. */
START_TEST(pictures)
{
    static const struct {
        double rate;
        const char *text;
    } rows[] = {{61, "30, 60"}, {59, "30"}, {51, "30"}, {31, "30"}, {29, "no"}};
    struct ca_bench_report report = {.bench = &bench};

    make_bench();
    for (size_t i = 0; i < COUNT(rows); i++) {
        bench.line[2].stats.median = 7 / rows[i].rate;
        ck_assert_str_eq(cell_of(&report, "real_time", 2), rows[i].text);
    }
    ca_bench_free(&bench);
}
END_TEST

/* A wrong line, or an emulated one, has no figures, and says why. */
START_TEST(no_figures)
{
    static const char *const names[] = {
        "median_ms", "mad_ms", "min_ms", "max_ms",      "device_ms", "ms/gen", "real_time",
        "cells/s",   "Mups",   "GB/s",   "x_reference", "x_before",  "joules", "price/Mups"};
    struct ca_bench_report report = {.bench = &bench};

    for (int emulated = 0; emulated < 2; emulated++) {
        make_bench();
        bench.line[2].wrong = emulated ? 0 : 3;
        bench.line[2].emulated = emulated;
        for (size_t i = 0; i < COUNT(names); i++) {
            const char *text = cell_of(&report, names[i], 2);

            ck_assert_msg(strcmp(text, "-") == 0 || strcmp(text, "0") == 0, "%s of %s: '%s'",
                          names[i], emulated ? "an emulated line" : "a wrong line", text);
        }
        ck_assert_str_eq(cell_of(&report, "rate", 2), emulated ? "emulated" : "-");
        ck_assert_str_eq(cell_of(&report, "wrong", 2), emulated ? "0" : "3");
        ca_bench_free(&bench);
    }
    make_bench();
    bench.line[2].available = false;
    strcpy(bench.line[2].reason, "no such thing");
    bench.line[2].wrong = -1;
    ck_assert_str_eq(cell_of(&report, "checked", 2), "unavailable: no such thing");
    ck_assert_str_eq(cell_of(&report, "wrong", 2), "-");
    ck_assert_str_eq(cell_of(&report, "predicted_ms", 2), "-");
    ca_bench_free(&bench);
}
END_TEST

/* Options that were tuned come last, and are said to be. */
START_TEST(options_of_a_line)
{
    struct ca_bench_report report = {.bench = &bench};
    struct ca_values *options;
    int exchange, ranks;

    make_bench();
    options = &bench.line[2].experiment.options;
    ranks = ca_values_find(options, "ranks");
    exchange = ca_values_find(options, "exchange");
    ck_assert_int_ge(ranks, 0);
    ck_assert_int_ge(exchange, 0);
    options->value[ranks] = (struct ca_value){2, "", CA_TUNED};
    options->value[exchange] = (struct ca_value){3, "", CA_FROM_COMMAND_LINE};
    ck_assert_str_eq(cell_of(&report, "options", 2), "exchange=3 tuned: ranks=2");
    ca_bench_free(&bench);
}
END_TEST

/* Figures of columns that a short benchmark does not have, by the value 1.23456789 of their member.
 */
static const struct {
    const char *name, *path, *text;
} figures[] = {
    {"device_ms", "device_s", "1235"},
    {"%copy", "copy_percent", "1.23"},
    {"%logic", "logic_percent", "1.23"},
    {"%launch", "launch_percent", "1.23"},
    {"GB/s", "gb_per_s", "1.235"},
    {"x_reference", "to_reference", "1.235"},
    {"x_before", "to_before", "1.235"},
    {"x_first", "to_first", "1.235"},
    {"x_cut", "to_first_cut", "1.235"},
    {"%efficiency", "efficiency", "123.5"},
    {"ceiling_Mups", "ceiling_mups", "1.2346"},
    {"halo_us", "halo_predicted_s", "1.235e+06"},
    {"hidden_us", "halo_hidden_s", "1.235e+06"},
    {"exposed_us", "halo_exposed_s", "1.235e+06"},
    {"cores", "cores", "1.23456789"},
    {"cells/s", "cells_per_s", "1.235"},
    {"Mups", "mups", "1.2346"},
    {"joules", "joules", "1.235"},
    {"price", "price", "1.23457"},
    {"price/Mups", "price_per_mups", "1.235"},
    {"x_cost", "relative_cost", "1.235"},
    {"watts/Mups", "watts_per_mups", "1.235"},
    {"x_power", "relative_power", "1.235"},
};

START_TEST(digits)
{
    struct ca_bench_report report = {.bench = &bench};
    struct table table = {bench_columns, bench_columns_count, .context = &report};
    json_t *lines = json_pack("[{s:f}]", figures[_i].path, 1.23456789);
    char text[TABLE_CELL];
    int found = 0;

    make_bench();
    table.lines = lines;
    for (int i = 0; i < bench_columns_count; i++)
        if (strcmp(bench_columns[i].name, figures[_i].name) == 0) {
            table_text(text, &table, i, 0);
            ck_assert_str_eq(text, figures[_i].text);
            found++;
        }
    ck_assert_int_eq(found, 1);
    json_decref(lines);
    ca_bench_free(&bench);
}
END_TEST

/* Of a line that was not cut, nobody waited; a share is of no machine that waits. */
START_TEST(waiting)
{
    struct ca_bench_report report = {.bench = &bench};

    make_bench();
    ck_assert_str_eq(cell_of(&report, "waited_us", 2), "-");
    ca_bench_free(&bench);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {bytes, pictures, no_figures, options_of_a_line, waiting},
                     .table = {{says, COUNT(cells)}, {digits, COUNT(figures)}});
}
