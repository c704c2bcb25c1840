/* SPDX-License-Identifier: MIT */
/* Benchmarks: the figures, that a wrong state has none, and who a state is checked against. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/manual_clock.h"
#include "tests/support/support.h"
#include "tui/commands/bench.h"

/* --- a ladder with mistakes ------------------------------------------------------------------ */

static enum ca_status wrong_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    enum ca_status status = byte_stepper.step(self, t, n, error);

    ((uint8_t *)plain->now.plane[0])[3] ^= 1;
    ((uint8_t *)plain->now.plane[0])[5] ^= 1;
    return status;
}

/* Backends that take so long by the test's clock, and no more however busy the machine is. */
#define STEP_S 1e-3
#define QUICK_STEP_S 1e-5

static double others_share; /* of the time of a call in which its thread waits for a core */

static enum ca_status paced_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    manual_clock_s += STEP_S * (double)n / (1 - others_share);
    return byte_stepper.step(self, t, n, error);
}

static enum ca_status quick_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    manual_clock_s += QUICK_STEP_S * (double)n;
    return byte_stepper.step(self, t, n, error);
}

/* In place of the machine's meter. */
void ca_meter_stop(struct ca_meter *meter, struct ca_interference *sample)
{
    (void)meter;
    *sample = (struct ca_interference){.cores = 1, .threads = 1, .waited = {true, others_share}};
}

static enum ca_status absent(struct ca_error *error)
{
    return ca_fail(error, CA_NO_DEVICE, "needs an abacus");
}

static enum ca_status failing_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    (void)self, (void)t, (void)n;
    return ca_fail(error, CA_IO, "the cat has eaten it");
}

static enum ca_status lazy_store(void *self, void *const planes[], int64_t first, int64_t rows,
                                 struct ca_error *error)
{
    (void)self, (void)planes, (void)first, (void)rows, (void)error;
    return CA_OK;
}

static struct ca_backend ladder[7];
static struct ca_stepper fake[7]; /* of the backends, each its own */
static struct ca_model model;
static struct ca_bench bench;
static struct ca_bench_spec spec;
static struct ca_error error;

static void setup(void)
{
    for (int i = 0; i < 6; i++)
        ladder[i] = anneal_model.backends[0], fake[i] = byte_stepper, ladder[i].stepper = &fake[i];
    fake[0].step = fake[1].step = paced_step;
    ladder[1].name = "right";
    ladder[2].name = "wrong", fake[2].step = wrong_step;
    ladder[3].name = "absent", ladder[3].available = absent;
    ladder[4].name = "failing", fake[4].step = failing_step;
    ladder[5].name = "quick", fake[5].step = quick_step;
    model = anneal_model;
    model.backends = ladder;
    ca_bench_default(&bench);
    bench.time_s = 0.02;
    memset(&spec, 0, sizeof spec);
    spec.model = &model;
    strcpy(spec.sizes, "40x20");
}

static void teardown(void) { ca_bench_free(&bench); }

/* A line each of these backends, of what else `spec` says. */
static void bench_add(const char *backends)
{
    strcpy(spec.backends, backends);
    ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error));
}

static void bench_run(void) { ck_assert_ok(ca_bench_run(&bench, NULL, NULL, &error)); }

/* Adds lines of so many steps, and runs them. */
static void run_lines(const char *backends, const char *steps)
{
    strcpy(spec.setting[CA_KEY_STEPS], steps);
    bench_add(backends);
    bench_run();
}

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

/* A line of 40x20 cells, 10 steps, 2 ms: 4 Mups. */
static void fill_line(int i, double median)
{
    struct ca_bench_line *line = &bench.line[i];

    line->available = true;
    line->experiment.steps = 10;
    line->passes = 5;
    line->stats = (struct ca_bench_stats){5, median, 0, median, median, 0};
    line->wrong = 0;
}

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

static const char *printed(const struct ca_bench_report *report, enum table_form form)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ok(bench_print(out, report, form, &error));
    fclose(out);
    return test_keep(text);
}

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

/* Calls that others disturbed are left out, also those before anybody knew how fast the fixed loop
 * can be; where too few are left the line is unsure, and its factor unknown. */
