/* SPDX-License-Identifier: MIT */
/* Totals of a class: what could not be graded of one is in the total of none, and is filled in
 * later. */
#include <stdio.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tui/commands/lab_grade.h"

#define ROW(name, right, square, speed)                                                            \
    "{\"name\":\"" name "\",\"folder\":\"class/" name                                              \
    "\",\"source\":\"kernel.c\",\"right\":" right                                                  \
    ",\"status\":\"ok\",\"verdict\":\"right\",\"causes\":[\"halo\"],\"groups\":{"                  \
    "\"square\":" square ",\"speed\":" speed "}}"

/* One was timed, one could not be, and a wrong one needs no time. */
static const char rows[] = "{\"schema\":\"calab-lab-grade/1\",%s\"submissions\":[" ROW(
    "ada", "true", "{\"points\":40,\"of\":40,\"right\":1,\"cases\":1}",
    "{\"points\":17.5,\"of\":30}") "," ROW("ben", "true",
                                           "{\"points\":40,\"of\":40,\"right\":1,\"cases\":1}",
                                           "{\"points\":0,\"of\":0,\"missing\":30}") "," ROW("cy",
                                                                                             "fals"
                                                                                             "e",
                                                                                             "{\"po"
                                                                                             "ints"
                                                                                             "\":"
                                                                                             "10,"
                                                                                             "\"of"
                                                                                             "\":"
                                                                                             "40,"
                                                                                             "\"rig"
                                                                                             "ht\":"
                                                                                             "1,"
                                                                                             "\"cas"
                                                                                             "es\":"
                                                                                             "4}",
                                                                                             "{\"po"
                                                                                             "ints"
                                                                                             "\":0,"
                                                                                             "\"of"
                                                                                             "\":"
                                                                                             "30}") "]}";

static json_t *counted(const char *more)
{
    json_t *root = json_loads(test_text(rows, more), 0, NULL);

    ck_assert_ptr_nonnull(root);
    lab_grade_count(root);
    return root;
}

static const json_t *row_at(const json_t *root, size_t i)
{
    return json_array_get(json_object_get(root, "submissions"), i);
}

static void expect_total(const json_t *root, size_t i, double points, double of, size_t without)
{
    const json_t *row = row_at(root, i);

    ck_assert_msg(json_number(row, "points") == points && json_number(row, "of") == of &&
                      json_array_size(json_object_get(row, "without")) == without,
                  "%s: %g of %g", json_text(row, "name"), json_number(row, "points"),
                  json_number(row, "of"));
}

START_TEST(totals_are_the_same_for_all)
{
    json_t *root = counted("");

    expect_total(root, 0, 40, 40, 1);
    expect_total(root, 1, 40, 40, 1);
    expect_total(root, 2, 10, 40, 1);
    ck_assert_int_eq(json_whole(json_object_get(root, "missing"), "speed"), 1);
    ck_assert(!lab_grade_lacks(row_at(root, 0)) && lab_grade_lacks(row_at(root, 1)) &&
              !lab_grade_lacks(row_at(root, 2)));

    /* Once it has been timed, speed counts for all. */
    json_object_set_new(json_object_get(row_at(root, 1), "groups"), "speed",
                        json_pack("{s:i, s:i}", "points", 30, "of", 30));
    lab_grade_count(root);
    expect_total(root, 0, 57.5, 70, 0);
    expect_total(root, 1, 70, 70, 0);
    expect_total(root, 2, 10, 70, 0);
    ck_assert_uint_eq(json_object_size(json_object_get(root, "missing")), 0);
    json_decref(root);

    root = counted("\"each\":true,"); /* of different tasks */
    expect_total(root, 0, 57.5, 70, 0);
    expect_total(root, 1, 40, 40, 0);
    json_decref(root);
}
END_TEST

/* All forms say so. */
START_TEST(totals_say_what_they_lack)
{
    json_t *root = counted("");
    struct ca_error error;
    struct outcome o;

    json_dump_file(root, test_path("class.json"), 0);
    ck_assert_ok(lab_grade_reports(root, test_path("reports"), &error));
    ck_assert_contains(test_read(test_text("%s/ada.md", test_path("reports")), NULL),
                       "40 of 40 points, without speed, which could not be measured for all\n");
    json_decref(root);
    test_put("secret", "nobody knows 17");
    /* The folder of the one that lacks its speed is graded again, and is not there. */
    o = calab("lab grade -q --again %s --secret-seed %s", test_path("class.json"),
              test_path("secret"));
    ck_assert_msg(o.status == 8, "%d: %s%s", o.status, o.out, o.err);
    ck_assert_contains(o.out, "\nben ", "not graded", "class/ben", "\nada ");
}
END_TEST

/* Where nothing lacks, nothing runs, and the file is printed as another form. */
START_TEST(nothing_lacks)
{
    json_t *root = json_loads(test_text(rows, ""), 0, NULL);
    struct outcome o;

    json_array_remove(json_object_get(root, "submissions"), 1);
    json_dump_file(root, test_path("class.json"), 0);
    json_decref(root);
    o = calab_done("lab grade --csv --again %s", test_path("class.json"));
    ck_assert_contains(o.out, "\nada,40,,,17.5,57.5,70,", "\ncy,10,");
    o = calab_done("lab grade --junit --again %s", test_path("class.json"));
    ck_assert_contains(o.out, "<testsuite name=\"ada\"");
    calab_fails(8, "none.json", "lab grade --csv --again %s", test_path("none.json"));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {totals_are_the_same_for_all, totals_say_what_they_lack,
                              nothing_lacks});
}
