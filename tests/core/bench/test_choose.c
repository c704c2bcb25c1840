/* SPDX-License-Identifier: MIT */
/*
 * The choice of a backend among fakes whose bound, true cost and refusals are set: what bounds
 * exclude, what was measured and kept, what is tried, in which shapes, and why there is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/choose.h"
#include "core/bench/sample.h"
#include "core/bench/tune.h"
#include "core/model/registry.h"
#include "tests/support/manual_clock.h"
#include "tests/support/support.h"

/* --- the fakes ------------------------------------------------------------------------------- */

enum { REFERENCE, FEW, MANY, GPU_A, GPU_B, RUNGS };

static struct fake {
    double predicted_s, true_s; /* of a generation: the bound, 0: the plan has none */
    double shape_s[5];          /* the true time where `generations` is 1 ... 4; 0: true_s */
    double rows[4];             /* its factor where `rows` is 1 ... 3 besides; 0: 1 */
    double again;               /* and of every third instance; 0: 1 */
    int64_t memory_bytes;
    enum ca_status refused; /* by its plan */
    bool fails;             /* in its trial */
    bool uneven;            /* every second sample takes twice as long */
    double slowed;          /* whether others slow its disturbed samples: threefold at 1 */
    int plans, trials, starts, samples;
    double step_s; /* of its last instance, */
    int64_t lines; /* and its size */
} fake[RUNGS];

static enum ca_status device; /* what the CUDA backends find */
static struct ca_backend ladder[RUNGS + 1];
static struct ca_model model;
static struct ca_experiment experiment;
static struct ca_error error;

static struct fake *fake_of(const struct ca_setup *setup) { return &fake[setup->backend - ladder]; }

static int generations_of(const struct ca_setup *setup)
{
    return ca_values_find(&setup->options, "generations") < 0
               ? 0
               : (int)ca_int(&setup->options, "generations");
}

static double rows_factor(const struct ca_setup *setup)
{
    int index = ca_values_find(&setup->options, "rows");
    double factor = index < 0 ? 0 : fake_of(setup)->rows[(int)setup->options.value[index].number];

    return factor > 0 ? factor : 1;
}

static double shape_of(const struct ca_setup *setup)
{
    int generations = generations_of(setup);

    return generations < 5 ? fake_of(setup)->shape_s[generations] * rows_factor(setup) : 0;
}

static enum ca_status fake_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                struct ca_error *cause)
{
    struct fake *f = fake_of(setup);

    f->plans++;
    if (f->refused)
        return ca_fail(cause, f->refused, "%s is full", setup->backend->name);
    plan->step_s = f->predicted_s;
    if (shape_of(setup) > 0) {
        plan->step_s = shape_of(setup) / 1.2;
        plan->generations = 1 + generations_of(setup);
        plan->block[0] = (int)(100 * rows_factor(setup));
    }
    plan->ops_per_cell_step = setup->backend->ops_per_cell_step;
    plan->memory_bytes = f->memory_bytes;
    return CA_OK;
}

static enum ca_status fake_create(void **self, const struct ca_setup *setup, struct ca_error *cause)
{
    (void)cause;
    *self = fake_of(setup);
    fake_of(setup)->trials++;
    fake_of(setup)->step_s = shape_of(setup) > 0 ? shape_of(setup) : fake_of(setup)->true_s;
    fake_of(setup)->step_s *= (double)setup->size.h / (double)experiment.size.h;
    if (fake_of(setup)->again > 0 && fake_of(setup)->trials % 3 == 0)
        fake_of(setup)->step_s *= fake_of(setup)->again;
    fake_of(setup)->lines = setup->size.h;
    return CA_OK;
}

static enum ca_status fake_init(void *self, bool *made, struct ca_error *cause)
{
    (void)cause;
    *made = true;
    ((struct fake *)self)->starts++;
    return CA_OK;
}

static void fake_destroy(void *self) { (void)self; }

