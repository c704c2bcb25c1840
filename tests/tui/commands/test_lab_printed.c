/* SPDX-License-Identifier: MIT */
/*
 * What is printed of a kernel's check and of a class's grades, as it was looked at
 * (tests/data/lab.txt): reports that are put together here, with figures that all differ.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lab/check/trial.h"
#include "tests/support/looked_at.h"
#include "tests/support/support.h"
#include "tui/commands/commands.h"
#include "tui/commands/lab.h"
#include "tui/commands/lab_grade.h"

static struct ca_error error;
static struct ca_lab lab;
static struct ca_lab_report report;

/* --- what was printed ------------------------------------------------------------------------- */

static const char *printed(void (*prints)(void))
{
    const char *path = test_path("printed");
    int kept;

    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    ck_assert_ptr_nonnull(freopen(path, "w", stdout));
    prints();
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    return test_read(path, NULL);
}

/* --- a report --------------------------------------------------------------------------------- */

static void is_right(void)
{
    report.cases = 24;
    report.cells = 1234567;
    report.seconds = 2.345;
}

static void was_timed(void)
{
    is_right();
    report.timing = (struct ca_lab_timing){.what = CA_LAB_TIMED,
                                           .size = {512, 256, 1},
                                           .rung = "threads",
                                           .device = "a processor",
                                           .ratio = {.pairs = 12,
                                                     .made = 14,
                                                     .median = 1.25,
                                                     .low = 1.125,
                                                     .high = 1.5,
                                                     .rate = {2.5e9, 2e9},
                                                     .burst_s = {0.025, 0.03}},
                                           .generation_s = {5e-5, 6.5e-5},
                                           .ceiling = 4.5e9,
                                           .others = 0.25};
}

static void was_timed_above(void)
{
    was_timed();
    report.timing.what = CA_LAB_ABOVE;
    report.timing.ceiling = 0;
    strcpy(report.timing.text, "faster than this machine can be");
}

static void was_not_timed(void)
{
    is_right();
    report.timing = (struct ca_lab_timing){.what = CA_LAB_NO_RUNG};
    strcpy(report.timing.text, "cuda-naive does not run here");
}

static void failed_in_time(void)
{
    report.verdict = CA_LAB_CELL;
    strcpy(report.text, "a cell is wrong in a burst");
    report.size = (struct ca_size){512, 256, 1};
    report.timing.what = CA_LAB_FAILED;
    strcpy(report.timing.text, "it was wrong");
}

static void has_wrong_cells(void)
{
    report.verdict = CA_LAB_CELL;
    strcpy(report.text, "cell 3,4 is dead, and should be alive");
    report.size = (struct ca_size){33, 20, 1};
    report.seed = 7;
    report.start = 4;
    report.passed = 9;
    report.call = 2;
    report.generation = 11;
    report.difference = (struct ca_difference){.count = 5, .x = 3, .y = 4, .expected = 1};
    report.map = strdup("#..\n.#.\n");
    report.why.count = 2;
    report.why.finding[0].certainty = 1;
    report.why.finding[0].cause = CA_CAUSE_UNWRITTEN;
    strcpy(report.why.finding[0].text, "the first cause");
    report.why.finding[1].certainty = 0.75;
    strcpy(report.why.finding[1].text, "the second cause");
}

static void has_unwritten_cells(void)
{
    has_wrong_cells();
    report.unwritten = 3;
    report.repeat = 1;
    report.only_together = true;
    report.difference.got = NAN;
    strcpy(report.not_watched, "the emulator is not there");
}

