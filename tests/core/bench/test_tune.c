/* SPDX-License-Identifier: MIT */
/*
 * Tuning: what the search finds of a backend whose cost is known, what it refuses to keep, and what
 * that counts for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/model/registry.h"
#include "core/bench/tune.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/manual_clock.h"
#include "tests/support/support.h"

/* --- a backend with knobs -------------------------------------------------------------------- */

static const char *const forms[] = {"auto", "sweep", "tile", NULL};
static const struct ca_param knobs[] = {
    {.name = "form", .kind = CA_CHOICE, .choices = forms, .tune = "*"},
    {.name = "generations", .kind = CA_INT, .min = 0, .max = 8, .tune = "1 2  4 99"},
    {.name = "threads", .kind = CA_INT, .min = 0, .max = 8},
    {.name = "copies", .kind = CA_INT, .min = 0, .max = 8},
    {0},
};

/* What its instances do, as the tests want it. */
static int wrong_at, refused_at, refused_but, failing_at; /* values of generations; -1: none */
static bool well_chosen, ever_wrong, close_race;
static double small_gain; /* 0: none */
#define INSTANCES 4       /* at a time */
static struct knob {
    void *self;
    int form, generations;
} knob[INSTANCES];

static enum ca_status knobs_create(void **self, const struct ca_setup *setup,
                                   struct ca_error *error)
{
    struct knob *k = knob;

    while (k->self)
        k++;
    k->form = ca_choice(&setup->options, "form");
    k->generations = (int)ca_int(&setup->options, "generations");
    *self = NULL;
    if (k->generations == refused_at)
        return ca_fail(error, CA_USAGE, "generations = %d does not fit", refused_at);
    if (refused_but >= 0 && (k->generations != refused_but || k->form != 0))
        return ca_fail(error, CA_NO_MEMORY, "no memory for another");
    if (k->generations == failing_at)
        return ca_fail(error, CA_IO, "the cat has eaten it");
    CA_TRY(anneal_model.backends[0].stepper->create(self, setup, error));
    k->self = *self;
    return CA_OK;
}

static void knobs_destroy(void *self)
{
    for (int i = 0; i < INSTANCES; i++)
        if (knob[i].self == self)
            knob[i].self = NULL;
    byte_stepper.destroy(self);
}

/* Seconds that a step adds to the clock. Tiles pay with four generations alone, sweeps never. */
static double cost_of(const struct knob *k)
{
    double cost = k->generations == 4 ? 1e-4 : k->generations == 2 ? 2e-4 : 4e-4;

    if (small_gain > 0) /* of either option, from sweeps and from two generations */
        return 2e-4 / (k->form == 1 ? small_gain : 1) / (k->generations == 2 ? small_gain : 1);
    if (close_race)
        return k->generations == 2 ? 1e-4 : k->generations == 4 ? 1.005e-4 : 2e-4;
    if (well_chosen)
        return k->form == 0 && k->generations == 0 ? 2e-4 : 6e-4;
    return k->form == 2 ? cost * (k->generations == 4 ? 0.3 : 3) : cost;
}

static enum ca_status knobs_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    const struct knob *k = knob;
    enum ca_status status = byte_stepper.step(self, t, n, error);

    while (k->self != self)
        k++;
    if (k->generations == wrong_at || ever_wrong)
        ((uint8_t *)plain->now.plane[0])[3] ^= 1;
    manual_clock_s += (double)n * cost_of(k);
    return status;
}

static struct ca_backend ladder[4];
static struct ca_stepper fake[4]; /* of the backends, each its own */
static struct ca_model model;
static struct ca_bench bench;
static struct ca_bench_spec spec;
static struct ca_error error;

static void setup(void)
{
    setenv("XDG_CACHE_HOME", test_folder(), 1);
    unsetenv("CALAB_TUNED");
    remove(ca_tuned_path());
    ladder[0] = ladder[1] = ladder[2] = anneal_model.backends[0];
    fake[1] = byte_stepper;
    ladder[1].stepper = &fake[1];
    ladder[1].name = "knobs";
    ladder[1].options = knobs;
    fake[1].create = knobs_create;
    fake[1].destroy = knobs_destroy;
    fake[1].step = knobs_step;
    ladder[2].name = "plain";
    model = anneal_model;
    model.backends = ladder;
    wrong_at = refused_at = refused_but = failing_at = -1;
    ca_bench_default(&bench);
    bench.time_s = 0.3;
    memset(&spec, 0, sizeof spec);
    spec.model = &model;
    strcpy(spec.sizes, "16x16");
    strcpy(spec.backends, "knobs");
    strcpy(spec.setting[CA_KEY_STEPS], "50");
}

static void teardown(void) { ca_bench_free(&bench); }

static void tuned_add(void) { ck_assert_ok(ca_bench_add(&bench, &spec, NULL, &error)); }

static enum ca_status tune(void)
{
    tuned_add();
    return ca_tune_run(&bench, NULL, NULL, &error);
}

static void tune_well(void)
{
    enum ca_status status = tune();

    ck_assert_msg(status == CA_OK, "%s", error.text);
}

