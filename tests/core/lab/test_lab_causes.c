/* SPDX-License-Identifier: MIT */
/*
 * The causes of wrong kernels in two dimensions, word for word as they were looked at
 * (tests/data/causes.txt); those in three dimensions are in
 * tests/core/lab/test_lab_influence.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/model/registry.h"
#include "tests/support/looked_at.h"
#include "tests/support/student_findings.h"
#include "tests/support/support.h"

/* The kernel of that number among those of two dimensions, NULL: there are no more. */
static const struct student *flat_student(int number)
{
    const struct ca_model *model;
    struct ca_error ignored;

    for (const struct student *student = wrong_students; student->name; student++)
        if (ca_model_find(&model, student->model, &ignored) == CA_OK && model->dimensions == 2 &&
            number-- == 0)
            return student;
    return NULL;
}

START_TEST(causes_are_in_these_words)
{
    const struct student *student = flat_student(_i);
    struct ca_findings findings = student_findings(student, NULL);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    student_check_certainty(&findings);
    ck_assert_msg(student_named(student, &findings), "%s is not named", student->name);
    fprintf(to, "%d runs\n", findings.runs);
    for (int i = 0; i < findings.count; i++)
        fprintf(to, "%s, %.4g: %s\n", ca_cause_names[findings.finding[i].cause],
                findings.finding[i].certainty, findings.finding[i].text);
    fclose(to);
    expect_looked_at("causes.txt", _i, test_text("%s: %s", student->model, student->name), text);
    free(text);
}
END_TEST

int main(void)
{
    size_t count = 0;

    unsetenv("CALAB_SEED"); /* the words tell of cells that are drawn by it */
    while (flat_student((int)count))
        count++;
    return RUN_TESTS(.table = {{causes_are_in_these_words, count}});
}