START_TEST(calls_that_count)
{
    struct ca_bench_line *line;

    bench_add("reference,right");
    fill_line(0, 2e-3);
    fill_line(1, 1e-3);
    line = &bench.line[1];
    line->made = 12;
    for (int i = 0; i < 12; i++)
        line->call[i] = (struct ca_bench_call){.seconds = i,
                                               .device_s = i / 2.0,
                                               .speed = i < 3 ? 0.7e9 : 1e9,
                                               .quiet = i == 5 ? CA_DISTURBED : CA_QUIET};
    ca_bench_count_calls(line, 0.7e9);
    ck_assert_int_eq(line->stats.n, 11);
    ca_bench_count_calls(line, 1e9);
    ck_assert_int_eq(line->stats.n, 8);
    ck_assert_double_eq(line->sample[0], 3);
    ck_assert_double_eq(line->sample[2], 6);
    ck_assert_double_eq(line->device[2], 3);
    ck_assert(!line->unsure);
    ck_assert(isfinite(ca_bench_factor(&bench.line[0], line).error));
    for (int i = 6; i < 10; i++)
        line->call[i].quiet = CA_DISTURBED;
    ca_bench_count_calls(line, 1e9);
    ck_assert_int_eq(line->stats.n, 4);
    ck_assert(line->unsure);
    line->stats.n = 12;
    ck_assert(isinf(ca_bench_factor(&bench.line[0], line).error));
    ck_assert(isinf(ca_bench_repeat_error(&line->stats, true)));
    line->made = 4; /* none of few calls was disturbed: they are few, and not unsure */
    for (int i = 0; i < 4; i++)
        line->call[i].quiet = CA_QUIET;
    ca_bench_count_calls(line, 0);
    ck_assert(!line->unsure);
}
END_TEST

/* A call has as many generations beside others as on idle cores. */
START_TEST(length_of_a_call)
{
    uint64_t steps[2];

    bench_add("reference");
    for (int i = 0; i < 2; i++) {
        others_share = i ? 0.8 : 0;
        bench.line[0].experiment.steps = 0;
        bench_run();
        steps[i] = bench.line[0].experiment.steps;
    }
    others_share = 0;
    ck_assert_uint_ge(steps[0], 20);
    ck_assert_uint_le(steps[0], 30);
    ck_assert_uint_eq(steps[1], steps[0]);
}
END_TEST

static int instances;
static double create_s;

static enum ca_status counted_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *failure)
{
    instances++;
    manual_clock_s += create_s;
    return byte_stepper.create(self, setup, failure);
}

/* Five calls each, so that no place in memory decides; one alone where it takes long to open. */
START_TEST(several_instances)
{
    bench_add("right");
    bench.time_s = 2;
    fake[1].create = counted_create;
    create_s = _i ? 0.03 : 0.01;
    instances = 0;
    bench_run();
    ck_assert_int_eq(bench.line[0].made, 40);
    ck_assert_int_eq(instances, _i ? 1 : 8);
    ck_assert_int_eq(bench.line[0].wrong, 0);
}
END_TEST

/* Calls by the error so far, at most by the limit of time; and the seconds that they take. */
START_TEST(what_is_left)
{
    bench_add("reference,right");
    bench.time_s = 2;
    bench.error = 0.01;
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]), 0);
    ck_assert_double_eq(ca_bench_left(&bench), 4);
    bench.line[0].stats.n = bench.line[0].made = 10;
    bench.line[0].seconds = 0.1;
    for (int i = 0; i < 10; i++)
        bench.line[0].sample[i] = 0.01 * (i % 2 ? 1.05 : 0.95); /* MAD 5 % */
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]),
                     (int)ceil(pow(1.2533 * 1.4826 * 0.05 / 0.01, 2)));
    ck_assert_double_eq_tol(ca_bench_left(&bench), 2 + 77 * 0.01, 1e-9);
    bench.line[0].seconds = 1;
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]), 20);
    bench.line[0].stats.n = bench.line[0].made = 3;
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]), 6);
    bench.line[0].stats.n = 10; /* 5 calls more that were left out */
    bench.line[0].made = 15;
    bench.line[0].seconds = 0.15;
    ck_assert_int_eq(ca_bench_calls(&bench, &bench.line[0]),
                     5 + (int)ceil(pow(1.2533 * 1.4826 * 0.05 / 0.01, 2)));
    strcpy(bench.line[0].checked, "itself");
    ck_assert_double_eq(ca_bench_left(&bench), 2);
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

