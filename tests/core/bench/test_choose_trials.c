/* SPDX-License-Identifier: MIT */
/* The choice of a backend: what is tried, and in which shapes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/choice_fakes.h"

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

int main(void)
{
    return RUN_TESTS(.setup = setup,
                     .test = {only_bounds_are_tried, bounds_may_exceed, shapes_are_tried,
                              shapes_of_a_named_backend, shapes_of_two_options, a_shape_that_is_set,
                              no_choice_takes_more_than_twelve_trials, trials_begin_with_the_start,
                              failed_trials},
                     .table = {{the_slower_instance_counts, COUNT(instances)},
                               {large_lattices_are_cut, COUNT(cuts)}});
}
