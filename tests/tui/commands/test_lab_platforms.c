/* SPDX-License-Identifier: MIT */
/* Grades as Gradescope and as CI platforms read them: each part, until when secret cases are
 * hidden, and XML that is well-formed whatever a student's text holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tui/commands/lab_grade.h"

static struct ca_error error;

/* A right kernel that was timed, one that is wrong, and one that has no grade. */
static const char ada[] =
    "{\"name\":\"ada\",\"source\":\"kernel.c\",\"status\":\"ok\",\"verdict\":\"right\","
    "\"right\":true,\"right_on_known_cases\":true,\"by\":\"cc\",\"points\":87.5,\"of\":100,"
    "\"seconds\":2.5,\"groups\":{\"square\":{\"right\":4,\"cases\":4,\"points\":40,\"of\":40},"
    "\"uneven\":{\"right\":3,\"cases\":3,\"points\":30,\"of\":30},"
    "\"oblong\":{\"right\":0,\"cases\":0,\"points\":0,\"of\":0},"
    "\"speed\":{\"points\":17.5,\"of\":30}},"
    "\"time\":{\"ratio\":1.25,\"state\":\"timed\",\"backend\":\"threads\"},"
    "\"time_text\":\"it was timed\"}";
static const char bob[] =
    "{\"name\":\"bob\",\"source\":\"kernel.c\",\"status\":\"ok\",\"verdict\":\"cell\","
    "\"right\":false,\"right_on_known_cases\":false,\"by\":\"cc\",\"text\":\"cell 3,4\","
    "\"place\":\"on 5x3\",\"why\":[\"%s\"],\"findings\":[\"a finding\"],\"points\":12,\"of\":100,"
    "\"seconds\":0.25,\"groups\":{\"square\":{\"right\":1,\"cases\":4,\"points\":12,\"of\":40},"
    "\"uneven\":{\"right\":0,\"cases\":3,\"points\":0,\"of\":30},"
    "\"oblong\":{\"right\":0,\"cases\":0,\"points\":0,\"of\":0},"
    "\"speed\":{\"points\":0,\"of\":30}},\"time\":null}";
static const char cy[] =
    "{\"name\":\"cy\",\"source\":\"\",\"status\":\"io\",\"verdict\":\"not graded\",\"right\":false,"
    "\"right_on_known_cases\":false,\"text\":\"no such folder\",\"points\":0,\"of\":100,"
    "\"seconds\":0,\"groups\":{\"square\":{\"right\":0,\"cases\":0,\"points\":0,\"of\":40},"
    "\"speed\":{\"points\":0,\"of\":30}},\"time\":null}";

/* Right, of a task that has bounds, of which one is missed, and whose speed was not measured. */
static const char dan[] =
    "{\"name\":\"dan\",\"source\":\"kernel.cu\",\"status\":\"ok\",\"verdict\":\"right\","
    "\"right\":true,\"right_on_known_cases\":true,\"by\":\"the emulator\",\"points\":30,"
    "\"of\":40,\"seconds\":1,\"groups\":{\"square\":{\"right\":1,\"cases\":1,\"points\":20,"
    "\"of\":20},\"uneven\":{\"points\":0,\"of\":0},\"oblong\":{\"points\":0,\"of\":0},"
    "\"speed\":{\"points\":0,\"of\":0,\"missing\":25},\"structure\":{\"points\":10,\"of\":20}},"
    "\"structure\":{\"bounds\":[{\"text\":\"divergent 0, allowed 0\"},{\"text\":\"registers 40, "
    "allowed 32\"}]},\"time\":{\"state\":\"emulated\"},\"time_text\":\"not "
    "timed\",\"without\":[\"speed\"]}";

static json_t *class_of(const char *rows)
{
    json_t *root = json_loads(test_text("{\"schema\":\"calab-lab-grade/1\",\"host\":\"here\","
                                        "\"date\":\"2026-11-28T10:28:29Z\",\"submissions\":[%s]}",
                                        rows),
                              0, NULL);

    ck_assert_ptr_nonnull(root);
    return root;
}