static enum ca_status fake_step(void *self, uint64_t t, uint64_t n, struct ca_error *cause)
{
    const struct fake *f = self;

    (void)t;
    manual_clock_s += (double)n * f->step_s;
    return f->fails ? ca_fail(cause, CA_IO, "the cat has eaten it") : CA_OK;
}

static const struct ca_stepper fake_stepper = {.plan = fake_plan,
                                               .create = fake_create,
                                               .init = fake_init,
                                               .destroy = fake_destroy,
                                               .step = fake_step};

static enum ca_status needs_gpu(struct ca_error *cause)
{
    return device == CA_OK ? CA_OK : ca_fail(cause, device, "there is no GPU");
}

/* In place of the meter's readings: the first samples are quiet, or all are disturbed, or those
 * from a number on. */
static enum ca_quiet readings;
static int disturbed_until; /* so many samples of a trial that are as long as the longest */

enum ca_status sample_take(struct sample *sample, struct sampler *sampler, uint64_t n,
                           struct ca_error *cause)
{
    static uint64_t longest;
    static int repeats;
    struct fake *f = sampler->self;
    double start = manual_clock_s;
    enum ca_status status = sampler->stepper->step(f, 0, n, cause);

    f->samples++;
    repeats = n == longest ? repeats + 1 : 0;
    longest = n;
    sample->quiet = repeats < disturbed_until ? CA_DISTURBED : readings;
    if (sample->quiet == CA_DISTURBED)
        manual_clock_s += 2 * (double)n * f->step_s * f->slowed;
    if (f->uneven && f->samples % 2)
        manual_clock_s += (double)n * f->step_s;
    sample->seconds = manual_clock_s - start;
    return status;
}

/* Most backends take generations, FEW fewer than others; reference and GPU_B do not. */
static const struct ca_param few_generations[] = {
    {.name = "generations", .kind = CA_INT, .min = 0, .max = 4, .tune = "1 2 3 4"},
    {.name = "rows", .kind = CA_INT, .min = 0, .max = 3, .tune = "1 2 3"},
    {.name = NULL}};
static const struct ca_param many_generations[] = {
    {.name = "generations", .kind = CA_INT, .min = 0, .max = 64}, {.name = NULL}};

static void setup(void)
{
    static const struct ca_backend rows[RUNGS + 1] = {
        [REFERENCE] = {.name = "reference"},
        [FEW] = {.name = "few", .options = few_generations},
        [MANY] = {.name = "many", .options = many_generations},
        [GPU_A] = {.name = "gpu-a", .device = CA_CUDA, .options = many_generations},
        [GPU_B] = {.name = "gpu-b", .device = CA_CUDA},
    };
    static const double step_s[RUNGS] = {1e-2, 4e-4, 1e-3, 2e-5, 4e-5};

    setenv("XDG_CACHE_HOME", test_folder(), 1);
    unsetenv("CALAB_TUNED");
    remove(ca_tuned_path());
    memcpy(ladder, rows, sizeof ladder);
    device = CA_OK;
    readings = CA_QUIET;
    disturbed_until = 0;
    for (int i = 0; i < RUNGS; i++) {
        ladder[i].stepper = &fake_stepper;
        ladder[i].available = ladder[i].device == CA_CUDA ? needs_gpu : NULL;
        fake[i] = (struct fake){.predicted_s = step_s[i], .true_s = step_s[i]};
    }
    model = anneal_model;
    model.backends = ladder;
    ca_experiment_default(&experiment, &model);
}

static void set(const char *name, const char *text)
{
    enum ca_status status =
        ca_experiment_set(&experiment, name, text, CA_FROM_COMMAND_LINE, "--set", &error);

    ck_assert_msg(status == CA_OK, "%s", error.text);
}

static char why[CA_WHY]; /* the last choice */

