/* SPDX-License-Identifier: MIT */
/*
 * The kernels of tests/students/student_tables.c as submissions: each a folder whose source is
 * compiled, run as a process of its own and checked by `calab lab check`. What it says of the wrong
 * ones is counted: named rightly, unknown, or falsely. A few by CALAB_SEED; all with
 * CALAB_SUBMISSIONS=all, and with CALAB_SUBMISSIONS=WORD those whose name has it.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/students/student_kernels.h"
#include "tests/students/submissions.h"
#include "tests/support/support.h"

#define WRONG_SAMPLE 3
#define RIGHT_SAMPLE 1
#define KEEPING_SAMPLE 4

/* Lists of students, by the names that the submission's source knows. */
static const struct list {
    const char *name;
    const struct student *student;
} lists[] = {{"wrong_students", wrong_students},
             {"right_students", right_students},
             {"keeping_students", keeping_students},
             {"renewing_students", renewing_students}};
enum { WRONG, RIGHT, KEEPING, RENEWING };

/* "r1=4 boundary=dead" as members of a group of libconfig. */
static void put_parameters(FILE *out, const char *settings)
{
    char *list = strdup(settings ? settings : ""), *rest = list, *word;

    fprintf(out, "parameters : { ");
    while ((word = strsep(&rest, " ")) != NULL) {
        char *value = strchr(word, '=');
        const char *quote;

        if (!value)
            continue;
        *value++ = '\0';
        quote = *value >= '0' && *value <= '9' ? "" : "\"";
        fprintf(out, "%s = %s%s%s; ", word, quote, value, quote);
    }
    fprintf(out, "};\n");
    free(list);
}

static const char *submit(int list, int number)
{
    const struct student *student = &lists[list].student[number];
    static char folder[400];
    bool deep = test_model(student->model)->dimensions == 3;
    char name[40], *text = NULL, path[500];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    snprintf(name, sizeof name, "%.10s%d", lists[list].name, number);
    snprintf(folder, sizeof folder, "%s", test_path(name));
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_ptr_nonnull(out);
    fprintf(out,
            "version = 1; model = \"%s\"; source = \"kernel.c\"; form = \"%s\"; repeats = 2;\n"
            "limits : { seconds = 240.0; };\n"
            "flags = \"-w -I%s -DSTUDENTS=%s -DSTUDENT=%d\";\nsizes = %s;\n",
            student->model, student->calls == CALLS_RIGHT ? "step" : "own", test_source("."),
            lists[list].name, number,
            deep ? "[\"3x5x7\", \"33x31x9\"]" : "[\"2x2\", \"3x4\", \"33x20\", \"96x64\"]");
    put_parameters(out, student->settings);
    ck_assert_int_eq(fclose(out), 0);
    snprintf(path, sizeof path, "%s/lab.cfg", folder);
    test_write(path, text, size);
    free(text);
    text = test_read(test_source("tests/students/submission/kernel.c"), &size);
    snprintf(path, sizeof path, "%s/kernel.c", folder);
    test_write(path, text, size);
    free(text);
    return folder;
}

enum answer { NAMED, UNKNOWN, FALSELY };

static enum answer judge(const struct student *student, const json_t *root)
{
    const char *verdict = json_text(root, "verdict");
    const json_t *why = json_object_get(root, "why"), *one;
    size_t i;

    if (student->cause == CA_CAUSE_INPUT_CHANGED)
        return strcmp(verdict, "input") == 0 ? NAMED : FALSELY;
    if (strcmp(verdict, "cell") != 0)
        return FALSELY;
    json_array_foreach(why, i, one)
    {
        const char *cause = json_text(one, "cause");

        if (strcmp(cause, ca_cause_names[student->cause]) == 0 &&
            submission_says(json_text(one, "text"), student->words))
            return NAMED;
    }
    one = json_array_get(why, 0);
    return !one || strcmp(json_text(one, "cause"), ca_cause_names[CA_CAUSE_UNKNOWN]) == 0 ? UNKNOWN
                                                                                          : FALSELY;
}