static struct lab_until until_of(const char *text)
{
    struct lab_until until;

    ck_assert_ok(lab_until_read(&until, text, &error));
    return until;
}

/* --- Gradescope ------------------------------------------------------------------------------- */

static json_t *gradescope(const char *row, const char *when)
{
    const struct lab_until until = until_of(when);
    const char *path = test_path("results.json");
    json_t *root = class_of(row), *result;
    enum ca_status status;
    int kept;

    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    ck_assert_ptr_nonnull(freopen(path, "w", stdout));
    status = lab_gradescope_print(root, &until, &error);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    json_decref(root);
    ck_assert_ok(status);
    result = json_load_file(path, 0, NULL);
    ck_assert_ptr_nonnull(result);
    return result;
}

/* Test i, as "name score/max_score visibility status". */
static void expect_test(const json_t *result, size_t i, const char *expected)
{
    const json_t *test = json_array_get(json_object_get(result, "tests"), i);
    const json_t *status = json_object_get(test, "status");

    ck_assert_str_eq(test_text("%s %g/%g %s %s", json_text(test, "name"),
                               json_number(test, "score"), json_number(test, "max_score"),
                               json_text(test, "visibility"),
                               status ? json_string_value(status) : "-"),
                     expected);
    ck_assert_str_eq(json_text(test, "output_format"), "text");
    ck_assert_str_eq(json_text(test, "name_format"), "text");
}

START_TEST(gradescope_reads_it)
{
    json_t *result = gradescope(ada, NULL), *best;

    ck_assert_uint_eq(json_array_size(json_object_get(result, "tests")), 5);
    ck_assert(json_number(result, "score") == 87.5 && json_number(result, "execution_time") == 2.5);
    ck_assert_str_eq(json_text(result, "output_format"), "text");
    ck_assert_str_eq(json_text(result, "test_output_format"), "text");
    expect_test(result, 0, "cases of lab.cfg 0/0 visible passed");
    expect_test(result, 1, "secret cases: square 40/40 after_published passed");
    expect_test(result, 2, "secret cases: uneven 30/30 after_published passed");
    expect_test(result, 3, "secret cases: oblong 0/0 after_published -");
    expect_test(result, 4, "speed 17.5/30 after_published passed");
    best = json_array_get(json_object_get(result, "leaderboard"), 0);
    ck_assert_str_eq(json_text(best, "name"), "times threads");
    ck_assert_str_eq(json_text(best, "order"), "desc");
    ck_assert(json_number(best, "value") == 1.25);
    json_decref(result);

    result = gradescope(test_text(bob, "<b>why</b>"), "due");
    expect_test(result, 0, "cases of lab.cfg 0/0 visible failed");
    expect_test(result, 1, "secret cases: square 12/40 after_due_date failed");
    expect_test(result, 4, "speed 0/30 after_due_date failed");
    ck_assert_str_eq(
        json_text(json_array_get(json_object_get(result, "tests"), 0), "output"),
        "kernel.c: wrong cells, on the CPU\ncell 3,4\non 5x3\n<b>why</b>\na finding\n");
    ck_assert_str_eq(json_text(json_array_get(json_object_get(result, "tests"), 1), "output"),
                     "1 of 4 cases are right.\n");
    ck_assert_ptr_null(json_object_get(result, "leaderboard"));
    json_decref(result);

    result = gradescope(dan, "due");
    ck_assert_uint_eq(json_array_size(json_object_get(result, "tests")), 6);
    expect_test(result, 4, "speed 0/0 after_due_date -");
    ck_assert_str_eq(json_text(json_array_get(json_object_get(result, "tests"), 4), "output"),
                     "not timed\nIt could not be measured, and the score is without it.\n");
    expect_test(result, 5, "structure 10/20 after_due_date failed");
    ck_assert_str_eq(json_text(json_array_get(json_object_get(result, "tests"), 5), "output"),
                     "divergent 0, allowed 0\nregisters 40, allowed 32\n");
    ck_assert_ptr_null(json_object_get(result, "leaderboard"));
    json_decref(result);

    result = gradescope(cy, "never");
    expect_test(result, 0, "cases of lab.cfg 0/0 visible failed");
    expect_test(result, 1, "secret cases: square 0/40 hidden -");
    json_decref(result);
}
END_TEST

