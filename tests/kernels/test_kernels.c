/* SPDX-License-Identifier: MIT */
/*
 * The checks of support_kernels see what they are there for: backends that get one cell wrong, or
 * write outside the rows that they were asked for, fail them, with a message that says where.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/cpu/byte_stepper.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

/* The reference, but the cell (5, 3) of the slab comes out wrong from generation 4 on. */
static enum ca_status wrong_step(void *self, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct byte_stepper *plain = self;
    enum ca_status status = byte_stepper.step(self, t, n, error);

    if (t + n >= 4)
        ((uint8_t *)plain->now.plane[0])[3 * plain->size.w + 5] ^= 1;
    return status;
}

static enum ca_status wide_store(void *self, void *const planes[], int64_t first, int64_t rows,
                                 struct ca_error *error)
{
    struct byte_stepper *plain = self;
    enum ca_status status = byte_stepper.store(self, planes, first, rows, error);

    if (rows < plain->size.h)
        ((uint8_t *)planes[0])[rows * plain->size.w] = 0;
    return status;
}

static struct ca_backend broken[4];
static struct ca_stepper fake[4]; /* of the backends, each its own */
static struct ca_model broken_model;

static struct ca_experiment with_backend(int index)
{
    struct ca_experiment experiment =
        kernel_experiment("anneal", "reference", "40x20", NULL, test_seed(), NULL);

    for (int i = 0; i < 3; i++)
        broken[i] = anneal_model.backends[0], fake[i] = byte_stepper, broken[i].stepper = &fake[i];
    broken[1].name = "wrong";
    fake[1].step = wrong_step;
    broken[2].name = "wide";
    fake[2].store = wide_store;
    broken_model = anneal_model;
    broken_model.backends = broken;
    experiment.model = &broken_model;
    experiment.backend = &broken[index];
    return experiment;
}

START_TEST(one_cell_wrong)
{
    struct ca_experiment experiment = with_backend(1);

    kernel_check_same(&experiment, (const uint64_t[]){1, 2, 1, 0});
}
END_TEST

START_TEST(one_cell_wrong_in_a_slab)
{
    struct ca_experiment experiment = with_backend(1);

    kernel_check_slabs(&experiment, 2, true, 3);
}
END_TEST

START_TEST(one_cell_outside)
{
    struct ca_experiment experiment = with_backend(2);

    kernel_check_rows(&experiment);
}
END_TEST

START_TEST(all_right)
{
    struct ca_experiment experiment = with_backend(0);

    kernel_check_same(&experiment, (const uint64_t[]){1, 2, 1, 0});
    kernel_check_slabs(&experiment, 2, true, 3);
    kernel_check_rows(&experiment);
}
END_TEST

static const struct {
    const TTest *const *test;
    const char *part[4]; /* of the message; all NULL where the test passes */
} expected[] = {
    {&one_cell_wrong, {"anneal wrong 40x20", "generation 4", "(5, 3, 0)", "repeat: "}},
    {&one_cell_wrong_in_a_slab, {"anneal wrong 40x20", "generation 4", "cells differ", "repeat: "}},
    {&one_cell_outside, {"wrote outside", "rows 0 + 1"}},
    {&all_right, {NULL}},
};
#define EXPECTED ((int)(sizeof expected / sizeof expected[0]))

/* Runs one of them on its own, silently. NULL, or what was not as expected. */
static const char *run_expected(int i, char text[1024])
{
    Suite *suite = suite_create("expected");
    TCase *tests = tcase_create("expected");
    SRunner *runner;
    TestResult **failures;
    const char *wrong = NULL;
    int failed, wanted = expected[i].part[0] != NULL;

    tcase_add_test(tests, *expected[i].test);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    failures = srunner_failures(runner);
    snprintf(text, 1024, "%s", failed ? tr_msg(failures[0]) : "no failure");
    if (failed != wanted)
        wrong = text;
    for (int p = 0; p < 4 && expected[i].part[p]; p++)
        if (!strstr(text, expected[i].part[p]))
            wrong = text;
    free(failures);
    srunner_free(runner);
    return wrong;
}

int main(void)
{
    int failed = 0;

    for (int i = 0; i < EXPECTED; i++) {
        char text[1024];
        const char *wrong = run_expected(i, text);

        if (wrong)
            printf("check %d did not see what it should: %s\n", i, wrong);
        failed += wrong != NULL;
    }
    printf("seed %llu: Running suite(s): kernels\n%d%%: Checks: %d, Failures: %d, Errors: 0\n",
           (unsigned long long)test_seed(), 100 * (EXPECTED - failed) / EXPECTED, EXPECTED, failed);
    return failed != 0;
}
