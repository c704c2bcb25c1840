/* SPDX-License-Identifier: MIT */
/*
 * The causes that are found of wrong kernels, of all five models, and that right ones have none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/students/student_kernels.h"
#include "tests/students/submissions.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

struct run {
    const struct student *student;
    struct ca_experiment experiment;
    const struct ca_backend *backend; /* in place of the student's step */
    int fails;                        /* the run that fails, from 1 on; 0: none does */
};

static void copy(struct ca_lattice *to, const struct ca_lattice *from)
{
    size_t bytes = (size_t)ca_cells(from->size) * ca_type_bytes(from->type);

    for (int p = 0; p < from->planes; p++)
        memcpy(to->plane[p], from->plane[p], bytes);
}

static enum ca_status run_student(const struct run *run, const struct ca_lattice *start, uint64_t t,
                                  uint64_t n, struct ca_lattice *result, struct ca_error *error)
{
    const struct student *student = run->student;
    struct ca_lattice now;

    CA_TRY(ca_lattice_alloc(&now, start->size, start->type, start->planes, error));
    copy(&now, start);
    if (student->calls == CALLS_ONE_MORE)
        n++;
    if (student->calls == CALLS_FIRST)
        n = 1;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t from = student->calls == CALLS_SAME_T ? t : t + i;

        if (i > 0)
            copy(&now, result);
        if (student->inside)
            copy(result, &now);
        student->step(student, &run->experiment, student->inside ? result : &now, result, from);
    }
    ca_lattice_free(&now);
    return CA_OK;
}

/* One of calab's own backends as the kernel. */
static enum ca_status run_backend(struct run *run, const struct ca_lattice *start, uint64_t t,
                                  uint64_t n, struct ca_lattice *result, struct ca_error *error)
{
    const struct ca_stepper *stepper = run->backend->stepper;
    int64_t rows = ca_rows(start->size);
    struct ca_setup setup;
    void *self, *planes[CA_PLANES_MAX];
    enum ca_status status;

    run->experiment.size = start->size;
    ca_experiment_backend(&run->experiment, run->backend, CA_FROM_COMMAND_LINE);
    setup = ca_setup_of(&run->experiment);
    CA_TRY(stepper->create(&self, &setup, error));
    ca_lattice_at(start, 0, planes);
    status = stepper->load(self, (const void *const *)planes, 0, rows, error);
    if (status == CA_OK)
        status = stepper->step(self, t, n, error);
    if (status == CA_OK)
        status = stepper->store(self, result->plane, 0, rows, error);
    stepper->destroy(self);
    return status;
}

static enum ca_status run_kernel(void *context, const struct ca_lattice *start, uint64_t t,
                                 uint64_t n, struct ca_lattice *result, struct ca_error *error)
{
    struct run *run = context;

    if (run->fails && --run->fails == 0)
        return ca_fail(error, CA_TIMEOUT, "the kernel did not end");
    return run->backend ? run_backend(run, start, t, n, result, error)
                        : run_student(run, start, t, n, result, error);
}

static enum ca_status try_find(const struct student *student, const struct ca_backend *backend,
                               int fails, struct ca_size size, struct ca_findings *findings,
                               struct ca_error *error)
{
    const struct ca_model *model = test_model(student->model);
    struct run run = {student, .backend = backend, .fails = fails};
    struct ca_subject subject = {&run.experiment, run_kernel, &run, student->written};
    struct ca_probing probing = {.size = size, .seed = test_seed()};

    run.experiment =
        kernel_experiment(student->model, "reference", model->dimensions == 3 ? "8x8x8" : "8x8",
                          NULL, 77, student->settings);
    return ca_find_causes(&subject, &probing, findings, error);
}

static struct ca_findings find(const struct student *student, const struct ca_backend *backend)
{
    struct ca_findings findings;
    struct ca_error error;
    struct ca_size size = {0};

    if (test_model(student->model)->dimensions == 3) /* smaller than by default, for speed */
        size = (struct ca_size){40, 18, 17};
    ck_assert_msg(try_find(student, backend, 0, size, &findings, &error) == CA_OK, "%s: %s",
                  student->name, error.text);
    return findings;
}

/* What follows from the results themselves is certain, what is concluded from cells less so, and
 * nothing is said to be where nothing is known. */
static void check_certainty(const struct ca_findings *findings)
{
    for (int i = 0; i < findings->count; i++) {
        const struct ca_finding *f = &findings->finding[i];
        bool concluded = f->cause == CA_CAUSE_RULE || f->cause == CA_CAUSE_DRAWS;

        if (concluded)
            ck_assert_double_gt(f->certainty, 0);
        ck_assert_msg(concluded ? f->certainty <= 1
                                : f->certainty == (f->cause == CA_CAUSE_UNKNOWN ? 0 : 1),
                      "%s: %g", f->text, f->certainty);
    }
}

static bool named(const struct student *student, const struct ca_findings *findings)
{
    for (int i = 0; i < findings->count; i++)
        if (findings->finding[i].cause == student->cause &&
            submission_says(findings->finding[i].text, student->words))
            return true;
    return false;
}

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

        if ((only && *only && !strstr(student->name, only)) ||
            (SANITIZED && (student - wrong_students) % 6 != 0))
            continue;
        findings = find(student, NULL);
        check_certainty(&findings);
        hit = named(student, &findings);
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
        struct ca_findings findings = find(student, NULL);

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
            findings = find(&student, backend);
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

    ck_assert_int_eq(try_find(student, NULL, 0, (struct ca_size){20, 8, 1}, &findings, &error),
                     CA_USAGE);
    ck_assert_contains(error.text, "H = 8 is too small, at least 9");
    ck_assert_int_eq(
        try_find(&right_students[14], NULL, 0, (struct ca_size){20, 21, 1}, &findings, &error),
        CA_USAGE);                                 /* fhp needs an even height */
    for (int fails = 1; fails < 100; fails += 7) { /* in samples and in probes */
        const struct student *wrong = &wrong_students[0];

        ck_assert_int_eq(try_find(wrong, NULL, fails, (struct ca_size){0}, &findings, &error),
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