/* Gradescope starts a grader for each submission, and has one file of it. */
START_TEST(gradescope_is_for_one)
{
    const struct lab_until until = until_of("now");
    json_t *root = class_of(test_text("%s,%s", ada, cy));

    ck_assert_int_eq(lab_gradescope_print(root, &until, &error), CA_USAGE);
    ck_assert_contains(error.text, "one submission, and there are 2");
    json_decref(root);
}
END_TEST

/* --- XML -------------------------------------------------------------------------------------- */

/* Fails unless `at` begins with a character that text and values of XML may have; returns the next.
 */
static const char *xml_next(const char *at)
{
    static const char *const entities[] = {"&amp;", "&lt;",  "&gt;", "&quot;",
                                           "&#39;", "&#10;", "&#9;", "&#13;"};

    ck_assert_msg(*at == '\n' || (unsigned char)*at >= ' ', "byte %d", *at);
    ck_assert_msg(!strchr("<>\"'", *at), "%.40s", at);
    for (size_t i = 0; *at == '&' && i < COUNT(entities); i++)
        if (strncmp(at, entities[i], strlen(entities[i])) == 0)
            return at + strlen(entities[i]);
    ck_assert_msg(*at != '&', "%.40s", at);
    return at + 1;
}

/* Elements are closed in order, values are in quotes, and nothing else stands in text. */
static void expect_well_formed(const char *at)
{
    char open[16][32];
    int depth = 0;

    ck_assert_msg(strncmp(at, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 39) == 0, "%s", at);
    for (at += 39; *at;) {
        bool ends = strncmp(at, "</", 2) == 0;
        size_t length;

        if (*at != '<') {
            at = xml_next(at);
            continue;
        }
        at += ends ? 2 : 1;
        length = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        ck_assert(length > 0 && length < sizeof open[0]);
        if (ends) {
            ck_assert_int_gt(depth--, 0);
            ck_assert_msg(strlen(open[depth]) == length && !strncmp(open[depth], at, length) &&
                              at[length] == '>',
                          "%s ends with %.40s", open[depth], at);
            at += length + 1;
            continue;
        }
        ck_assert_int_lt(depth, 16);
        snprintf(open[depth++], sizeof open[0], "%.*s", (int)length, at);
        for (at += length; *at == ' ';) {
            at += 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz");
            ck_assert_msg(strncmp(at, "=\"", 2) == 0, "%.40s", at);
            for (at += 2; *at != '"';)
                at = xml_next(at);
            at++;
        }
        depth -= *at == '/';
        at += *at == '/';
        ck_assert_msg(*at == '>', "%.40s", at);
        at++;
    }
    ck_assert_int_eq(depth, 0);
}

static const char *junit(const char *rows, const char *when)
{
    const struct lab_until until = until_of(when);
    json_t *root = class_of(rows);
    FILE *out = fopen(test_path("junit.xml"), "w");
    const char *text;

    ck_assert_ptr_nonnull(out);
    ck_assert_ok(lab_junit_put(out, root, &until, &error));
    fclose(out);
    json_decref(root);
    text = test_read(test_path("junit.xml"), NULL);
    expect_well_formed(text);
    return text;
}