/* What a word stands for in the experiment, which stays as it is. */
static const char *chosen(const char *word)
{
    struct ca_experiment e;
    enum ca_status status;

    set("backend", word);
    e = experiment;
    status = ca_choose_backend(&e, &error);
    ck_assert_msg(status == CA_OK, "%s", error.text);
    ck_assert_str_eq(experiment.backend->choice ? e.choice->name : e.backend->name, word);
    strcpy(why, e.why);
    return e.backend->name;
}

/* How the estimate of a backend was found. */
static enum ca_estimate estimate_of(int i)
{
    static struct ca_candidate candidates[CA_CANDIDATES_MAX];
    int count = ca_candidates(&experiment, ca_backend_auto(&model), candidates);

    for (int c = 0; c < count; c++)
        if (candidates[c].backend == &ladder[i])
            return candidates[c].estimate;
    ck_abort_msg("%s is no candidate", ladder[i].name);
}

static int trials(void)
{
    int sum = 0;

    for (int i = 0; i < RUNGS; i++)
        sum += fake[i].trials;
    return sum;
}

static void keep_rate_as(int i, double step_s, struct ca_kept kept)
{
    struct ca_experiment e = experiment;
    enum ca_status status;
    struct ca_kept rate = kept;

    ca_experiment_backend(&e, &ladder[i], CA_BUILT_IN);
    rate.mups = (double)ca_cells(e.size) / step_s / 1e6;
    status = ca_tuned_keep_rate(&e, &rate, 0, &error);
    ck_assert_msg(status == CA_OK, "%s", error.text);
}

static void keep_rate(int i, double step_s)
{
    keep_rate_as(i, step_s, ca_kept_now(0, CA_BY_BENCH, CA_QUIET, &ladder[i]));
}

static void expect_why(const char *word, const char *name, const char *reason)
{
    ck_assert_str_eq(chosen(word), name);
    ck_assert_str_eq(why, reason);
}

/* So many trials so far, those of this choice among them. */
static void expect_trials(const char *word, const char *name, int count)
{
    ck_assert_str_eq(chosen(word), name);
    ck_assert_int_eq(trials(), count);
}

/* --- bounds ---------------------------------------------------------------------------------- */

START_TEST(words)
{
    ck_assert_str_eq(chosen("auto"), "gpu-a");
    ck_assert_str_eq(chosen("cuda"), "gpu-a");
    ck_assert_str_eq(chosen("cpu"), "few");
    ck_assert_str_eq(chosen("many"), "many"); /* a name stands for itself */
    ck_assert_int_eq(trials(), 2); /* the first by its bound, which the others' bounds exceed */
    ck_assert_int_eq(estimate_of(FEW), CA_KEPT);
    ck_assert_int_eq(estimate_of(MANY), CA_PREDICTED);
    device = CA_NO_DEVICE;
    ck_assert_str_eq(chosen("auto"), "few");
    fake[FEW].refused = CA_USAGE;
    ck_assert_str_eq(chosen("auto"), "many");
}
END_TEST

/* A plan without a bound has that of the backend's row; without trials the bounds decide. */
START_TEST(bounds_of_rows)
{
    setenv("CALAB_TUNED", "off", 1);
    device = CA_NO_DEVICE;
    for (int i = 0; i < RUNGS; i++) {
        fake[i].predicted_s = 0;
        ladder[i].ops_per_cell_step = i == MANY ? 1 : 100;
    }
    ck_assert_str_eq(chosen("auto"), "many");
    ladder[FEW].ops_per_cell_step = 0.5;
    expect_why("auto", "few", "1.99 x many, predicted");
    fake[FEW].predicted_s = 1;
    expect_trials("auto", "many", 0);
}
END_TEST

