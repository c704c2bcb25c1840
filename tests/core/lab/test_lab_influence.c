/* SPDX-License-Identifier: MIT */
/*
 * The causes that are found of wrong kernels in three dimensions, and that right ones of all five
 * models have none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/students/student_kernels.h"
#include "tests/students/submissions.h"
#include "tests/support/student_findings.h"
#include "tests/support/support.h"

static void show(const struct student *student, const struct ca_findings *findings,
                 const char *verdict)
{
    printf("%-9s %s (%s), %d runs\n", verdict, student->name, student->model, findings->runs);
    for (int i = 0; i < findings->count; i++)
        printf("          %s: %s\n", ca_cause_names[findings->finding[i].cause],
               findings->finding[i].text);
}

START_TEST(causes_of_wrong_kernels_are_named)
{
    bool verbose = getenv("CALAB_LAB_VERBOSE") != NULL;
    const char *only = getenv("CALAB_LAB_ONLY");
    int kernels = 0, right = 0, mistaken = 0;

    for (const struct student *student = wrong_students; student->name; student++) {
        struct ca_findings findings;
        bool hit;

        if (test_model(student->model)->dimensions == 2 || /* tests/core/lab/test_lab_causes.c */
            (only && *only && !strstr(student->name, only)) ||
            (SANITIZED && (student - wrong_students) % 6 != 0))
            continue;
        findings = student_findings(student, NULL);
        student_check_certainty(&findings);
        hit = student_named(student, &findings);
        kernels++;
        right += hit;
        ck_assert_msg(findings.count > 0, "%s: nothing was found", student->name);
        mistaken += !hit && findings.finding[0].cause != CA_CAUSE_UNKNOWN;
        if (!hit || verbose)
            show(student, &findings, hit ? "named" : "not named");
    }
    printf("%d of %d wrong kernels named, %d mistaken\n", right, kernels, mistaken);
    ck_assert_int_ge(right * 10, kernels * 9);
    ck_assert_int_eq(mistaken, 0);
}
END_TEST

START_TEST(right_kernels_are_not_accused)
{
    int kernels = 0;

    for (const struct student *student = right_students; student->name; student++, kernels++) {
        struct ca_findings findings = student_findings(student, NULL);

        if (findings.count > 0)
            show(student, &findings, "accused");
        ck_assert_int_eq(findings.count, 0);
    }
    ck_assert_int_ge(kernels, 15);
}
END_TEST

/* Of those that agree within a tolerance rounding may be said, and nothing else. */
START_TEST(backends_are_not_accused)
{
    int kernels = 0;

    for (int m = 0; ca_models[m]; m++)
        for (const struct ca_backend *backend = ca_models[m]->backends; backend->name; backend++) {
            struct student student = {.name = backend->name, .model = ca_models[m]->name};
            struct ca_findings findings;
            struct ca_error error;

            if (backend->device != CA_CPU || !backend->stepper ||
                ca_backend_available(backend, &error) != CA_OK)
                continue;
            findings = student_findings(&student, backend);
            kernels++;
            if (findings.count > (backend->tolerance > 0))
                show(&student, &findings, "accused");
            ck_assert_int_le(findings.count, backend->tolerance > 0);
            for (int i = 0; i < findings.count; i++)
                ck_assert_int_eq(findings.finding[i].cause, CA_CAUSE_ROUNDING);
        }
    ck_assert_int_ge(kernels, 15);
}
END_TEST

START_TEST(failures_are_returned)
{
    const struct student *student = &right_students[0];
    struct ca_findings findings;
    struct ca_error error;

    ck_assert_int_eq(student_try(student, NULL, 0, (struct ca_size){20, 8, 1}, &findings, &error),
                     CA_USAGE);
    ck_assert_contains(error.text, "H = 8 is too small, at least 9");
    ck_assert_int_eq(
        student_try(&right_students[14], NULL, 0, (struct ca_size){20, 21, 1}, &findings, &error),
        CA_USAGE);                                 /* fhp needs an even height */
    for (int fails = 1; fails < 100; fails += 7) { /* in samples and in probes */
        const struct student *wrong = &wrong_students[0];

        ck_assert_int_eq(student_try(wrong, NULL, fails, (struct ca_size){0}, &findings, &error),
                         CA_TIMEOUT);
        ck_assert_str_eq(error.text, "the kernel did not end");
        ck_assert_int_eq(findings.runs, fails);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 300,
                     .test = {failures_are_returned, backends_are_not_accused,
                              right_kernels_are_not_accused, causes_of_wrong_kernels_are_named});
}
