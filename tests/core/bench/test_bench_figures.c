/* SPDX-License-Identifier: MIT */
/* Benchmarks: the figures of a line, and the table that shows them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/bench_ladder.h"

/* --- figures --------------------------------------------------------------------------------- */

START_TEST(stats)
{
    static const double odd[] = {3, 1, 2, 100, 2.5}, even[] = {4, 2};
    struct ca_bench_stats s = ca_bench_stats(odd, 5);

    ck_assert_int_eq(s.n, 5);
    ck_assert_double_eq(s.median, 2.5);
    ck_assert_double_eq(s.mad, 0.5); /* of 0.5 1.5 0.5 97.5 0 */
    ck_assert_double_eq(s.min, 1);
    ck_assert_double_eq(s.max, 100);
    s = ca_bench_stats(even, 2);
    ck_assert_double_eq(s.median, 3);
    ck_assert_double_eq(s.mad, 1);
    ck_assert_double_eq_tol(ca_bench_error(&s), 1.2533 * 1.4826 / sqrt(2) / 3, 1e-12);
    ck_assert_int_eq(ca_bench_stats(odd, 0).n, 0);
    s = ca_bench_stats(odd, 1);
    ck_assert(isinf(ca_bench_error(&s)));
}
END_TEST

START_TEST(rates)
{
    bench_add("reference,right,wrong");
    fill_line(0, 2e-3);
    fill_line(1, 1e-3);
    fill_line(2, 0.25e-3);
    ck_assert_double_eq_tol(ca_bench_mups(&bench.line[0]), 4, 1e-9);
    ck_assert_double_eq_tol(ca_bench_generation_s(&bench.line[0]), 0.2e-3, 1e-12);
    ck_assert_double_eq_tol(ca_bench_gb(&bench.line[0]), 4e6 * 2 * 5 / 10 / 1e9, 1e-12);
    ck_assert_double_eq_tol(ca_bench_gops(&bench.line[0]), 4e6 * 11 / 1e9, 1e-12);
    ck_assert_double_eq_tol(ca_bench_to_reference(&bench, &bench.line[2]), 8, 1e-9);
    ck_assert_double_eq_tol(ca_bench_to_before(&bench, &bench.line[2]), 4, 1e-9);
    ck_assert_double_eq(ca_bench_to_before(&bench, &bench.line[0]), 0);
    bench.line[1].wrong = 1;
    ck_assert_double_eq(ca_bench_mups(&bench.line[1]), 0);
    ck_assert_double_eq(ca_bench_generation_s(&bench.line[1]), 0);
    bench.line[1].available = false;
    bench.line[1].experiment.steps = 0;
    ck_assert_double_eq(ca_bench_gb(&bench.line[1]), 0);
    ck_assert_double_eq_tol(ca_bench_to_before(&bench, &bench.line[2]), 8, 1e-9);
    bench.line[1].wrong = 0;
    ladder[2].device = CA_CUDA; /* a rung of another ladder: the reference is before it */
    ck_assert_double_eq_tol(ca_bench_to_before(&bench, &bench.line[2]), 8, 1e-9);
}
END_TEST

/* The ceiling that it is nearest to, from half of it on; which level of memory holds the lattice.
 */