/* A lattice that the CPU steps in less than any GPU can never wakes the GPU. */
START_TEST(small_lattices_wake_no_gpu)
{
    static struct ca_candidate candidates[CA_CANDIDATES_MAX];

    fake[FEW].predicted_s = fake[FEW].true_s = 1e-7;
    ck_assert_str_eq(chosen("auto"), "few");
    ck_assert_int_eq(fake[GPU_A].plans + fake[GPU_B].plans, 0);
    ck_assert_int_eq(ca_candidates(&experiment, ca_backend_auto(&model), candidates), RUNGS);
    ck_assert(!candidates[GPU_A].fits);
    ck_assert_contains(candidates[GPU_A].reason, "not asked: few takes less");
    ck_assert_str_eq(chosen("cuda"), "gpu-a"); /* then nothing else is among the candidates */
}
END_TEST

/* A bound alone says nothing of how slow the CPU is: it is tried, and then GPUs are asked, before
 * CPU backends with higher bounds are tried. */
START_TEST(slow_cpus_wake_gpus)
{
    fake[FEW].predicted_s = 1e-7;
    fake[FEW].true_s = 2e-3;
    ck_assert_str_eq(chosen("auto"), "gpu-a");
    ck_assert_int_eq(fake[FEW].trials, 1);
    ck_assert_int_eq(fake[MANY].trials, 0);
    ck_assert_int_eq(fake[GPU_A].trials, 1);
}
END_TEST

/* --- measurements ---------------------------------------------------------------------------- */

START_TEST(measured_wins_over_predicted)
{
    keep_rate(MANY, 1e-5);
    ck_assert_str_eq(chosen("auto"), "many");
    ck_assert_int_eq(estimate_of(MANY), CA_KEPT);
    setenv("CALAB_TUNED", "off", 1);
    ck_assert_str_eq(chosen("auto"), "gpu-a");
    unsetenv("CALAB_TUNED");
    ck_assert_int_eq(trials(), 0);
    set("size", "64x64"); /* measured on another size */
    expect_trials("auto", "gpu-a", 1);
}
END_TEST

/* A backend that was measured as slow loses to one whose bound is less than that. */
START_TEST(measured_as_slow)
{
    keep_rate(GPU_A, 1e-3);
    ck_assert_str_eq(chosen("auto"), "gpu-b");
}
END_TEST

START_TEST(what_bounds_leave_is_tried_once)
{
    fake[GPU_A].true_s = 3 * fake[GPU_A].predicted_s;
    fake[GPU_B].true_s = 1.2 * fake[GPU_B].predicted_s;
    ck_assert_str_eq(chosen("auto"), "gpu-b");
    ck_assert_int_eq(fake[GPU_A].trials, 1);
    ck_assert_int_eq(fake[GPU_B].trials, 1);
    ck_assert_int_eq(trials(), 2);
    ck_assert_int_eq(estimate_of(GPU_B), CA_KEPT);
    ck_assert_str_eq(chosen("cuda"), "gpu-b");
    expect_trials("auto", "gpu-b", 2);
    set("size", "64x64"); /* of this size nothing is kept */
    expect_trials("auto", "gpu-b", 4);
}
END_TEST

/* --- how well a rate is known ---------------------------------------------------------------- */

/* Two CPU backends of which MANY, with the higher bound, is the faster. */
static void two_close(void)
{
    device = CA_NO_DEVICE;
    fake[FEW].predicted_s = 0.5e-5;
    fake[FEW].true_s = 1e-5;
    fake[MANY].predicted_s = 0.6e-5;
    fake[MANY].true_s = 0.8e-5;
}

static struct ca_kept quality(enum ca_measured by, enum ca_quiet quiet, const char *date)
{
    struct ca_kept kept = {.by = by, .quiet = quiet};

    strcpy(kept.date, date);
    return kept;
}

#define TODAY "2026-01-31T12:00:00Z"

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

/* --- reasons --------------------------------------------------------------------------------- */

