/* SPDX-License-Identifier: MIT */
/* Which of two benchmarks' lines is faster, from made calls: two runs of one kernel on a machine
 * that runs it at two speeds in turns, a planted difference, a machine that has become slower. */
#include <math.h>

#include "core/base/random.h"
#include "core/bench/bench.h"
#include "tests/support/support.h"

#define RUNS 200
#define CALLS 25

/* --- made runs ------------------------------------------------------------------------------- */

static uint64_t drawn;

static double uniform(void) { return ca_uniform(test_seed(), drawn++, 0, 0, 0, 0) / 4294967296.0; }

static double normal(void) { return sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform()); }

/* A run of CALLS calls whose kernel takes `call_s` where nothing is in its way: each run has a
 * placement of its own, each call some more time, and a share of the calls that changes from run to
 * run is made at the slower of two speeds. */
static struct ca_bench_figures made_run(double call_s, double slower, double machine)
{
    double sample[CALLS], placement = 1 + 0.0075 * normal(), share = uniform();

    for (int i = 0; i < CALLS; i++)
        sample[i] = call_s / machine * placement * (1 - 0.01 * log(1 - uniform())) *
                    (i % 10 > 0 && uniform() < share ? slower : 1);
    return (struct ca_bench_figures){ca_bench_stats(sample, CALLS), 1e6, machine * 1e9, false};
}

struct verdicts {
    int faster, same, slower;
};

static struct verdicts compare_runs(double planted, double slower, double machine)
{
    struct verdicts seen = {0};

    for (int i = 0; i < RUNS; i++) {
        struct ca_bench_figures one = made_run(0.02, slower, 1);
        struct ca_bench_figures other = made_run(0.02 * planted, slower, machine);
        struct ca_bench_factor factor = ca_bench_factor_of(&other, &one, CA_BENCH_SIGMAS);

        ck_assert(factor.low <= factor.high);
        seen.faster += factor.low > 1;
        seen.slower += factor.high < 1;
    }
    seen.same = RUNS - seen.faster - seen.slower;
    return seen;
}

/* --- tests ----------------------------------------------------------------------------------- */

static const struct {
    const char *what;
    double planted, slower, machine;
} cases[] = {
    {"itself", 1, 1, 1},
    {"itself, at two speeds", 1, 1.3, 1},
    {"itself, on a machine that became slower", 1, 1, 0.94},
    {"5 % slower", 1.05, 1, 1},
    {"a tenth slower, on a machine that became faster", 1.1, 1, 1.06},
    {"twice the time, at two speeds", 2, 1.3, 1},
};

START_TEST(verdicts_of_runs)
{
    struct verdicts seen = compare_runs(cases[_i].planted, cases[_i].slower, cases[_i].machine);

    ck_assert_msg(cases[_i].planted > 1 ? seen.slower >= RUNS * 95 / 100 && seen.faster == 0
                                        : seen.slower + seen.faster <= RUNS * 5 / 100,
                  "%s: %d faster, %d same, %d slower", cases[_i].what, seen.faster, seen.same,
                  seen.slower);
}
END_TEST

static struct ca_bench_figures figures(double median, double min)
{
    return (struct ca_bench_figures){{9, median, 0, min, median, 0}, 100, 0, false};
}

/* The interval reaches over the medians' and the shortest calls' own. */
START_TEST(interval_has_both)
{
    struct ca_bench_figures one = figures(1, 1), other = figures(1.3, 1.02);
    struct ca_bench_factor factor = ca_bench_factor_of(&one, &other, 2);
    double margin = 2 * CA_BENCH_REPEAT * sqrt(2);

    ck_assert_double_eq_tol(factor.times, 1.3, 1e-12);
    ck_assert_double_eq_tol(factor.low, 1.02 * (1 - margin), 1e-12);
    ck_assert_double_eq_tol(factor.high, 1.3 * (1 + margin), 1e-12);
    ck_assert_double_eq_tol(factor.error, 1.3 - factor.low, 1e-12);
    other.stats.min = 0; /* of a file without it */
    factor = ca_bench_factor_of(&one, &other, 2);
    ck_assert_double_eq_tol(factor.low, 1.3 * (1 - margin), 1e-12);
    other.stats.min = 1.5;
    factor = ca_bench_factor_of(&one, &other, 2);
    ck_assert_double_eq_tol(factor.high, 1.5 * (1 + margin), 1e-12);
    ck_assert_double_eq_tol(factor.error, factor.high - 1.3, 1e-12);
}
END_TEST