static bool is_kept(void) { return access(ca_tuned_path(), F_OK) == 0; }

/* --- the search ------------------------------------------------------------------------------ */

/* The form that is best with what the other option comes to: it is searched once more. */
START_TEST(finds_the_fastest)
{
    const struct ca_values *found;

    strcpy(spec.backends, "reference,knobs,plain");
    tune_well();
    ck_assert_int_eq(bench.count, 2); /* the others have nothing to search */
    ck_assert_str_eq(bench.line[0].label, "untuned");
    ck_assert_str_eq(bench.line[1].label, "tuned");
    found = &bench.line[1].experiment.options;
    ck_assert_str_eq(ca_text(found, "form"), "tile");
    ck_assert_int_eq(ca_int(found, "generations"), 4);
    ck_assert_int_eq(found->value[0].origin, CA_TUNED);
    ck_assert_int_eq(found->value[2].origin, CA_BUILT_IN);
    ck_assert_int_eq(bench.line[0].experiment.options.value[0].origin, CA_BUILT_IN);
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(ca_bench_good(&bench.line[i]), "line %d", i);
        ck_assert_str_eq(bench.line[i].checked, "reference");
    }
    ck_assert_double_eq_tol(ca_bench_to_before(&bench, &bench.line[1]), 4 / 0.3, 0.01);
    ck_assert(is_kept());
}
END_TEST

/* What was given stays, and is not searched. */
START_TEST(keeps_what_is_given)
{
    strcpy(spec.set[spec.sets++], "generations=2");
    tune_well();
    ck_assert_int_eq(ca_int(&bench.line[1].experiment.options, "generations"), 2);
    ck_assert_int_eq(bench.line[1].experiment.options.value[1].origin, CA_FROM_COMMAND_LINE);
    ca_bench_free(&bench);
    strcpy(spec.set[spec.sets++], "form=auto");
    ck_assert_int_eq(tune(), CA_USAGE);
    ck_assert_contains(error.text, "--tune: none of these backends");
}
END_TEST

START_TEST(passes_over_what_is_refused)
{
    refused_at = 4;
    tune_well();
    ck_assert_int_eq(ca_int(&bench.line[1].experiment.options, "generations"), 2);
    ck_assert_str_ne(ca_text(&bench.line[1].experiment.options, "form"), "tile");
}
END_TEST

/* As for want of memory: not having tried is not having found nothing. */
START_TEST(refused_altogether)
{
    refused_but = 0;
    tune_well();
    ck_assert(ca_bench_good(&bench.line[0]));
    ck_assert(!bench.line[1].available);
    ck_assert_str_eq(bench.line[1].reason, "no memory for another");
    ck_assert(!is_kept());
}
END_TEST

/* One call each says nothing of noise. */
START_TEST(not_enough_time)
{
    bench.time_s = 1e-6;
    tune_well();
    ck_assert(ca_bench_good(&bench.line[0]));
    ck_assert(!bench.line[1].available);
    ck_assert_contains(bench.line[1].reason, "longer than --time");
    ck_assert(!is_kept());
}
END_TEST

/* Then there is an entry too: nothing was better. */
START_TEST(finds_nothing)
{
    char *text;

    well_chosen = true;
    tune_well();
    ck_assert_int_eq(bench.count, 2);
    ck_assert_double_eq(ca_bench_to_before(&bench, &bench.line[1]), 1);
    text = test_read(ca_tuned_path(), NULL);
    ck_assert_contains(text, "options : {\n    };");
    ck_assert_int_eq(bench.line[1].experiment.options.value[1].origin, CA_BUILT_IN);
}
END_TEST

/* A gain that may be noise is none, and such gains do not add up to one. */
START_TEST(small_gains)
{
    small_gain = _i ? 1.015 : 1.006;
    tune_well();
    ck_assert_int_eq(ca_int(&bench.line[1].experiment.options, "generations"), _i ? 2 : 0);
    ck_assert_int_eq(bench.line[1].experiment.options.value[0].number != 0, _i);
}
END_TEST

/* One that is tried later has to be faster than the best so far, by more than noise. */
START_TEST(nearly_as_fast)
{
    close_race = true;
    tune_well();
    ck_assert_int_eq(ca_int(&bench.line[1].experiment.options, "generations"), 2);
}
END_TEST

START_TEST(wrong_is_never_kept)
{
    wrong_at = 4;
    ck_assert_int_eq(tune(), CA_WRONG);
    ck_assert_contains(error.text, "knobs of anneal: generations=4 gives another state",
                       "calab run anneal -b knobs -s 16x16", "generations=4");
    ck_assert(!is_kept());
}
END_TEST

/* The backend's own choice is wrong already: the reference says so. */
START_TEST(wrong_at_all_is_never_kept)
{
    ever_wrong = true;
    tune_well();
    ck_assert_int_gt(bench.line[0].wrong, 0);
    ck_assert_int_gt(bench.line[1].wrong, 0);
    ck_assert(!ca_bench_good(&bench.line[1]));
    ck_assert(!is_kept());
}
END_TEST