START_TEST(bottlenecks)
{
    static const struct {
        int64_t bytes;      /* of the lattice */
        double copy, logic; /* GB/s in the second cache, Gop/s */
        const char *bound;
    } rows[] = {
        {15000, 0.005, 1, "L2 80%"},       {15000, 1, 0.05, "logic 88%"},
        {15000, 0.005, 0.05, "logic 88%"}, {15000, 0.003, 0.05, "L2 133%"},
        {15000, 0.008, 1, "L2 50%"},       {15000, 0.00802, 1, "overhead"},
        {500, 0.005, 1, "overhead"},       {1 << 20, 0.005, 1, "memory 67%"},
    };
    static struct ca_bench_report report = {.bench = &bench, .probed = true};
    char text[32];

    bench_add("reference");
    fill_line(0, 2e-3); /* 4 Mups: 0.004 GB/s, 0.044 Gop/s */
    report.probe.threads = 1;
    for (int i = 0; i < CA_MEMORY; i++)
        report.probe.level[i].bytes = 1000 << 4 * i;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int all = 0; all < 2; all++) {
            report.probe.level[CA_L1].copy_gb[all] = 1;
            report.probe.level[CA_L2].copy_gb[all] = rows[i].copy;
            report.probe.level[CA_MEMORY].copy_gb[all] = 0.006;
            report.probe.logic_gops[all] = rows[i].logic;
        }
        bench.line[0].plan.memory_bytes = rows[i].bytes;
        ck_assert_str_eq(ca_bench_bound(text, &report, &bench.line[0]), rows[i].bound);
    }
    ck_assert_double_eq(ca_bench_launch_percent(&report, &bench.line[0]), 0); /* of GPUs alone */
    bench.line[0].wrong = 1;
    ck_assert_str_eq(ca_bench_bound(text, &report, &bench.line[0]), "-");
    bench.line[0].wrong = 0;
    report.probed = false;
    ck_assert_str_eq(ca_bench_bound(text, &report, &bench.line[0]), "-");
    report.probed = true;
}
END_TEST

/* A generation in the time that a picture has, 33.3 or 16.7 ms, and not a moment longer. */
START_TEST(real_time)
{
    static struct ca_bench_report report = {.bench = &bench};

    spec.model = &cloud_model;
    strcpy(spec.sizes, "8x8x8");
    strcpy(spec.threads, "1");
    bench_add("reference,threads,bitslice,bitslice-avx2");
    fill_line(0, 10 / 30.0);
    fill_line(1, 10 / 60.0);
    fill_line(2, 10 / 29.9);
    fill_line(3, 1e-3);
    ck_assert(ca_bench_fits(&bench.line[0], 30) && !ca_bench_fits(&bench.line[0], 60));
    ck_assert(ca_bench_fits(&bench.line[1], 60) && !ca_bench_fits(&bench.line[2], 30));
    bench.line[3].wrong = 1;
    ck_assert(!ca_bench_fits(&bench.line[3], 1));
    ck_assert_contains(printed(&report, TABLE_CSV), ",ms/gen,real_time,cells/s,", ",33.33,30,",
                       ",16.67,\"30, 60\",", ",33.44,no,", ",-,-,-,-,");
    for (int form = TABLE_TEXT; form <= TABLE_MARKDOWN; form++) /* whose heading has a rule */
        ck_assert_int_eq(strstr(printed(&report, (enum table_form)form), "---") != NULL,
                         form == TABLE_MARKDOWN);
}
END_TEST

/* By the first line of the model, on whatever lattice; of another model there is another first. */
START_TEST(acceleration)
{
    strcpy(spec.sizes, "40x20,80x20");
    bench_add("reference,right");
    spec.model = &life3d_model;
    strcpy(spec.sizes, "8x8x8");
    bench_add("reference");
    for (int i = 0; i < 5; i++)
        fill_line(i, 1e-3 * (i + 1));
    ck_assert_double_eq_tol(ca_bench_to_first(&bench, &bench.line[0]), 1, 1e-9);
    ck_assert_double_eq_tol(ca_bench_to_first(&bench, &bench.line[1]), 0.5, 1e-9);
    ck_assert_double_eq_tol(ca_bench_to_first(&bench, &bench.line[3]), 2 / 4.0, 1e-9);
    ck_assert_double_eq_tol(ca_bench_to_first(&bench, &bench.line[4]), 1, 1e-9);
    bench.line[1].wrong = 1;
    ck_assert_double_eq(ca_bench_to_first(&bench, &bench.line[1]), 0);
    bench.line[0].wrong = -1; /* not finished: then nothing takes its place */
    ck_assert_double_eq(ca_bench_to_first(&bench, &bench.line[3]), 0);
    ca_bench_keep_finished(&bench);
    ck_assert_int_eq(bench.count, 4);
    ck_assert_double_eq(ca_bench_to_first(&bench, &bench.line[2]), 0);
    ck_assert_double_eq_tol(ca_bench_to_first(&bench, &bench.line[3]), 1, 1e-9);
}
END_TEST

