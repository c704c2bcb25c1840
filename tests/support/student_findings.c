/* SPDX-License-Identifier: MIT */
#include "tests/support/student_findings.h"

#include <stdlib.h>
#include <string.h>

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

enum ca_status student_try(const struct student *student, const struct ca_backend *backend,
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

struct ca_findings student_findings(const struct student *student, const struct ca_backend *backend)
{
    struct ca_findings findings;
    struct ca_error error;
    struct ca_size size = {0};

    if (test_model(student->model)->dimensions == 3) /* smaller than by default, for speed */
        size = (struct ca_size){40, 18, 17};
    ck_assert_msg(student_try(student, backend, 0, size, &findings, &error) == CA_OK, "%s: %s",
                  student->name, error.text);
    return findings;
}

/* What follows from the results themselves is certain, what is concluded from cells less so, and
 * nothing is said to be where nothing is known. */
void student_check_certainty(const struct ca_findings *findings)
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

bool student_named(const struct student *student, const struct ca_findings *findings)
{
    for (int i = 0; i < findings->count; i++)
        if (findings->finding[i].cause == student->cause &&
            submission_says(findings->finding[i].text, student->words))
            return true;
    return false;
}
