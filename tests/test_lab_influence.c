/* SPDX-License-Identifier: MIT */
/*
 * The causes that are found of wrong kernels, of all five models, and that right ones have none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/student_kernels.h"
#include "tests/support_kernels.h"

struct run {
    const struct student *student;
    struct ca_experiment experiment;
};

static void copy(struct ca_lattice *to, const struct ca_lattice *from)
{
    size_t bytes = (size_t)ca_cells(from->size) * ca_type_bytes(from->type);

    for (int p = 0; p < from->planes; p++)
        memcpy(to->plane[p], from->plane[p], bytes);
}

static enum ca_status run_student(void *context, const struct ca_lattice *start, uint64_t t,
                                  uint64_t n, struct ca_lattice *result, struct ca_error *error)
{
    const struct run *run = context;
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

static struct ca_findings find(const struct student *student)
{
    struct run run = {student, kernel_experiment(student->model, "reference",
                                                 strcmp(student->model, "life3d") == 0 ||
                                                         strcmp(student->model, "cloud") == 0
                                                     ? "8x8x8"
                                                     : "8x8",
                                                 NULL, 77, student->settings)};
    struct ca_subject subject = {&run.experiment, run_student, &run, student->written};
    struct ca_probing probing = {.seed = 5};
    struct ca_findings findings;
    struct ca_error error;

    if (run.experiment.model->dimensions == 3) /* smaller than by default, for speed */
        probing.size = (struct ca_size){40, 18, 17};
    ck_assert_msg(ca_find_causes(&subject, &probing, &findings, &error) == CA_OK, "%s: %s",
                  student->name, error.text);
    return findings;
}

/* Whether the words, separated by '|', are in the text. */
static bool says(const char *text, const char *words)
{
    char *list = strdup(words), *rest = list, *word;
    bool all = true;

    while ((word = strsep(&rest, "|")) != NULL)
        all &= strstr(text, word) != NULL;
    free(list);
    return all;
}

static bool named(const struct student *student, const struct ca_findings *findings)
{
    for (int i = 0; i < findings->count; i++)
        if (findings->finding[i].cause == student->cause &&
            says(findings->finding[i].text, student->words))
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

        if (only && !strstr(student->name, only))
            continue;
        findings = find(student);
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
        struct ca_findings findings = find(student);

        if (findings.count > 0)
            show(student, &findings, "accused");
        ck_assert_int_eq(findings.count, 0);
    }
    ck_assert_int_ge(kernels, 15);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lab_influence");
    TCase *tcase = tcase_create("lab_influence");

    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, right_kernels_are_not_accused);
    tcase_add_test(tcase, causes_of_wrong_kernels_are_named);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