START_TEST(says_why)
{
    device = CA_NO_DEVICE;
    expect_why("auto", "few", "2.5 x many, predicted");
    keep_rate_as(FEW, 1e-4, quality(CA_BY_BENCH, CA_QUIET, TODAY));
    expect_why("auto", "few", "10 x many, predicted");
    fake[REFERENCE].refused = CA_USAGE;
    keep_rate_as(MANY, 1, quality(CA_BY_TRIAL, CA_DISTURBED, TODAY));
    expect_why("auto", "few", "10000 x many, measured today while others disturbed it");
    keep_rate_as(MANY, 1.09e-4, quality(CA_BY_BENCH, CA_QUIET, "2026-01-30T23:00:00Z"));
    expect_why("auto", "few", "1.09 x many, measured yesterday");
    keep_rate_as(MANY, 1, quality(CA_BY_BENCH, CA_QUIET, "2026-01-02T23:00:00Z"));
    expect_why("auto", "few", "10000 x many, measured on 2026-01-02");
    fake[MANY].refused = CA_USAGE;
    expect_why("auto", "few", "no other fits");
    expect_why("few", "few", "");
}
END_TEST

/* A backend whose results are within a tolerance is none that a word stands for. */
START_TEST(tolerance_is_never_chosen)
{
    ladder[GPU_A].tolerance = 1e-6;
    ck_assert_str_eq(chosen("auto"), "gpu-b");
    ck_assert_str_eq(chosen("cuda"), "gpu-b");
    ck_assert_str_eq(chosen("gpu-a"), "gpu-a");
}
END_TEST

/* What was measured is not tried again beside what is close to it. */
START_TEST(only_bounds_are_tried)
{
    keep_rate(GPU_A, fake[GPU_A].true_s);
    fake[GPU_B].predicted_s = 0.9 * fake[GPU_A].predicted_s;
    fake[GPU_B].true_s = 2 * fake[GPU_A].true_s;
    ck_assert_str_eq(chosen("auto"), "gpu-a");
    ck_assert_int_eq(fake[GPU_A].trials, 0);
    ck_assert_int_eq(fake[GPU_B].trials, 1);
}
END_TEST

/* What is faster than its bound is found, unless the bound exceeds what was measured by half. */
START_TEST(bounds_may_exceed)
{
    fake[GPU_B].true_s = 0.5 * fake[GPU_A].true_s;
    fake[GPU_B].predicted_s = 1.6 * fake[GPU_A].true_s;
    ck_assert_str_eq(chosen("cuda"), "gpu-a");
    fake[GPU_B].predicted_s = 1.4 * fake[GPU_A].true_s;
    ck_assert_str_eq(chosen("cuda"), "gpu-b");
    ck_assert_int_eq(fake[GPU_A].trials, 1);
}
END_TEST

/* Other shapes of a backend that was tried, unless their bounds exceed what was measured; the best
 * is kept with its rate. */
START_TEST(shapes_are_tried)
{
    struct ca_experiment e;

    device = CA_NO_DEVICE;
    fake[FEW].shape_s[1] = 1.5 * fake[FEW].true_s;
    fake[FEW].shape_s[2] = 0.5 * fake[FEW].true_s;
    fake[FEW].shape_s[3] = 0.55 * fake[FEW].true_s;
    expect_why("auto", "few", "5 x many, predicted");
    ck_assert_int_eq(fake[FEW].trials, 4); /* of the best one twice */
    e = experiment;
    ca_experiment_backend(&e, &ladder[FEW], CA_BUILT_IN);
    ck_assert_ok(ca_tuned_use(&e, &error));
    ck_assert_int_eq(ca_int(&e.options, "generations"), 2);
    ck_assert_double_eq_tol((double)ca_cells(e.size) / ca_tuned_rate(&e).mups / 1e6,
                            0.5 * fake[FEW].true_s, 1e-9);
    expect_trials("auto", "few", 4);
}
END_TEST

