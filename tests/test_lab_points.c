/* SPDX-License-Identifier: MIT */
/* What a grade is made of: groups and points of lab.cfg, cases drawn from a secret, the roofline,
 * and the lock of a device. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lab/grade.h"
#include "core/lab/use.h"
#include "tests/support.h"

static struct ca_lab read_lab(const char *more, enum ca_status expected, const char *says)
{
    static const char head[] = "version = 1; model = \"anneal\"; source = \"kernel.c\";\n";
    struct ca_error error = {.text = ""};
    struct ca_lab lab;
    char path[400], text[1000];
    const char *folder = test_path("lab");
    enum ca_status status;

    mkdir(folder, 0700);
    snprintf(path, sizeof path, "%s/lab.cfg", folder);
    snprintf(text, sizeof text, "%s%s", head, more);
    test_write(path, text, strlen(text));
    status = ca_lab_read(&lab, folder, &error);
    ck_assert_msg(status == expected && strstr(error.text, says), "%s: %d %s", more, (int)status,
                  error.text);
    return lab;
}

static const struct {
    const char *text, *says;
} wrong[] = {
    {"points : { square = -1; };", "square: allowed is a number 0 ..."},
    {"points : { round = 1; };", "round"},
    {"points = 3;", "points"},
    {"speed : { goal = 0; };", "more than least"},
    {"speed : { least = 2; goal = 1; };", "more than least"},
    {"speed : { size = \"0x0\"; };", "out of range"},
    {"speed : { size = \"100000x100000\"; };", "more cells than are timed"},
    {"speed : { others = \"many\"; };", "others"},
    {"speed : { pace = 1; };", "pace"},
};

START_TEST(refuses) { read_lab(wrong[_i].text, CA_SETTINGS, wrong[_i].says); }
END_TEST

START_TEST(reads)
{
    struct ca_lab lab = read_lab("points : { square = 7; speed = 3.5; };\n"
                                 "speed : { size = \"64x32\"; least = 0.5; goal = 2.0; };\n",
                                 CA_OK, "");

    ck_assert(lab.points.of[CA_LAB_SQUARE] == 7 && lab.points.of[CA_LAB_UNEVEN] == 0 &&
              lab.points.of[CA_LAB_SPEED] == 3.5);
    ck_assert_int_eq(lab.points.size.h, 32);
    ck_assert(!lab.names_against);
    ck_assert(ca_lab_points_of_speed(&lab.points, 0.5) == 0);
    ck_assert(ca_lab_points_of_speed(&lab.points, 1.25) == 1.75);
    ck_assert(ca_lab_points_of_speed(&lab.points, 9) == 3.5);
    ck_assert(ca_lab_points_of_cases(&lab.points, CA_LAB_SQUARE, 1, 2) == 3.5);
    ck_assert(ca_lab_points_of_cases(&lab.points, CA_LAB_SQUARE, 0, 0) == 0);
    lab = read_lab("against = \"threads\";", CA_OK, "");
    ck_assert(lab.names_against);
    ck_assert_str_eq(ca_lab_rung(&lab)->name, "threads");
    ck_assert(lab.points.of[CA_LAB_OBLONG] == 25);
    lab.cuda = true; /* on the device of the kernel, whatever limits its time */
    ck_assert_str_eq(ca_lab_rung(&lab)->name, "cuda-naive");
    lab = read_lab("against = \"cuda-shared\";", CA_OK, "");
    ck_assert_str_eq(ca_lab_rung(&lab)->name, "reference");
}
END_TEST

START_TEST(groups)
{
    static const int64_t none[3] = {0, 0, 0}, tile[3] = {16, 8, 0};

    ck_assert_int_eq(ca_lab_group_of((struct ca_size){512, 512, 1}, 2, none), CA_LAB_SQUARE);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){500, 500, 1}, 2, none), CA_LAB_UNEVEN);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){96, 64, 1}, 2, none), CA_LAB_OBLONG);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){255, 33, 1}, 2, none), CA_LAB_UNEVEN);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){16, 8, 1}, 2, tile), CA_LAB_OBLONG);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){16, 16, 1}, 2, tile), CA_LAB_SQUARE);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){8, 8, 8}, 3, none), CA_LAB_SQUARE);
    ck_assert_int_eq(ca_lab_group_of((struct ca_size){64, 40, 24}, 3, none), CA_LAB_OBLONG);
}
END_TEST