static double clock_s;

static void clock_of(void *self, struct ca_clock *clock)
{
    (void)self;
    *clock = (struct ca_clock){.device_s = clock_s += 0.001};
}

/* A device's own clock, which says a millisecond of each call, and its median beside the other. A
 * device whose power nobody knows has no energy, not one of 0. */
START_TEST(device_time)
{
    ladder[1].device = CA_CUDA;
    fake[1].clock = clock_of;
    run_lines("right", "5");
    ck_assert_int_gt(bench.line[0].device_stats.n, 0);
    ck_assert_int_eq(bench.line[0].device_stats.n, bench.line[0].stats.n);
    ck_assert_double_eq_tol(bench.line[0].device_stats.median, 0.001, 1e-9);
    ck_assert_double_le(bench.line[0].watts, 0);
    ck_assert_double_eq(bench.line[0].joules, -1);
}
END_TEST

/* --- runs ------------------------------------------------------------------------------------ */

START_TEST(wrong_has_no_figures)
{
    struct ca_bench_report report = {.bench = &bench};

    run_lines("reference,right,wrong,absent", "4");
    for (int i = 0; i < 2; i++) {
        ck_assert(ca_bench_good(&bench.line[i]));
        ck_assert_int_ge(bench.line[i].stats.n, 1);
        ck_assert_uint_eq(bench.line[i].hash, bench.line[0].hash);
    }
    ck_assert_str_eq(bench.line[1].checked, "reference");
    ck_assert_int_eq(bench.line[2].wrong, 2);
    ck_assert_uint_ne(bench.line[2].hash, bench.line[0].hash);
    ck_assert(!ca_bench_good(&bench.line[2]));
    ck_assert_double_eq(ca_bench_mups(&bench.line[2]), 0);
    ck_assert(!bench.line[3].available);
    ck_assert_str_eq(bench.line[3].reason, "needs an abacus");
    ck_assert_contains(printed(&report, TABLE_CSV), ",wrong,1,4,",
                       "-,-,-,-,-,-,-,-,-,-,-,-,-,2,reference,",
                       "unavailable: needs an abacus,-\n");
}
END_TEST

/* Stops once the first two lines have a median. */
static bool stop_when_timed(void *context, const struct ca_bench *b,
                            const struct ca_bench_line *line, const char *what)
{
    (void)context, (void)line, (void)what;
    return b->line[0].made < CA_BENCH_MEDIAN || b->line[1].made < CA_BENCH_MEDIAN;
}

/* A benchmark that is stopped keeps the medians that it has, checked; who is wrong stays so. */
START_TEST(keeps_medians)
{
    strcpy(spec.setting[CA_KEY_STEPS], "4");
    bench.time_s = 60;
    bench.error = -1; /* which equal times do not reach either */
    bench_add("reference,right,wrong");
    ck_assert_int_eq(ca_bench_run(&bench, stop_when_timed, NULL, &error), CA_TIMEOUT);
    ck_assert(ca_bench_good(&bench.line[0]) && ca_bench_good(&bench.line[1]));
    ck_assert(bench.line[0].partial && bench.line[1].partial);
    ck_assert_int_eq(bench.line[1].made, CA_BENCH_MEDIAN);
    ck_assert_double_gt(bench.line[1].stats.median, 0);
    ck_assert_str_eq(bench.line[1].checked, "reference");
    ck_assert_int_lt(bench.line[2].wrong, 0); /* four calls are no median */
    ca_bench_keep_finished(&bench);
    ck_assert_int_eq(bench.count, 2);
    ca_bench_free(&bench);

    ca_bench_default(&bench);
    bench.time_s = 60;
    bench.error = -1;
    bench_add("reference,wrong");
    ck_assert_int_eq(ca_bench_run(&bench, stop_when_timed, NULL, &error), CA_TIMEOUT);
    ck_assert_int_eq(bench.line[1].wrong, 2);
    ck_assert_double_eq(ca_bench_mups(&bench.line[1]), 0);
}
END_TEST