START_TEST(platforms_read_junit)
{
    const char *text = junit(test_text("%s,%s,%s", ada, test_text(bob, "why"), cy), "now");

    ck_assert_contains(
        text,
        "<testsuites name=\"calab lab grade\" tests=\"15\" failures=\"4\" errors=\"1\" "
        "skipped=\"6\" time=\"2.750\">",
        "<testsuite name=\"ada\" timestamp=\"2026-11-28T10:28:29\" hostname=\"here\" tests=\"5\" "
        "failures=\"0\" errors=\"0\" skipped=\"1\" time=\"2.500\">",
        "<property name=\"points\" value=\"87.5\"/>", "<property name=\"ratio\" value=\"1.25\"/>",
        "<testcase classname=\"ada\" name=\"secret cases: oblong\" time=\"0.000\"><skipped "
        "message=\"There is no such case here.\"/></testcase>");
    ck_assert_contains(
        text,
        "<testcase classname=\"bob\" name=\"cases of lab.cfg\" time=\"0.250\"><failure "
        "type=\"cell\" message=\"kernel.c: wrong cells, on the CPU\">kernel.c: wrong cells, on the "
        "CPU&#10;cell 3,4&#10;",
        "<failure type=\"square\" message=\"1 of 4 cases are right.\">",
        "<testcase classname=\"cy\" name=\"cases of lab.cfg\" time=\"0.000\"><error "
        "type=\"not graded\" message=\"Not graded: no such folder\">");
}
END_TEST

/* Students see that there are secret cases, and neither how they ended nor the points. */
START_TEST(secret_cases_are_hidden)
{
    static const char *const hidden[][2] = {
        {NULL, "hidden until the grades are published"},
        {"due", "hidden until the due date"},
        {"never", "hidden from students"},
        {"2999-12-31", "hidden until 2999-12-31"},
    };

    for (size_t i = 0; i < COUNT(hidden); i++) {
        const char *text = junit(test_text("%s,%s", ada, test_text(bob, "why")), hidden[i][0]);

        ck_assert_contains(
            text, "failures=\"1\" errors=\"0\" skipped=\"8\"",
            test_text("name=\"speed\" time=\"0.000\"><skipped message=\"%s\"/>", hidden[i][1]));
        ck_assert_msg(!strstr(text, "cases are right") && !strstr(text, "points") &&
                          !strstr(text, "timed"),
                      "%s", text);
    }
    ck_assert_contains(junit(ada, "2026-01-31"), "4 of 4 cases are right");
}
END_TEST

START_TEST(junit_holds_any_text)
{
    static const char *const texts[][2] = {
        {"</failure>]]><b a='\\\"'>&amp;",
         "&lt;/failure&gt;]]&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;amp;"},
        {"a\\u0001b\\u001b[31mc\\u007f", "a\xef\xbf\xbd"
                                         "b\xef\xbf\xbd[31mc\x7f"},
        {"\\uffff\\ufffe \\ufffd \\u00e4\\ud83d\\ude00",
         "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd "
         "\xc3\xa4\xf0\x9f\x98\x80"},
        {"a\\tb\\r\\nc", "a&#9;b&#13;&#10;c"},
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        ck_assert_contains(junit(test_text(bob, texts[i][0]), NULL), texts[i][1]);
}
END_TEST

/* --- until when ------------------------------------------------------------------------------- */

START_TEST(days)
{
    static const char *const wrong[] = {"",           "soon",       "2026-02-30",  "2026-13-01",
                                        "2026-1-1",   "20260101",   "2026-01-01 ", "2026-01-0x",
                                        "2026-00-10", "-026-01-01", "Now"};
    struct lab_until until;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        ck_assert_msg(lab_until_read(&until, wrong[i], &error) == CA_USAGE, "%s", wrong[i]);
        ck_assert_contains(error.text, test_text("--secret-until '%s'", wrong[i]),
                           "now | due | published | never | a day as 2027-01-31");
    }
    ck_assert_str_eq(until_of("now").visibility, "visible");
    ck_assert_str_eq(until_of("2026-02-28").visibility, "visible");
    ck_assert_str_eq(until_of("2999-02-28").visibility, "hidden");
    ck_assert(until_of("now").shown && until_of("2024-02-29").shown &&
              !until_of("2999-02-28").shown && !until_of("never").shown);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {gradescope_reads_it, gradescope_is_for_one, platforms_read_junit,
                              secret_cases_are_hidden, junit_holds_any_text, days});
}