static void has_many_lines(void)
{
    has_wrong_cells();
    report.said = strdup("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
    free(report.map);
    report.map = calloc(1, 400);
    for (int i = 0; i < 90; i++)
        strcat(report.map, "#.\n");
}

static void has_ten_lines(void)
{
    has_wrong_cells();
    report.only_together = true;
    report.said = strdup("1\n2\n3\n4\n5\n6\n7\n8\n9\na line with \033[31mred\n");
}

static void is_found(void)
{
    report.verdict = CA_LAB_FOUND;
    strcpy(report.text, "it reads outside of plane 0");
    report.size = (struct ca_size){5, 3, 1};
    report.seed = 8;
    report.findings = 2;
    strcpy(report.finding[0], "it reads outside of plane 0");
    strcpy(report.finding[1], "it writes what it reads");
}

static void is_of_a_command(void)
{
    has_wrong_cells();
    free(report.map);
    report.map = NULL;
    strcpy(report.command, "./life 1 ../input.pbm");
    report.said = strdup("said");
    lab.form = CA_LAB_PROGRAM;
}

static void is_of_a_command_again(void)
{
    is_of_a_command();
    report.repeat = 2;
}

static void is_slow(void)
{
    report.verdict = CA_LAB_SLOW;
    strcpy(report.text, "no result in a step after 2.5 s (2.4 s of CPU)");
    report.slow = (struct ca_lab_slow){.limit_s = 2.25, .took_s = 2.5, .cpu_s = 2.4};
    report.size = (struct ca_size){512, 512, 1};
    report.seed = 9;
    report.call = 17;
    report.passed = 6;
    report.cases = 23;
    lab_report_slow(&lab, &report);
}

static void is_broken(void)
{
    report.verdict = CA_LAB_BROKEN;
    strcpy(report.text, "kernel.c does not compile");
    report.said = strdup("kernel.c:3: error: expected ';'");
}

static const struct {
    const char *name;
    void (*made)(void);
} reports[] = {
    {"right", is_right},
    {"right and timed", was_timed},
    {"right and too fast", was_timed_above},
    {"right and not timed", was_not_timed},
    {"wrong in a burst", failed_in_time},
    {"wrong cells", has_wrong_cells},
    {"unwritten cells", has_unwritten_cells},
    {"many lines", has_many_lines},
    {"ten lines", has_ten_lines},
    {"found by a tool", is_found},
    {"a command", is_of_a_command},
    {"a command repeated", is_of_a_command_again},
    {"does not compile", is_broken},
    {"too slow", is_slow},
};

static void print_report(void) { lab_print(&lab, &report); }

START_TEST(reports_are_printed)
{
    json_t *json;
    char *dump;

    ck_assert_ok(ca_lab_read(&lab, test_source("configs/lab/anneal"), &error));
    report.how = "cc";
    reports[_i].made();
    json = lab_json(&lab, &report);
    dump = json_dumps(json, JSON_REAL_PRECISION(6));
    expect_looked_at("lab.txt", 9 + 2 * _i, reports[_i].name, printed(print_report));
    expect_looked_at("lab.txt", 10 + 2 * _i, test_text("%s as JSON", reports[_i].name),
                     test_text("%s\n", dump));
    free(dump);
    json_decref(json);
}
END_TEST

/* --- a class ---------------------------------------------------------------------------------- */

#define GROUP(name, right, cases, points, of)                                                      \
    "\"" name "\":{\"right\":" #right ",\"cases\":" #cases ",\"points\":" #points ",\"of\":" #of "}"

static const char class[] =
    "{\"schema\":\"calab-lab-grade/1\",\"right\":1,\"model\":\"anneal\",\"least\":0.5,"
    "\"goal\":2.25,\"backend\":\"threads\",\"ceilings_known\":%s,"
    "\"walls\":{\"seccomp\":true,\"landlock\":true,\"namespaces\":%s},"
    "\"causes\":[{\"cause\":\"crashed\",\"count\":2},{\"cause\":\"slow\",\"count\":1}],"
    "\"submissions\":["
    "{\"name\":\"ada\",\"source\":\"kernel.c\",\"right\":true,\"right_on_known_cases\":true,"
    "\"verdict\":\"right\",\"by\":\"cc\",\"points\":87.5,\"of\":100,\"causes\":[],\"groups\":"
    "{" GROUP("square", 4, 4, 40, 40) "," GROUP("uneven", 3, 3, 30, 30) "," GROUP(
        "oblong", 0, 0, 0,
        0) "," GROUP("speed", 0, 0, 17.5,
                     30) "},"
                         "\"time\":{\"ratio\":1.25,\"low\":1.125,\"high\":1.5,\"state\":\"timed\"},"
                         "\"time_text\":\"it was timed\",\"not_watched\":\"no emulator\"},"
                         "{\"name\":\"=bob\",\"source\":\"kernel.c\",\"right\":false,\"right_on_"
                         "known_cases\":true,"
                         "\"verdict\":\"cell\",\"text\":\"cell "
                         "3,4\",\"by\":\"cc\",\"points\":12,\"of\":100,"
                         "\"causes\":[\"crashed\",\"slow\"],\"groups\":{" GROUP(
                             "square", 1, 4, 10,
                             40) "," GROUP("uneven", 0, 3, 2,
                                           30) "},"
                                               "\"why\":[\"a "
                                               "cause\",\"another\"],\"findings\":[\"a finding\"],"
                                               "\"time\":{\"state\":\"shared\",\"text\":\"others "
                                               "used the machine\"}},"
                                               "{\"name\":\"sub/"
                                               "cy\",\"source\":\"kernel.c\",\"right\":false,"
                                               "\"verdict\":\"not graded\","
                                               "\"text\":\"no such folder\",\"place\":\"see "
                                               "there\",\"points\":0,\"of\":100,"
                                               "\"causes\":[\"crashed\"],\"groups\":{}}]}";

static json_t *root;
static enum table_form form;

static void print_class(void) { lab_grade_print(root, form); }

static json_t *class_read(bool known)
{
    json_t *read =
        json_loads(test_text(class, known ? "true" : "false", known ? "true" : "false"), 0, NULL);

    ck_assert_ptr_nonnull(read);
    return read;
}

START_TEST(grades_are_printed)
{
    static const char *const names[] = {"grades as text", "grades as CSV", "grades as Markdown"};
    static const enum table_form forms[] = {TABLE_TEXT, TABLE_CSV, TABLE_MARKDOWN};
    int number = 0;

    for (int known = 0; known < 2; known++)
        for (size_t i = 0; i < COUNT(forms); i++) {
            root = class_read(known);
            form = forms[i];
            expect_looked_at("lab.txt", number++,
                             test_text("%s%s", names[i], known ? ", all known" : ""),
                             printed(print_class));
            json_decref(root);
        }
}
END_TEST

START_TEST(students_have_reports)
{
    static const char *const names[] = {"ada", "=bob", "sub/cy"};
    const char *folder = test_path("reports");

    root = class_read(true);
    ck_assert_ok(lab_grade_reports(root, folder, &error));
    for (size_t i = 0; i < COUNT(names); i++)
        expect_looked_at("lab.txt", 6 + (int)i, test_text("report of %s", names[i]),
                         test_read(test_text("%s/%s.md", folder, names[i]), NULL));
    json_decref(root);
}
END_TEST

/* --- texts of others -------------------------------------------------------------------------- */

/* The letters in `nasty` become a member of each kind in turn. */
static const char nasty[] = "=1+1\033[2J\xc2\x9b"
                            "31m\xe2\x80\xae<b>|[x](http://y)`*_#\n# right";

static json_t *nasty_class(void)
{
    json_t *read = class_read(true), *one = json_array_get(json_object_get(read, "submissions"), 1);
    static const char *const members[] = {"name",  "source",    "verdict",     "by",       "text",
                                          "place", "time_text", "not_watched", "no_report"};

    for (size_t i = 0; i < COUNT(members); i++)
        json_object_set_new(one, members[i], json_string(nasty));
    json_object_set_new(one, "right_on_known_cases", json_false());
    json_object_set_new(one, "why", json_pack("[s]", nasty));
    json_object_set_new(one, "findings", json_pack("[s]", nasty));
    json_object_set_new(one, "causes", json_pack("[s]", nasty));
    json_object_set_new(one, "time", json_pack("{s:s}", "text", nasty));
    json_object_set_new(read, "causes", json_pack("[{s:s, s:i}]", "cause", nasty, "count", 1));
    return read;
}

/* How many lines of a text have that in them. */
static int lines_with(const char *text, const char *what)
{
    int count = 0;

    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        count += memmem(text, (size_t)(end - text), what, strlen(what)) != NULL;
    }
    return count;
}