/* Work of another size counts, and a machine's speed only where both are known. */
START_TEST(work_and_machine)
{
    struct ca_bench_figures one = figures(1, 1), other = figures(1, 1);

    one.work = 200;
    one.speed = 2e9;
    ck_assert_double_gt(ca_bench_factor_of(&one, &other, 2).low, 1.9);
    other.speed = 1e9;
    ck_assert_double_eq_tol(ca_bench_factor_of(&one, &other, 2).times, 2, 1e-12);
    ck_assert_double_lt(ca_bench_factor_of(&one, &other, 2).low, 1);
    ck_assert_double_gt(ca_bench_factor_of(&one, &other, 2).high, 1);
}
END_TEST

START_TEST(unknown)
{
    struct ca_bench_figures one = figures(1, 1), other = figures(2, 2);

    ck_assert(isfinite(ca_bench_factor_of(&one, &other, 2).error));
    one.stats.n = CA_BENCH_MEDIAN - 1;
    ck_assert(isinf(ca_bench_factor_of(&one, &other, 2).error));
    ck_assert(isinf(ca_bench_factor_of(&other, &one, 2).error));
    one.stats.n = CA_BENCH_MEDIAN;
    one.unsure = true;
    ck_assert(isinf(ca_bench_factor_of(&one, &other, 2).error));
    ck_assert(isinf(ca_bench_factor_of(&other, &one, 2).error));
    ck_assert_double_eq_tol(ca_bench_factor_of(&one, &other, 2).times, 2, 1e-12);
}
END_TEST

/* Half the time at one speed and half at another, each without deviation: the median is that of
 * one half, and as unsure as both are apart. Of independent deviations both errors are alike. */
START_TEST(speeds_that_follow_each_other)
{
    double sample[2 * CALLS], wander = 0, deviation = 0;
    struct ca_bench_stats stats;

    for (int i = 0; i < 2 * CALLS; i++)
        sample[i] = i < CALLS ? 2.3 : 3;
    stats = ca_bench_stats(sample, 2 * CALLS);
    /* Medians 2.3, 2.3, 2.65, 3, 3. */
    ck_assert_double_eq_tol(stats.wander, sqrt((4 * 0.35 * 0.35) / 4 / 5), 1e-9);
    ck_assert_double_eq_tol(ca_bench_error(&stats), stats.wander / stats.median, 1e-9);
    ck_assert_double_eq(ca_bench_stats(sample, 9).wander, 0);
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < 2 * CALLS; i++)
            sample[i] = 1 + 0.01 * normal();
        stats = ca_bench_stats(sample, 2 * CALLS);
        wander += stats.wander / RUNS;
        stats.wander = 0;
        deviation += ca_bench_error(&stats) / RUNS;
    }
    ck_assert_double_eq_tol(wander / deviation, 1, 0.15);
}
END_TEST

/* A share of the factor, with a digit more below 10 %. */
START_TEST(margins_in_words)
{
    static const struct {
        double times, error;
        const char *before, *text;
    } rows[] = {{2, 0.1, " ", " +- 5.0 %"}, {2, 0.5, "", "+- 25 %"}, {0.5, 0.0495, "", "+- 9.9 %"},
                {1, 0.0996, "", "+- 10 %"}, {4, INFINITY, " ", ""},  {4, NAN, " ", ""}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ca_bench_factor factor = {.times = rows[i].times, .error = rows[i].error};
        char text[CA_BENCH_MARGIN];

        ck_assert_str_eq(ca_bench_margin(text, &factor, rows[i].before), rows[i].text);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {interval_has_both, work_and_machine, unknown,
                              speeds_that_follow_each_other, margins_in_words},
                     .table = {{verdicts_of_runs, COUNT(cases)}});
}