START_TEST(shapes_of_a_named_backend)
{
    device = CA_NO_DEVICE;
    fake[FEW].shape_s[1] = 1.5 * fake[FEW].true_s;
    fake[FEW].shape_s[2] = 0.5 * fake[FEW].true_s;
    fake[FEW].shape_s[3] = 0.55 * fake[FEW].true_s;
    ck_assert_str_eq(chosen("few"), "few");
    ck_assert_int_eq(fake[FEW].trials, 4);
    ck_assert_int_eq(trials(), 4); /* of no other */
    ck_assert_ok(ca_tuned_use(&experiment, &error));
    ck_assert_int_eq(ca_int(&experiment.options, "generations"), 2);
    expect_trials("few", "few", 4);
}
END_TEST

/* From the best shape on other options are tried, which alone would not have been worth it. */
START_TEST(shapes_of_two_options)
{
    device = CA_NO_DEVICE;
    fake[FEW].shape_s[0] = fake[FEW].true_s;
    fake[FEW].shape_s[2] = 0.5 * fake[FEW].true_s;
    fake[FEW].rows[1] = 0.9;
    fake[FEW].rows[3] = 1.3;
    ck_assert_str_eq(chosen("few"), "few");
    ck_assert_ok(ca_tuned_use(&experiment, &error));
    ck_assert_int_eq(ca_int(&experiment.options, "generations"), 2);
    ck_assert_int_eq(ca_int(&experiment.options, "rows"), 1);
    ck_assert_double_eq_tol((double)ca_cells(experiment.size) / ca_tuned_rate(&experiment).mups /
                                1e6,
                            0.45 * fake[FEW].true_s, 1e-9);
}
END_TEST

/* A shape is not taken for its first instance, where a second one is slower. */
static const struct {
    double again;
    int generations;
    double step_s;
} instances[] = {{1.1, 2, 0.88}, {1.5, 0, 1}};

START_TEST(the_slower_instance_counts)
{
    device = CA_NO_DEVICE;
    fake[FEW].shape_s[2] = 0.8 * fake[FEW].true_s;
    fake[FEW].again = instances[_i].again;
    expect_trials("few", "few", 3);
    ck_assert_ok(ca_tuned_use(&experiment, &error));
    ck_assert_int_eq(ca_int(&experiment.options, "generations"), instances[_i].generations);
    ck_assert_double_eq_tol((double)ca_cells(experiment.size) / ca_tuned_rate(&experiment).mups /
                                1e6,
                            instances[_i].step_s * fake[FEW].true_s, 1e-9);
}
END_TEST

/* What the user has set is run, and nothing tried. */
START_TEST(a_shape_that_is_set)
{
    device = CA_NO_DEVICE;
    for (int g = 1; g < 4; g++)
        fake[FEW].shape_s[g] = 5e-4;
    set("set", "generations=3");
    expect_trials("few", "few", 0);
}
END_TEST

START_TEST(no_choice_takes_more_than_twelve_trials)
{
    double start = manual_clock_s;

    for (int i = 0; i < RUNGS; i++) {
        fake[i].predicted_s = 1e-4;
        fake[i].true_s = 1e-3;
    }
    for (int g = 0; g < 5; g++) /* with its rows the plan's own shape has three more to try */
        fake[FEW].shape_s[g] = g ? 5e-4 : 6e-4;
    for (int r = 1; r < 4; r++)
        fake[FEW].rows[r] = 1 + 0.01 * r;
    expect_trials("auto", "few", 12 + 2); /* two that were the best so far in a second instance */
    ck_assert_double_lt(manual_clock_s - start, 1);
}
END_TEST

/* Instances above 1 GiB, and those that would step too few generations, are tried on fewer rows;
 * what is kept is the rate of the whole. */
static const struct {
    double step_s;
    int64_t memory_bytes;
    int most_rows;
} cuts[] = {
    {1e-3, 1LL << 29, 512},
    {1e-3, 4LL << 30, 128},
    {1, 1LL << 20, 6},
};