/* No text of others steers a terminal, begins a line, or has an effect as Markdown or CSV. */
START_TEST(texts_of_others_are_texts)
{
    static const enum table_form forms[] = {TABLE_TEXT, TABLE_CSV, TABLE_MARKDOWN};
    static const char *const never[] = {"\033", "\xc2\x9b", "\xe2\x80\xae"};
    const char *text;

    root = nasty_class();
    for (size_t i = 0; i < COUNT(forms); i++) {
        form = forms[i];
        text = printed(print_class);
        for (size_t k = 0; k < COUNT(never); k++)
            ck_assert_msg(!strstr(text, never[k]), "%s", text);
        ck_assert_msg(!strstr(text, "\n# right"), "%s", text);
        if (form == TABLE_CSV)
            ck_assert_contains(text, "\n\"'=1+1?[2J?31m?<b>|[x](http://y)`*_#?# right\",");
        if (form == TABLE_MARKDOWN) {
            ck_assert_contains(text, "\n- \\=1+1?\\[2J?31m?\\<b\\>\\|\\[x\\](http\\://y)\\`\\*");
            ck_assert_int_eq(lines_with(text, "<b") - lines_with(text, "\\<b"), 0);
        }
    }
    json_object_set_new(json_array_get(json_object_get(root, "submissions"), 1), "name",
                        json_string("bob"));
    ck_assert_ok(lab_grade_reports(root, test_path("reports"), &error));
    text = test_read(test_path("reports/bob.md"), NULL);
    ck_assert_int_eq(lines_with(text, "<b>"), 0);
    ck_assert_int_gt(lines_with(text, "\\<b\\>"), 4);
    ck_assert_msg(!strstr(text, "\n# right") && !strchr(text, '\033'), "%s", text);
    json_decref(root);
}
END_TEST