/* Of each model: cases of the kinds that lab.cfg has, the same for the same secret alone. */
START_TEST(secret_cases)
{
    static struct ca_lab_case one[CA_LAB_CASES_MAX], again[CA_LAB_CASES_MAX],
        other[CA_LAB_CASES_MAX];
    const struct ca_lab_secret secret = {{test_seed(), 2}}, different = {{test_seed(), 3}};
    struct ca_lab lab;
    int known[CA_LAB_GROUPS] = {0}, drawn[CA_LAB_GROUPS] = {0}, count, same = 0, sizes = 0;

    ca_lab_default(&lab, ca_models[_i]);
    count = ca_lab_secret_cases(&lab, &secret, one);
    ck_assert_int_gt(count, 2);
    ck_assert_int_eq(ca_lab_secret_cases(&lab, &secret, again), count);
    ck_assert_int_eq(ca_lab_secret_cases(&lab, &different, other), count);
    for (int i = 0; i < count; i++) {
        drawn[one[i].group]++;
        ck_assert(one[i].seed == again[i].seed && one[i].t == again[i].t &&
                  memcmp(&one[i].size, &again[i].size, sizeof one[i].size) == 0 &&
                  ca_values_equal(&one[i].params, &again[i].params));
        ck_assert(one[i].seed != other[i].seed);
        same += memcmp(&one[i].size, &other[i].size, sizeof one[i].size) == 0;
        sizes += one[i].group != CA_LAB_SQUARE;
    }
    for (int i = 0; i < lab.sizes; i++)
        known[ca_lab_group_of(lab.size[i], lab.model->dimensions, lab.tile)]++;
    for (int g = 0; g < CA_LAB_SPEED; g++)
        ck_assert_msg((drawn[g] > 0) == (known[g] > 0), "%s: group %d: %d of %d", lab.model->name,
                      g, drawn[g], known[g]);
    ck_assert_int_lt(same, count);
    ck_assert_int_gt(sizes, 0);
}
END_TEST

/* All bytes of the file count, and how many there are. */
START_TEST(secret_files)
{
    static const char *const texts[] = {"12345678", "12345679", "123456780", "12345678\n",
                                        "a longer secret, which has more than one block"};
    struct ca_lab_secret secret[COUNT(texts)];
    struct ca_error error;

    for (size_t i = 0; i < COUNT(texts); i++) {
        test_write(test_path("secret"), texts[i], strlen(texts[i]));
        ck_assert_int_eq(ca_lab_secret_read(&secret[i], test_path("secret"), &error), CA_OK);
        for (size_t j = 0; j < i; j++)
            ck_assert(memcmp(&secret[i], &secret[j], sizeof secret[i]) != 0);
    }
    test_write(test_path("secret"), "1234567", 7);
    ck_assert_int_eq(ca_lab_secret_read(&secret[0], test_path("secret"), &error), CA_USAGE);
    ck_assert_contains(error.text, "7 bytes");
    ck_assert_int_eq(ca_lab_secret_read(&secret[0], test_folder(), &error), CA_IO);
}
END_TEST

static struct ca_lab_grade graded(enum ca_lab_timed what, double high)
{
    struct ca_lab_grade grade = {.name = "one"};

    ca_lab_points_default(&grade.lab.points);
    grade.cases[CA_LAB_SQUARE] = grade.right[CA_LAB_SQUARE] = 2;
    grade.cases[CA_LAB_UNEVEN] = 4;
    grade.right[CA_LAB_UNEVEN] = 1;
    grade.timing.what = what;
    grade.timing.ratio = (struct ca_ratio_result){.pairs = 6, .median = high / 2, .high = high};
    ca_lab_grade_points(&grade);
    return grade;
}

/* The end of the interval that favours the student counts; what was not graded is of 0 points. */
START_TEST(grades)
{
    static const struct {
        enum ca_lab_timed what;
        double high, points, of;
    } speeds[] = {
        {CA_LAB_TIMED, 0.5, 12.5, 25}, {CA_LAB_TIMED, 3, 25, 25}, {CA_LAB_UNTIMED, 0, 0, 25},
        {CA_LAB_FAILED, 3, 0, 25},     {CA_LAB_ABOVE, 3, 0, 25},  {CA_LAB_EMULATED, 3, 0, 0},
        {CA_LAB_SHARED, 3, 0, 0},      {CA_LAB_NO_RUNG, 0, 0, 0},
    };

    for (size_t i = 0; i < COUNT(speeds); i++) {
        struct ca_lab_grade grade = graded(speeds[i].what, speeds[i].high);

        ck_assert_msg(grade.points[CA_LAB_SPEED] == speeds[i].points &&
                          grade.of[CA_LAB_SPEED] == speeds[i].of,
                      "%s: %g of %g", ca_lab_timed_names[speeds[i].what],
                      grade.points[CA_LAB_SPEED], grade.of[CA_LAB_SPEED]);
        ck_assert(grade.points[CA_LAB_SQUARE] == 25 && grade.points[CA_LAB_UNEVEN] == 6.25);
        ck_assert(grade.of[CA_LAB_OBLONG] == 0);
    }
}
END_TEST