START_TEST(large_lattices_are_cut)
{
    double start = manual_clock_s;

    fake[GPU_A].predicted_s = fake[GPU_A].true_s = cuts[_i].step_s;
    fake[GPU_A].memory_bytes = cuts[_i].memory_bytes;
    fake[GPU_B].predicted_s = 2 * cuts[_i].step_s;
    ck_assert_str_eq(chosen("cuda"), "gpu-a");
    ck_assert_int_eq(fake[GPU_A].lines, cuts[_i].most_rows);
    ck_assert_double_lt(manual_clock_s - start, 0.2);
    keep_rate(GPU_B, 1.1 * cuts[_i].step_s);
    expect_why("cuda", "gpu-a", "1.1 x gpu-b, measured today");
}
END_TEST

/* Trials step the experiment's start, and not an empty lattice, but for large ones of the CPU. */
START_TEST(trials_begin_with_the_start)
{
    set("init", "random");
    ck_assert_str_eq(chosen("auto"), "gpu-a");
    ck_assert_int_eq(fake[GPU_A].starts, 1);
    ck_assert_str_eq(chosen("cpu"), "few");
    ck_assert_int_eq(fake[FEW].starts, 1);
    set("size", "4096x4096");
    ck_assert_str_eq(chosen("auto"), "gpu-a");
    ck_assert_str_eq(chosen("cpu"), "few");
    ck_assert_int_eq(fake[GPU_A].starts, 2);
    ck_assert_int_eq(fake[FEW].trials, 2);
    ck_assert_int_eq(fake[FEW].starts, 1);
}
END_TEST

/* A backend that fails in its trial keeps its bound, which does not count beside what was measured,
 * and nothing is kept of it. */
START_TEST(failed_trials)
{
    fake[GPU_B].predicted_s = 0.5 * fake[GPU_A].predicted_s;
    fake[GPU_B].true_s = 0.1 * fake[GPU_A].true_s;
    fake[GPU_B].fails = true;
    ck_assert_str_eq(chosen("cuda"), "gpu-a");
    ck_assert_int_eq(fake[GPU_B].trials, 1);
    ck_assert_int_eq(estimate_of(GPU_A), CA_KEPT);
    ck_assert_int_eq(estimate_of(GPU_B), CA_PREDICTED);
}
END_TEST

/* --- options --------------------------------------------------------------------------------- */

/* A backend that lacks an option, or does not allow the value, is no candidate. */
START_TEST(options_narrow)
{
    static struct ca_candidate candidates[CA_CANDIDATES_MAX];

    set("set", "generations=2");
    ck_assert_str_eq(chosen("cpu"), "few");
    set("set", "generations=5");
    ck_assert_str_eq(chosen("cpu"), "many");
    ck_assert_str_eq(chosen("cuda"), "gpu-a");
    ck_assert_int_eq(ca_candidates(&experiment, ca_backend_auto(&model), candidates), 2);
    device = CA_NO_DEVICE;
    ck_assert_str_eq(chosen("auto"), "many");
}
END_TEST

/* What was tuned for one backend narrows no choice. */
START_TEST(tuned_options_do_not_narrow)
{
    static struct ca_candidate candidates[CA_CANDIDATES_MAX];

    ca_experiment_backend(&experiment, &ladder[FEW], CA_BUILT_IN);
    ck_assert_ok(ca_values_set(&experiment.options, 0, "2", CA_TUNED, NULL, &error));
    ck_assert_int_eq(ca_candidates(&experiment, ca_backend_auto(&model), candidates), RUNGS);
}
END_TEST

/* A variable describes the machine: backends without the option stay, values still count. */
START_TEST(environment_narrows_by_value_alone)
{
    setenv("CALAB_SET", "generations=5", 1);
    ck_assert_ok(ca_experiment_environment(&experiment, &error));
    unsetenv("CALAB_SET");
    fake[REFERENCE].predicted_s = fake[REFERENCE].true_s = 1e-4;
    ck_assert_str_eq(chosen("cpu"), "reference");
    fake[REFERENCE].refused = CA_USAGE;
    ck_assert_str_eq(chosen("cpu"), "many");
}
END_TEST