/* Prices and watts by the line's case, else the report; counted joules go before given watts. */
START_TEST(costs)
{
    static struct ca_bench_report report = {.bench = &bench};

    strcpy(spec.label, "one");
    spec.machine = (struct ca_bench_machine){.price = 1000, .watts = 80, .cores = 4};
    bench_add("reference");
    spec.label[0] = '\0';
    spec.machine = (struct ca_bench_machine){0};
    bench_add("right");
    fill_line(0, 2e-3); /* 4 Mups */
    fill_line(1, 1e-3); /* 8 Mups */
    ck_assert(ca_bench_any_price(&report) && ca_bench_stated(&report));
    ck_assert_double_eq_tol(ca_bench_price_per_mups(&report, &bench.line[0]), 250, 1e-9);
    ck_assert_double_eq_tol(ca_bench_watts_per_mups(&report, &bench.line[0]), 20, 1e-9);
    ck_assert_double_eq(ca_bench_price_per_mups(&report, &bench.line[1]), 0);
    ck_assert_double_eq(ca_bench_relative_cost(&report, &bench.line[0]), 0); /* none is named */
    ck_assert_ok(ca_bench_relate(&bench, "one", "there", &error));
    ck_assert_double_eq(ca_bench_relative_cost(&report, &bench.line[1]), 0); /* without a price */
    report.price = 3000;
    report.watts = 20;
    ck_assert_double_eq_tol(ca_bench_relative_cost(&report, &bench.line[0]), 1, 1e-9);
    ck_assert_double_eq_tol(ca_bench_relative_cost(&report, &bench.line[1]), 375 / 250.0, 1e-9);
    ck_assert_double_eq_tol(ca_bench_relative_power(&report, &bench.line[1]), 2.5 / 20, 1e-9);
    ck_assert(!ca_bench_watts_counted(&bench.line[1]));
    bench.line[1].joules = 30;
    bench.line[1].seconds = 0.5;
    ck_assert(ca_bench_watts_counted(&bench.line[1]));
    ck_assert_double_eq_tol(ca_bench_watts(&report, &bench.line[1]), 60, 1e-9);
    ck_assert_double_eq_tol(ca_bench_relative_power(&report, &bench.line[1]), 7.5 / 20, 1e-9);
    bench.line[0].wrong = 1;
    ck_assert_double_eq(ca_bench_price_per_mups(&report, &bench.line[0]), 0);
    ck_assert_double_eq(ca_bench_relative_cost(&report, &bench.line[1]), 0);
    report.price = report.watts = 0;
}
END_TEST

/* Each line is related to the named one of its lattice, else to the only one of its model; by what
 * was planned, also where lines are missing. */
START_TEST(relations)
{
    strcpy(spec.sizes, "40x20,80x20");
    bench_add("reference,right");
    ck_assert_ptr_null(ca_bench_base(&bench, &bench.line[0]));
    ck_assert_ok(ca_bench_relate(&bench, "right", "there", &error));
    ck_assert_ptr_eq(ca_bench_base(&bench, &bench.line[0]), &bench.line[1]);
    ck_assert_ptr_eq(ca_bench_base(&bench, &bench.line[2]), &bench.line[3]);
    strcpy(spec.sizes, "40x20");
    strcpy(spec.label, "again");
    bench_add("reference,right");
    strcpy(spec.sizes, "20x20");
    strcpy(spec.label, "alone");
    bench_add("reference,right");
    ck_assert_int_eq(ca_bench_relate(&bench, "right", "there", &error), CA_USAGE);
    ck_assert_contains(error.text, "there: 'right' names several lines of one lattice, such as "
                                   "'right' and 'again: right'");
    ck_assert_ok(ca_bench_relate(&bench, "again: right", "there", &error));
    for (int i = 0; i < bench.count; i++)
        ck_assert_ptr_eq(ca_bench_base(&bench, &bench.line[i]), &bench.line[5]);
    ck_assert_int_eq(ca_bench_relate(&bench, "reference", "there", &error), CA_USAGE);
    ck_assert_int_eq(ca_bench_relate(&bench, "agein", "there", &error), CA_USAGE);
    ck_assert_contains(error.text, "there: no line is named 'agein'; did you mean 'again'?");
    ck_assert_int_eq(ca_bench_relate(&bench, "", "there", &error), CA_USAGE);
    ck_assert_contains(error.text, "1 ... 127 bytes");
    spec.model = &life3d_model;
    strcpy(spec.sizes, "8x8x8");
    spec.label[0] = '\0';
    bench_add("reference");
    ck_assert_ok(ca_bench_relate(&bench, "alone: right", "there", &error));
    ck_assert_ptr_null(ca_bench_base(&bench, &bench.line[bench.count - 1]));
    for (int i = 0; i < bench.count; i++)
        fill_line(i, 1e-3);
    bench.line[7].wrong = -1;
    ca_bench_keep_finished(&bench);
    ck_assert_ptr_null(ca_bench_base(&bench, &bench.line[0]));
}
END_TEST