/* What was finished before is kept, what was only opened is not. */
START_TEST(failure_ends_it)
{
    strcpy(spec.setting[CA_KEY_STEPS], "4");
    bench_add("right,absent");
    strcpy(spec.sizes, "30x20");
    bench_add("reference,failing");
    ck_assert_int_eq(ca_bench_run(&bench, NULL, NULL, &error), CA_IO);
    ck_assert_str_eq(error.text, "the cat has eaten it");
    ck_assert_int_eq(bench.count, 4);
    ca_bench_keep_finished(&bench);
    ck_assert_int_eq(bench.count, 2);
    ck_assert(ca_bench_good(&bench.line[0]));
    ck_assert_str_eq(bench.line[1].reason, "needs an abacus");
}
END_TEST

static enum ca_status poor_create(void **self, const struct ca_setup *setup,
                                  struct ca_error *failure)
{
    (void)self, (void)setup;
    return ca_fail(failure, CA_NO_MEMORY, "no memory for the cat");
}

/* Memory that is gone once the plan has been made costs a line, not the benchmark. */
START_TEST(without_memory)
{
    fake[2].create = poor_create;
    run_lines("reference,wrong,right", "4");
    ck_assert(ca_bench_good(&bench.line[0]) && ca_bench_good(&bench.line[1]));
    ck_assert(!bench.line[2].available);
    ck_assert_str_eq(bench.line[2].reason, "no memory for the cat");
}
END_TEST

static int checks;

static bool stop_at_a_check(void *context, const struct ca_bench *b,
                            const struct ca_bench_line *line, const char *what)
{
    (void)context;
    checks += strcmp(what, "checking") == 0 && line == &b->line[1];
    return checks == 0;
}

/* Stopped before the second of three is checked: all were timed, so that all are checked. */
START_TEST(stops_in_checks)
{
    strcpy(spec.setting[CA_KEY_STEPS], "4");
    bench_add("reference,right,wrong");
    checks = 0;
    ck_assert_int_eq(ca_bench_run(&bench, stop_at_a_check, NULL, &error), CA_TIMEOUT);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_ge(bench.line[i].made, CA_BENCH_MEDIAN);
        ck_assert(!bench.line[i].partial);
    }
    ck_assert(ca_bench_good(&bench.line[0]) && ca_bench_good(&bench.line[1]));
    ck_assert_int_eq(bench.line[2].wrong, 2);
    ca_bench_keep_finished(&bench);
    ck_assert_int_eq(bench.count, 3);
    ck_assert_str_eq(bench.line[0].checked, "itself");
    ck_assert_str_eq(bench.line[1].checked, "reference");
}
END_TEST

static int turns[64], turn;

static bool note_turn(void *context, const struct ca_bench *b, const struct ca_bench_line *line,
                      const char *what)
{
    if (strcmp(what, "timing") == 0 && turn < 64)
        turns[turn++] = (int)(line - b->line);
    return !context || turn < 3;
}

