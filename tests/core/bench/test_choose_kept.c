/* SPDX-License-Identifier: MIT */
/* The choice of a backend: how well a rate is known that was kept, and what replaces it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/choice_fakes.h"

/* Two CPU backends of which MANY, with the higher bound, is the faster. */
static void two_close(void)
{
    device = CA_NO_DEVICE;
    fake[FEW].predicted_s = 0.5e-5;
    fake[FEW].true_s = 1e-5;
    fake[MANY].predicted_s = 0.6e-5;
    fake[MANY].true_s = 0.8e-5;
}

/* What a kept rate that says FEW is faster by far is worth, and who wins by a quiet trial. */
static const struct {
    enum ca_measured by;
    enum ca_quiet quiet;
    const char *date;
    bool tried;
} rates[] = {
    {CA_BY_TRIAL, CA_QUIET, TODAY, false},
    {CA_BY_BENCH, CA_QUIET, TODAY, false},
    {CA_BY_TRIAL, CA_QUIET_UNKNOWN, TODAY, false},
    {CA_BY_TRIAL, CA_DISTURBED, TODAY, true},
    {CA_BY_BENCH, CA_DISTURBED, TODAY, true},
    {CA_BY_TRIAL, CA_QUIET, "2026-01-01T12:00:00Z", false}, /* 30 days */
    {CA_BY_TRIAL, CA_QUIET, "2025-12-31T12:00:00Z", true},
    {CA_BY_BENCH, CA_QUIET, "2025-12-31T12:00:00Z", true},
    {CA_BY_TRIAL, CA_QUIET, "2026-02-01T12:00:00Z", true}, /* a clock that was wrong */
    {CA_BY_UNKNOWN, CA_QUIET_UNKNOWN, "", true},           /* of a version that did not say */
};

START_TEST(doubtful_rates_are_tried_again)
{
    const struct ca_kept kept = quality(rates[_i].by, rates[_i].quiet, rates[_i].date);

    two_close();
    keep_rate_as(FEW, 1e-5, kept);
    keep_rate_as(MANY, 2.7e-5, kept);
    ck_assert_str_eq(chosen("auto"), rates[_i].tried ? "many" : "few");
    ck_assert_int_eq(trials(), rates[_i].tried ? 2 : 0);
    ck_assert_str_eq(chosen("auto"), rates[_i].tried ? "many" : "few");
    ck_assert_int_eq(trials(), rates[_i].tried ? 2 : 0);
}
END_TEST

/* A rate of another driver is tried again. */
START_TEST(another_driver)
{
    struct ca_kept kept = ca_kept_now(0, CA_BY_BENCH, CA_QUIET, &ladder[GPU_A]);

    strcpy(kept.driver, "1.2.3");
    fake[GPU_B].predicted_s = 1.1 * fake[GPU_A].predicted_s;
    keep_rate_as(GPU_A, 1.2 * fake[GPU_A].true_s, kept);
    ck_assert_str_eq(chosen("cuda"), "gpu-a");
    ck_assert_int_eq(fake[GPU_A].trials, 1);
}
END_TEST

static const struct {
    const char *date, *today;
    int days;
} spans[] = {
    {"2026-01-31", "2026-01-31", 0},   {"2026-01-31", "2026-02-01", 1},
    {"2024-02-28", "2024-03-01", 2},   {"2025-02-28", "2025-03-01", 1},
    {"2025-12-31", "2026-01-01", 1},   {"1999-03-01", "2000-03-01", 366},
    {"2026-02-01", "2026-01-31", -1},  {"", "2026-01-31", -1},
    {"2026-13-01", "2026-01-31", -1},  {"2026-00-01", "2026-01-31", -1},
    {"2025-01-01", "2026-01-01", 365}, {"2026-01-32", "2026-12-31", -1},
};

START_TEST(days_between)
{
    ck_assert_int_eq(ca_kept_days(spans[_i].date, spans[_i].today), spans[_i].days);
}
END_TEST