START_TEST(a_report_is_plain)
{
    static const char *const never[] = {"\033", "\xc2\x9b", "\xe2\x80\xae"};
    const char *text;

    ck_assert_ok(ca_lab_read(&lab, test_source("configs/lab/anneal"), &error));
    report.how = "cc";
    has_wrong_cells();
    snprintf(lab.source, sizeof lab.source, "%s", "k\033[31m.c");
    snprintf(report.text, sizeof report.text, "%s", nasty);
    snprintf(report.finding[0], sizeof report.finding[0], "%s", nasty);
    snprintf(report.why.finding[0].text, sizeof report.why.finding[0].text, "%s", nasty);
    snprintf(report.not_watched, sizeof report.not_watched, "%s", nasty);
    report.findings = 1;
    report.said = strdup(nasty);
    text = printed(print_report);
    for (size_t k = 0; k < COUNT(never); k++)
        ck_assert_msg(!strstr(text, never[k]), "%s", text);
    ck_assert_contains(text, "k?[31m.c: wrong, on the CPU");
    ca_lab_report_free(&report);
}
END_TEST

/* Two that cannot be written cost themselves only. */
START_TEST(reports_that_cannot_be_written)
{
    const char *folder = test_path("reports");

    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(mkdir(test_text("%s/ada.md", folder), 0700), 0);
    test_write(test_text("%s/sub", folder), "", 0);
    root = class_read(false);
    ck_assert_int_eq(lab_grade_reports(root, folder, &error), CA_IO);
    ck_assert_ptr_eq(strstr(error.text, "2 of 3 reports could not be written: "), error.text);
    ck_assert_contains(error.text, "ada.md");
    form = TABLE_TEXT;
    ck_assert_contains(printed(print_class), "\nada: no report: ", "\nsub/cy: no report: ");
    ck_assert_ptr_null(strstr(printed(print_class), "bob: no report"));
    ck_assert_int_eq(access(test_text("%s/=bob.md", folder), F_OK), 0);
    ck_assert_int_eq(rmdir(test_text("%s/ada.md", folder)), 0);
    ck_assert_int_eq(unlink(test_text("%s/sub", folder)), 0);
    ck_assert_ok(lab_grade_reports(root, folder, &error)); /* what was noted is forgotten */
    ck_assert_ptr_null(strstr(printed(print_class), "no report"));
    json_decref(root);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.table = {{reports_are_printed, COUNT(reports)}},
                     .test = {grades_are_printed, students_have_reports, texts_of_others_are_texts,
                              a_report_is_plain, reports_that_cannot_be_written});
}