START_TEST(in_turns)
{
    int stop = 1;

    strcpy(spec.setting[CA_KEY_STEPS], "1");
    bench.error = 0; /* so that the time decides */
    bench_add("reference,right");
    turn = 0;
    ck_assert_ok(ca_bench_run(&bench, note_turn, NULL, &error));
    ck_assert_int_ge(turn, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(turns[i], i % 2);
    ck_assert_int_le(bench.line[0].stats.n, CA_BENCH_SAMPLES);
    ca_bench_free(&bench);
    setup();
    strcpy(spec.setting[CA_KEY_STEPS], "1");
    bench.error = 0;
    bench_add("reference,right");
    turn = 0;
    ck_assert_int_eq(ca_bench_run(&bench, note_turn, &stop, &error), CA_TIMEOUT);
}
END_TEST

/* Without steps, a call is made long enough to be timed: at least 20 ms, some more for certainty.
 */
START_TEST(finds_steps)
{
    bench_add("right");
    ck_assert_uint_eq(bench.line[0].experiment.steps, 0);
    bench_run();
    ck_assert_uint_ge(bench.line[0].experiment.steps, 20);
    ck_assert_uint_lt(bench.line[0].experiment.steps, 25);
    ck_assert_double_eq_tol(bench.line[0].stats.median,
                            STEP_S * (double)bench.line[0].experiment.steps, 1e-6);
}
END_TEST

/* Steps that a check allows the reference, and as many as it does not. */
#define ALLOWED 1000
#define TOO_MANY 16000

/* Lines of 20 steps, of which the second one has TOO_MANY. */
static void run_scarce(const char *backends)
{
    strcpy(spec.setting[CA_KEY_STEPS], "20");
    bench.check_s = ALLOWED * STEP_S;
    bench_add(backends);
    bench.line[1].experiment.steps = TOO_MANY;
    bench_run();
}

/* Where the reference would take too long, another one that it has confirmed. */
START_TEST(by_a_witness)
{
    run_scarce("reference,right,quick");
    ck_assert_str_eq(bench.line[2].checked, "reference");
    ck_assert_str_eq(bench.line[1].checked, "quick");
    ck_assert_int_eq(bench.line[1].wrong, 0);
}
END_TEST

/* Without one, as many of the reference's generations as there is time for, and the column says how
 * many. */
START_TEST(by_early_generations)
{
    unsigned long long generation = 0;

    run_scarce("reference,right");
    ck_assert_int_eq(
        sscanf(bench.line[1].checked, "reference, only to generation %llu", &generation), 1);
    ck_assert_uint_ge(generation, ALLOWED - 2);
    ck_assert_uint_le(generation, ALLOWED);
    ck_assert_int_eq(bench.line[1].wrong, 0);
}
END_TEST

/* Without time for even one, or too little by what a smaller lattice takes, that smaller lattice;
 * what is wrong there is wrong. */
START_TEST(by_a_smaller_one)
{
    bench.check_s = _i * 1e-6;
    strcpy(spec.sizes, "300x280");
    run_lines("right,wrong", "2");
    ck_assert_str_eq(bench.line[0].checked, "reference, only on 256x256");
    ck_assert_int_eq(bench.line[0].wrong, 0);
    ck_assert_int_gt(bench.line[1].wrong, 0);
}
END_TEST

/* A witness has its time, however little the reference gets; the reference is none then. */
START_TEST(by_a_witness_without_a_reference)
{
    bench.check_s = 0;
    strcpy(spec.sizes, "300x280");
    strcpy(spec.setting[CA_KEY_STEPS], "2");
    bench_add("reference,right,wrong");
    bench.line[1].experiment.steps = 3;
    bench.line[2].experiment.steps = 4;
    bench_run();
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(bench.line[i].checked, "reference, only on 256x256");
        ck_assert_int_eq(bench.line[i].wrong, 0);
    }
    ck_assert_str_eq(bench.line[2].checked, "right");
    ck_assert_int_eq(bench.line[2].wrong, 2);
}
END_TEST

/* What a backend does not write is not right for what the line before has left there. */
START_TEST(leaves_nothing_to_the_next)
{
    fake[2].step = fake[1].step;
    fake[2].store = lazy_store;
    fake[2].observe = NULL; /* by its rows, which are stored */
    run_lines("reference,right,wrong", "4");
    ck_assert(ca_bench_good(&bench.line[1]));
    ck_assert_int_eq(bench.line[2].wrong, 40 * 20);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {stats,
                              rates,
                              bottlenecks,
                              real_time,
                              acceleration,
                              costs,
                              relations,
                              factors,
                              calls_that_count,
                              length_of_a_call,
                              what_is_left,
                              short_table,
                              long_names,
                              keeps_medians,
                              device_time,
                              wrong_has_no_figures,
                              failure_ends_it,
                              without_memory,
                              stops_in_checks,
                              in_turns,
                              finds_steps,
                              by_a_witness,
                              by_early_generations,
                              by_a_witness_without_a_reference,
                              leaves_nothing_to_the_next},
                     .table = {{several_instances, 2},
                               {sentence_of_unsure_lines, 5},
                               {by_a_smaller_one, 2}});
}