/* A machine that stays busy costs a process one trial, and the next process another. */
START_TEST(disturbed_rates_are_tried_once_a_process)
{
    two_close();
    readings = CA_DISTURBED;
    fake[MANY].slowed = 1;
    expect_trials("auto", "few", 2);
    ck_assert_str_eq(chosen("auto"), "few"); /* the first time that they are doubtful */
    ck_assert_int_eq(trials(), 4);
    for (int i = 0; i < 3; i++)
        expect_trials("auto", "few", 4);
}
END_TEST

/* A bench afterwards corrects what a trial under load had found. */
START_TEST(bench_corrects_a_trial)
{
    two_close();
    readings = CA_DISTURBED;
    fake[MANY].slowed = 1;
    ck_assert_str_eq(chosen("auto"), "few");
    keep_rate(FEW, fake[FEW].true_s);
    keep_rate(MANY, fake[MANY].true_s);
    expect_trials("auto", "many", 2);
    keep_rate_as(MANY, 1, quality(CA_BY_TRIAL, CA_QUIET, TODAY));
    keep_rate_as(MANY, 1, quality(CA_BY_BENCH, CA_DISTURBED, TODAY));
    ck_assert_str_eq(chosen("auto"), "many");
}
END_TEST

/* What is old gives way to what is worse, but not to what is disturbed. */
START_TEST(old_rates_outlive_disturbed_trials)
{
    two_close();
    keep_rate_as(FEW, 1e-5, quality(CA_BY_BENCH, CA_QUIET, "2025-06-01T12:00:00Z"));
    keep_rate_as(MANY, 0.8e-5, quality(CA_BY_BENCH, CA_QUIET, "2025-06-01T12:00:00Z"));
    readings = CA_DISTURBED;
    fake[MANY].slowed = 1;
    expect_trials("auto", "many", 2);
    ck_assert_int_eq(estimate_of(MANY), CA_KEPT);
}
END_TEST

/* Samples that others disturb are repeated, within the time of a trial. */
START_TEST(disturbed_samples_are_repeated)
{
    double start;

    two_close();
    fake[MANY].slowed = 1;
    disturbed_until = 2;
    ck_assert_str_eq(chosen("auto"), "many");
    ck_assert_contains(why, "1.25 x few, measured today");
    ck_assert_ptr_null(strstr(why, "disturbed"));
    readings = CA_DISTURBED;
    set("size", "64x64");
    start = manual_clock_s;
    ck_assert_str_eq(chosen("auto"), "few");
    ck_assert_double_lt(manual_clock_s - start, 0.2);
    ck_assert_str_eq(why, "2.4 x many, measured today while others disturbed it");
}
END_TEST

/* The quicker of the last two samples counts. */
START_TEST(quicker_of_two)
{
    two_close();
    fake[MANY].uneven = true;
    expect_why("auto", "many", "1.25 x few, measured today");
}
END_TEST

/* Rates and trials leave the options that a search has found. */
START_TEST(found_options_stay)
{
    static struct ca_bench_line line;
    struct ca_experiment e;

    two_close();
    line.experiment = experiment;
    ca_experiment_backend(&line.experiment, &ladder[FEW], CA_BUILT_IN);
    ck_assert_ok(ca_values_set(&line.experiment.options, 0, "2", CA_TUNED, NULL, &error));
    ck_assert_ok(ca_tuned_keep(&line, 1, NULL, &error));
    keep_rate(FEW, 1e-6); /* of default options, which are not those that run */
    e = line.experiment;
    ck_assert_double_eq(ca_tuned_rate(&e).mups, 0);
    ck_assert_ok(ca_tuned_use(&e, &error));
    ck_assert_int_eq(ca_int(&e.options, "generations"), 2);
    ck_assert_str_eq(chosen("auto"), "many"); /* by a trial with these options */
    ck_assert_int_eq(fake[FEW].trials, 1);
    ck_assert_double_gt(ca_tuned_rate(&e).mups, 0);
    ck_assert_ok(ca_tuned_use(&e, &error));
    ck_assert_int_eq(ca_int(&e.options, "generations"), 2);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup,
                     .test = {another_driver, disturbed_rates_are_tried_once_a_process,
                              bench_corrects_a_trial, old_rates_outlive_disturbed_trials,
                              disturbed_samples_are_repeated, quicker_of_two, found_options_stay},
                     .table = {{doubtful_rates_are_tried_again, COUNT(rates)},
                               {days_between, COUNT(spans)}});
}