START_TEST(labels)
{
    struct ca_lab_grade grade = graded(CA_LAB_TIMED, 1);
    char label[64];

    ck_assert(ca_lab_grade_right(&grade) && !ca_lab_grade_label(&grade, 0, label));
    grade.secret = CA_LAB_CELL;
    ck_assert(ca_lab_grade_label(&grade, 0, label));
    ck_assert_str_eq(label, "known cases only");
    ck_assert(!ca_lab_grade_label(&grade, 1, label));
    grade.verdict = CA_LAB_FOUND;
    grade.findings = 1;
    strcpy(grade.finding[0], "kernel.cu:23: race: block (1,0,0) writes");
    ck_assert(ca_lab_grade_label(&grade, 0, label));
    ck_assert_str_eq(label, "race");
    grade = graded(CA_LAB_ABOVE, 1);
    ck_assert(ca_lab_grade_label(&grade, 0, label));
    ck_assert_str_eq(label, "above the roofline");
    grade.failure = CA_IO;
    ck_assert(ca_lab_grade_label(&grade, 0, label) && !ca_lab_grade_label(&grade, 1, label));
    ck_assert_str_eq(label, "not graded");
}
END_TEST

/* A step moves a byte in and one out; in a layout of its own logic alone bounds a kernel. */
START_TEST(roofline)
{
    struct ca_probe probe = {.threads = 4, .logic_gops = {10, 40}};
    struct ca_lab lab;

    for (int i = 0; i < CA_LEVELS; i++)
        probe.level[i].copy_gb[0] = probe.level[i].copy_gb[1] = 2;
    ca_lab_default(&lab, test_model("anneal"));
    ck_assert(ca_lab_ceiling(&lab, (struct ca_size){512, 512, 1}, &probe) == 1e9);
    lab.form = CA_LAB_OWN;
    ck_assert(ca_lab_ceiling(&lab, (struct ca_size){512, 512, 1}, &probe) > 1e9);
    ca_lab_default(&lab, test_model("water"));
    ck_assert(ca_lab_ceiling(&lab, (struct ca_size){512, 512, 1}, &probe) < 1e9);
}
END_TEST

static bool once(void *context) { return (*(int *)context)++ < 2; }

START_TEST(one_at_a_time)
{
    char name[64];
    int first, second, asked = 0;

    snprintf(name, sizeof name, "test-%d", (int)getpid());
    first = lab_use_lock(name, once, &asked);
    ck_assert_int_ge(first, 0);
    ck_assert_int_eq(asked, 0);
    ck_assert_int_eq(lab_use_lock(name, once, &asked), -1);
    ck_assert_int_eq(asked, 3);
    close(first);
    asked = 0;
    second = lab_use_lock(name, once, &asked);
    ck_assert_int_ge(second, 0);
    ck_assert_int_eq(asked, 0);
    close(second);
    snprintf(name, sizeof name, "/tmp/calab-lab-test-%d.lock", (int)getpid());
    ck_assert_int_eq(unlink(name), 0);
}
END_TEST

/* Cores that other processes use, by figures; what this one takes is not theirs. */
START_TEST(others)
{
    const struct lab_use before = {10, 100, 7}, after = {12, 103, 9}, alone = {12, 101, 9};

    ck_assert(lab_use_others(&before, &after) == 0.5);
    ck_assert(lab_use_others(&before, &alone) == 0);
    ck_assert(lab_use_others(&before, &before) == 0);
    ck_assert(lab_use_now().own_s > 0 && lab_use_now().busy_s >= 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lab_points");
    TCase *group = tcase_create("lab_points");

    tcase_add_loop_test(group, refuses, 0, COUNT(wrong));
    tcase_add_test(group, reads);
    tcase_add_test(group, groups);
    tcase_add_loop_test(group, secret_cases, 0, 5);
    tcase_add_test(group, secret_files);
    tcase_add_test(group, grades);
    tcase_add_test(group, labels);
    tcase_add_test(group, roofline);
    tcase_add_test(group, one_at_a_time);
    tcase_add_test(group, others);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