/* --- refusals -------------------------------------------------------------------------------- */

static void refuses(enum ca_status status, const char *text)
{
    static const char offer[] = "; gpu-b runs in calab-emulated";
    const struct ca_backend *before = experiment.backend;
    size_t length;

    ck_assert_int_eq(ca_choose_backend(&experiment, &error), status);
    length = strlen(error.text); /* with an offer where that program is at hand (test_offer) */
    if (length >= strlen(offer) && strcmp(error.text + length - strlen(offer), offer) == 0)
        error.text[length - strlen(offer)] = '\0';
    ck_assert_str_eq(error.text, text);
    ck_assert_ptr_eq(experiment.backend, before);
    ck_assert_ptr_null(experiment.choice);
}

START_TEST(cuda_without_a_device_says_why)
{
    device = CA_NO_DEVICE;
    set("backend", "cuda");
    refuses(CA_NO_DEVICE, "cuda: no backend of anneal can run this; gpu-b: there is no GPU");
}
END_TEST

/* What is wrong with the setup is told before what the machine lacks. */
START_TEST(none_fits)
{
    fake[REFERENCE].refused = fake[FEW].refused = fake[MANY].refused = CA_USAGE;
    device = CA_NO_DEVICE;
    refuses(CA_USAGE, "auto: no backend of anneal can run this; many: many is full");
    fake[GPU_A].refused = CA_NO_MEMORY;
    fake[GPU_B].refused = CA_NO_MEMORY;
    device = CA_OK;
    set("backend", "cuda");
    refuses(CA_NO_MEMORY, "cuda: no backend of anneal can run this; gpu-b: gpu-b is full");
}
END_TEST

START_TEST(none_takes_the_options)
{
    static const struct ca_param none[] = {{.name = NULL}};

    ladder[FEW].options = ladder[MANY].options = none;
    set("backend", "cpu");
    ck_assert_ok(
        ca_experiment_set(&experiment, "threads", "2", CA_FROM_COMMAND_LINE, NULL, &error));
    refuses(CA_USAGE, "cpu: no backend of anneal takes the options that are set");
}
END_TEST

/* An experiment that is wrong in itself is refused before any backend is asked. */
START_TEST(wrong_experiment)
{
    strcpy(experiment.init, "nonsense");
    ck_assert_int_eq(ca_choose_backend(&experiment, &error), CA_USAGE);
    ck_assert_contains(error.text, "'nonsense' is neither an initial state of anneal");
    for (int i = 0; i < RUNGS; i++)
        ck_assert_int_eq(fake[i].plans, 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup,
                     .test = {words,
                              bounds_of_rows,
                              small_lattices_wake_no_gpu,
                              slow_cpus_wake_gpus,
                              measured_wins_over_predicted,
                              measured_as_slow,
                              what_bounds_leave_is_tried_once,
                              only_bounds_are_tried,
                              bounds_may_exceed,
                              shapes_are_tried,
                              shapes_of_a_named_backend,
                              shapes_of_two_options,
                              a_shape_that_is_set,
                              no_choice_takes_more_than_twelve_trials,
                              trials_begin_with_the_start,
                              failed_trials,
                              another_driver,
                              disturbed_rates_are_tried_once_a_process,
                              bench_corrects_a_trial,
                              old_rates_outlive_disturbed_trials,
                              disturbed_samples_are_repeated,
                              quicker_of_two,
                              found_options_stay,
                              says_why,
                              tolerance_is_never_chosen,
                              options_narrow,
                              tuned_options_do_not_narrow,
                              environment_narrows_by_value_alone,
                              cuda_without_a_device_says_why,
                              none_fits,
                              none_takes_the_options,
                              wrong_experiment},
                     .table = {{the_slower_instance_counts, COUNT(instances)},
                               {large_lattices_are_cut, COUNT(cuts)},
                               {doubtful_rates_are_tried_again, COUNT(rates)},
                               {days_between, COUNT(spans)}});
}