static enum ca_status absent(struct ca_error *cause)
{
    return ca_fail(cause, CA_NO_DEVICE, "needs an abacus");
}

START_TEST(absent_backends_say_so)
{
    ladder[1].available = absent;
    tune_well();
    ck_assert_int_eq(bench.count, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert(!bench.line[i].available);
        ck_assert_str_eq(bench.line[i].reason, "needs an abacus");
    }
    ck_assert(!is_kept());
}
END_TEST

START_TEST(other_failures_end_it)
{
    failing_at = 2;
    ck_assert_int_eq(tune(), CA_IO);
    ck_assert_str_eq(error.text, "the cat has eaten it");
    ck_assert(!is_kept());
}
END_TEST

static bool until_tiles(void *context, const struct ca_bench *b, const struct ca_bench_line *line,
                        const char *what)
{
    int *heard = context;

    ck_assert_ptr_eq(line, &b->line[0]);
    *heard += 1;
    return strcmp(what, "trying form=tile") != 0;
}

START_TEST(can_be_stopped)
{
    int heard = 0;

    tuned_add();
    ck_assert_int_eq(ca_tune_run(&bench, until_tiles, &heard, &error), CA_TIMEOUT);
    ck_assert_int_gt(heard, 2);
    ck_assert(!is_kept());
}
END_TEST

/* Without steps, a call is made long enough, and passes come out even. */
START_TEST(finds_even_steps)
{
    spec.setting[CA_KEY_STEPS][0] = '\0';
    strcpy(spec.set[spec.sets++], "form=sweep");
    tune_well();
    ck_assert_uint_gt(bench.line[0].experiment.steps, 0);
    ck_assert_uint_eq(bench.line[0].experiment.steps % 48, 0);
    ck_assert_uint_eq(bench.line[1].experiment.steps, bench.line[0].experiment.steps);
}
END_TEST

/* --- what an entry counts for ---------------------------------------------------------------- */

static const struct {
    const char *size, *set;
    int generations; /* 4: as found */
} uses[] = {
    {"16x16", "threads=1", 4},  {"16x16", "density=0.25", 4}, /* shapes the initial state alone */
    {"16x17", "threads=1", 0},  {"16x16", "threads=2", 0},    {"16x16", "copies=1", 0},
    {"16x16", "form=sweep", 0}, /* it was found together with another one */
};

START_TEST(counts_for_the_same)
{
    static struct ca_experiment e;

    strcpy(spec.threads, "1");
    tune_well();
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        ca_experiment_default(&e, &model);
        ca_experiment_backend(&e, &ladder[1], CA_FROM_COMMAND_LINE);
        for (int s = 0; s < 3; s++)
            ck_assert_ok(ca_experiment_set(&e, s == 0 ? "size" : "set",
                                           s == 0   ? uses[i].size
                                           : s == 1 ? "threads=1"
                                                    : uses[i].set,
                                           CA_FROM_COMMAND_LINE, NULL, &error));
        ck_assert_ok(ca_tuned_use(&e, &error));
        ck_assert_msg(ca_int(&e.options, "generations") == uses[i].generations, "%s %s",
                      uses[i].size, uses[i].set);
    }
}
END_TEST

/* Benchmarks have it where they are asked to. */
START_TEST(benchmarks_use_it)
{
    tune_well();
    ca_bench_free(&bench);
    tuned_add();
    ck_assert_int_eq(ca_int(&bench.line[0].experiment.options, "generations"), 0);
    ca_bench_free(&bench);
    bench.tuned = true;
    tuned_add();
    ck_assert_int_eq(ca_int(&bench.line[0].experiment.options, "generations"), 4);
    test_write(ca_tuned_path(), "tuned = 3;", 10);
    ck_assert_int_eq(ca_bench_add(&bench, &spec, NULL, &error), CA_SETTINGS);
}
END_TEST

/* A second search takes the place of the first, and nobody else's. */
START_TEST(keeps_other_entries)
{
    char *text;
    int count = 0;

    strcpy(spec.sizes, "16x16,8x8");
    tune_well();
    ck_assert_int_eq(bench.count, 4);
    ca_bench_free(&bench);
    strcpy(spec.sizes, "16x16");
    well_chosen = true;
    tune_well();
    text = test_read(ca_tuned_path(), NULL);
    ck_assert_contains(text, "generations = 4;"); /* of 8x8 */
    for (const char *at = text; (at = strstr(at, "device = ")) != NULL; at++)
        count++;
    ck_assert_int_eq(count, 2);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {finds_the_fastest, keeps_what_is_given, passes_over_what_is_refused,
                              refused_altogether, not_enough_time, finds_nothing, nearly_as_fast,
                              wrong_is_never_kept, wrong_at_all_is_never_kept,
                              absent_backends_say_so, other_failures_end_it, can_be_stopped,
                              finds_even_steps, counts_for_the_same, benchmarks_use_it,
                              keeps_other_entries},
                     .table = {{small_gains, 2}});
}