static void show(const struct student *student, const char *answer, const char *out)
{
    printf("%s: %s (%s): %s\n", answer, student->name, student->model, out);
}

struct counts {
    int count[3], all;
};

static void check_wrong(const struct student *student, int number, struct counts *counts)
{
    static const char *const names[] = {"named", "unknown", "falsely named"};
    const char *folder = submit(WRONG, number);
    struct outcome o = calab_in(&submission_patience, "lab check -q --json %s", folder);
    json_t *root = outcome_json(&o);
    enum answer answer;

    ck_assert_msg(o.status == 1 && root, "%s: status %d: %s%s", student->name, o.status, o.out,
                  o.err);
    answer = judge(student, root);
    if (answer != NAMED || getenv("CALAB_LAB_VERBOSE"))
        show(student, names[answer], o.out);
    counts->count[answer]++;
    counts->all++;
}

static int count(const struct student *students)
{
    int all = 0;

    while (students[all].name)
        all++;
    return all;
}

START_TEST(wrong_ones_are_named)
{
    int all = count(wrong_students);
    struct counts total = {.all = 0};

    for (int m = 0; ca_models[m]; m++) {
        struct counts counts = {.all = 0};

        for (int i = 0; i < all; i++)
            if (strcmp(wrong_students[i].model, ca_models[m]->name) == 0 &&
                submission_taken(wrong_students[i].name, i, all, WRONG_SAMPLE))
                check_wrong(&wrong_students[i], i, &counts);
        printf("%-8s %3d wrong: %3d named, %d unknown, %d falsely\n", ca_models[m]->name,
               counts.all, counts.count[NAMED], counts.count[UNKNOWN], counts.count[FALSELY]);
        fflush(stdout);
        for (int a = 0; a < 3; a++)
            total.count[a] += counts.count[a];
        total.all += counts.all;
    }
    ck_assert_int_eq(total.count[FALSELY], 0);
    ck_assert(total.all < 20 || total.count[NAMED] * 10 >= total.all * 9);
}
END_TEST

static void check_right(int list)
{
    const struct student *students = lists[list].student;
    int all = count(students);

    for (int i = 0; i < all; i++) {
        struct outcome o;

        if (!submission_taken(students[i].name, i, all, RIGHT_SAMPLE))
            continue;
        o = calab_in(&submission_patience, "lab check -q %s", submit(list, i));
        ck_assert_msg(o.status == 0, "%s: %s%s", students[i].name, o.out, o.err);
        printf("right: %s\n", students[i].name);
    }
}

START_TEST(right_ones_are_right) { check_right(RIGHT); }
END_TEST

START_TEST(what_is_renewed_is_right) { check_right(RENEWING); }
END_TEST

/* They are right, or would be, in a process that makes one call. */
START_TEST(what_is_kept_is_said)
{
    int all = count(keeping_students), missed = 0;

    for (int i = 0; i < all; i++) {
        const struct student *student = &keeping_students[i];
        struct outcome o;
        bool said;

        if (!submission_taken(student->name, i, all, KEEPING_SAMPLE))
            continue;
        o = calab_in(&submission_patience, "lab check -q --json %s", submit(KEEPING, i));
        said = o.status == 1 && strstr(o.out, "something static is kept between calls");
        if (!said || getenv("CALAB_LAB_VERBOSE"))
            show(student, said ? "named" : "NOT NAMED", o.out);
        fflush(stdout);
        missed += !said;
    }
    ck_assert_int_eq(missed, 0);
}
END_TEST

/* Kernels include files of the sources. */
static void setup(void)
{
    test_hurry_by(4);
    setenv("CALAB_LAB_READS", test_source(""), 1);
}

int main(void)
{
    return RUN_TESTS(.timeout_s = 3600, .setup = setup,
                     .test = {wrong_ones_are_named, right_ones_are_right, what_is_kept_is_said,
                              what_is_renewed_is_right});
}
