/* SPDX-License-Identifier: MIT */
/* The choice of a backend: what bounds exclude, what was measured, the reason that is said, and why
 * there is none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/choice_fakes.h"

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
                     .test = {words, bounds_of_rows, small_lattices_wake_no_gpu,
                              slow_cpus_wake_gpus, measured_wins_over_predicted, measured_as_slow,
                              what_bounds_leave_is_tried_once, says_why, tolerance_is_never_chosen,
                              options_narrow, tuned_options_do_not_narrow,
                              environment_narrows_by_value_alone, cuda_without_a_device_says_why,
                              none_fits, none_takes_the_options, wrong_experiment});
}