/* 153 times as fast, by medians whose errors add up as squares; of four calls nothing is known. */
START_TEST(factors)
{
    struct ca_bench_factor factor;

    bench_add("reference,right");
    fill_line(0, 153e-3);
    fill_line(1, 1e-3);
    bench.line[0].stats.mad = 3e-3;
    bench.line[1].stats.mad = 0.04e-3;
    factor = ca_bench_factor(&bench.line[1], &bench.line[0]);
    ck_assert_double_eq_tol(factor.times, 153, 1e-9);
    ck_assert_double_eq_tol(
        factor.error,
        153 * 1.96 *
            hypot(1.2533 * 1.4826 / sqrt(5) * hypot(3.0 / 153, 0.04), CA_BENCH_REPEAT * sqrt(2)),
        1e-9);
    bench.line[1].stats.n = 4;
    ck_assert(isinf(ca_bench_factor(&bench.line[1], &bench.line[0]).error));
}
END_TEST

/* --- the table ------------------------------------------------------------------------------- */

static const char *short_form(const struct ca_bench_report *report, bool markdown)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ok(bench_print_short(out, report, markdown, &error));
    fclose(out);
    for (const char *line = text; *line && !markdown; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 80, "%s", line);
    return test_keep(text);
}

START_TEST(short_table)
{
    static struct ca_bench_report report = {.bench = &bench};
    const char *text;

    bench_add("reference,right,wrong,absent");
    for (int i = 0; i < 3; i++) {
        fill_line(i, i ? 1e-3 : 153e-3);
        bench.line[i].stats.mad = bench.line[i].stats.median / 100;
        strcpy(bench.line[i].checked, "reference");
    }
    strcpy(bench.line[0].checked, "itself");
    bench.line[2].wrong = 17;
    strcpy(bench.line[3].reason, "needs an abacus");
    ck_assert_str_eq(short_form(&report, false),
                     "anneal 40x20, seed 1, random\n"
                     "backend         rate  +-  x reference  x before  equal\n"
                     "reference  52.3 kups  3%         1.00         -  itself\n"
                     "right      8.00 Mups  3%          153       153  reference\n"
                     "wrong              -   -            -         -  17 WRONG\n"
                     "cannot run: absent: needs an abacus\n"
                     "right is 153 times as fast as reference (+- 3.1 %); 1 is wrong\n");
    bench.line[2].wrong = 0;
    bench.line[2].stats.median = bench.line[2].stats.min = 2e-3;
    strcpy(bench.line[2].checked, "reference, only to generation 20");
    ck_assert_contains(
        short_form(&report, false), "  only to generation 20\n",
        "right is 153 times as fast as reference (+- 3.1 %) and 2.00 times as fast as\n"
        "  wrong (+- 2.8 %); all equal as far as they were checked\n");
    bench.line[1].unsure = true;
    bench.line[1].made = 4;
    bench.line[1].disturbance =
        (struct ca_disturbance){.samples = 4, .disturbed = 4, .cores = 2, .others = {true, 1.3}};
    text = short_form(&report, false);
    ck_assert_contains(text, "\nright      8.00 Mups  unsure          153       153  reference\n");
    ck_assert_contains(
        text, "\nright: others used 1.3 of 2 cores; unsure, 4 of 4 calls were disturbed\n");
    ck_assert_contains(text, /* the reason once, behind both */
                       "right is perhaps 153 times as fast as reference and perhaps 2.00 times as "
                       "fast\n  as wrong (unsure: others used 1.3 of 2 cores); all equal as far as "
                       "they were\n  checked\n");
    bench.line[1].unsure = false;
    bench.line[1].disturbance.disturbed = 0;
    bench.line[1].disturbance.unknown = 4;
    ck_assert_contains(short_form(&report, false),
                       "\nothers: this system does not tell what they use\n");
    bench.line[1].disturbance.unknown = 0;
    ck_assert_contains(short_form(&report, false), "\nothers: none disturbed a call\n");
    bench.line[1].stats.mad = 1e-3;
    strcpy(report.ended, "stopped");
    ck_assert_contains(short_form(&report, true),
                       "**anneal 40x20**, seed 1, random\n\n| backend | rate | +- |",
                       "as fast as wrong, within the noise (2.00, +- ", "\nincomplete: stopped\n");
    report.ended[0] = '\0';
}
END_TEST

/* Whichever line is unsure: its factors are perhaps so, and its reason stands behind them, once. */
START_TEST(sentence_of_unsure_lines)
{
    static const char *const wanted[] = {
        "right is perhaps 153 times as fast as reference and 2.00 times as fast as wrong "
        "(+- 3.1 %) (unsure: others used 1.0 of 2 cores); all equal",
        "right is perhaps 153 times as fast as reference and perhaps 2.00 times as fast as wrong "
        "(unsure: others used 1.1 of 2 cores); all equal",
        "right is 153 times as fast as reference (+- 3.1 %) and perhaps 2.00 times as fast as "
        "wrong "
        "(unsure: others used 1.2 of 2 cores); all equal",
        "right is perhaps 153 times as fast as reference and perhaps 2.00 times as fast as wrong "
        "(unsure: others used 1.1 of 2 cores); all equal",
        "right is 153 times as fast as reference (+- 3.1 %) and 2.00 times as fast as wrong "
        "(+- 3.1 %); all equal"};
    char text[512];

    bench_add("reference,right,wrong");
    for (int i = 0; i < 3; i++) {
        struct ca_bench_line *line = &bench.line[i];

        fill_line(i, i == 0 ? 153e-3 : i == 1 ? 1e-3 : 2e-3);
        line->stats.mad = line->stats.median / 100;
        strcpy(line->checked, "reference");
        line->unsure = i == _i || _i == 3;
        line->disturbance = (struct ca_disturbance){
            .samples = 4, .disturbed = 4, .cores = 2, .others = {true, 1 + i / 10.0}};
    }
    ck_assert_str_eq(ca_bench_sentence(text, sizeof text, &bench, 0), wanted[_i]);
}
END_TEST

/* What is too long for its column does not widen the table. */
START_TEST(long_names)
{
    static struct ca_bench_report report = {.bench = &bench, .probed = true};

    ladder[1].name = "right-with-a-name-that-no-table-has-room-for-in-eighty-columns";
    bench_add("reference,right-with*");
    for (int i = 0; i < 2; i++) {
        fill_line(i, 1e-3);
        bench.line[i].stats.mad = 1e-5;
        strcpy(bench.line[i].checked, "reference, only to generation 123456789012345");
    }
    ck_assert_contains(short_form(&report, false),
                       "\nright-with-a-name-that-no-table-has-room-for-in-eighty-columns\n  ",
                       "  bound  equal\n");
    bench.line[0].available = bench.line[1].available = false;
    strcpy(bench.line[0].reason, "tired"), strcpy(bench.line[1].reason, "tired");
    ck_assert_contains(short_form(&report, false), "cannot run: reference,\n  right-with-");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {stats, rates, bottlenecks, real_time, acceleration, costs, relations,
                              factors, short_table, long_names},
                     .table = {{sentence_of_unsure_lines, 5}});
}
