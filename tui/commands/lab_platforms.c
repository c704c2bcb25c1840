/* SPDX-License-Identifier: MIT */
/*
 * This file writes grades as Gradescope and as CI platforms read them, from calab-lab-grade/1. Both
 * have a part for the cases of lab.cfg, for each group of secret cases and for what is measured.
 *
 *     Gradescope: results.json, https://gradescope-autograders.readthedocs.io/en/latest/specs/
 *     JUnit: the schema of Jenkins' xUnit plugin, which GitLab and GitHub's reporters read, too
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/text.h"
#include "core/lab/check/words.h"
#include "core/files/json.h"
#include "tui/commands/json.h"
#include "tui/commands/lab_grade.h"
#include "tui/escape.h"

/* --- until when secret cases are hidden ------------------------------------------------------- */

static bool is_date(const char *text)
{
    struct tm day = {.tm_isdst = -1}, same;
    char again[24] = "";

    if (strlen(text) != 10 ||
        sscanf(text, "%4d-%2d-%2d", &day.tm_year, &day.tm_mon, &day.tm_mday) != 3)
        return false;
    day.tm_year -= 1900;
    day.tm_mon--;
    day.tm_hour = 12;
    same = day;
    return mktime(&same) != -1 && same.tm_mday == day.tm_mday && same.tm_mon == day.tm_mon &&
           strftime(again, sizeof again, "%Y-%m-%d", &same) == 10 && strcmp(again, text) == 0;
}

enum ca_status lab_until_read(struct lab_until *until, const char *text, struct ca_error *error)
{
    static const struct {
        const char *word, *visibility, *junit;
        bool shown;
    } words[] = {
        {"now", "visible", "", true},
        {"due", "after_due_date", "until the due date", false},
        {"published", "after_published", "until the grades are published", false},
        {"never", "hidden", "from students", false},
    };
    time_t now = time(NULL);
    struct tm day;
    char today[24];

    text = text ? text : "published";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i].word) != 0)
            continue;
        *until = (struct lab_until){.visibility = words[i].visibility, .shown = words[i].shown};
        snprintf(until->how_long, sizeof until->how_long, "%s", words[i].junit);
        return CA_OK;
    }
    if (!is_date(text))
        return ca_fail(error, CA_USAGE,
                       "--secret-until '%.40s' is not allowed: now | due | published | never | a "
                       "day as 2027-01-31",
                       text);
    localtime_r(&now, &day);
    strftime(today, sizeof today, "%Y-%m-%d", &day);
    *until = (struct lab_until){.shown = strcmp(today, text) >= 0};
    until->visibility = until->shown ? "visible" : "hidden";
    snprintf(until->how_long, sizeof until->how_long, "until %s", text);
    return CA_OK;
}

/* --- the parts of a grade --------------------------------------------------------------------- */

enum part_state { PART_PASSED, PART_FAILED, PART_SKIPPED, PART_ERROR };

struct part {
    char name[80];
    enum part_state state;
    bool secret; /* it tells of the secret cases */
    double points, of;
    char type[64], *text; /* what is wrong, in a word and in sentences */
};

#define PARTS_MAX (1 + CA_LAB_GROUPS)
#define PART_TEXT 16384

static void part_lines(char *text, const json_t *list)
{
    const json_t *line;
    size_t i;

    json_array_foreach(list, i, line) ca_text_add(text, PART_TEXT, "%s\n", json_string_value(line));
}

/* The cases of lab.cfg, which students have themselves. */
static void part_of_known(struct part *part, const json_t *one)
{
    const char *verdict = ca_json_member(one, "verdict");
    bool graded = strcmp(ca_json_member(one, "status"), "ok") == 0;

    snprintf(part->name, sizeof part->name, "cases of lab.cfg");
    snprintf(part->type, sizeof part->type, "%s", verdict);
    part->state = !graded                                                      ? PART_ERROR
                  : json_is_true(json_object_get(one, "right_on_known_cases")) ? PART_PASSED
                                                                               : PART_FAILED;
    if (!graded) {
        ca_text_add(part->text, PART_TEXT, "Not graded: %s\n", ca_json_member(one, "text"));
        return;
    }
    ca_text_add(part->text, PART_TEXT, "%s: %s, %s\n", ca_json_member(one, "source"),
                ca_lab_words(verdict), ca_lab_how_words(ca_json_member(one, "by")));
    if (ca_json_member(one, "text")[0])
        ca_text_add(part->text, PART_TEXT, "%s\n", ca_json_member(one, "text"));
    if (ca_json_member(one, "place")[0])
        ca_text_add(part->text, PART_TEXT, "%s\n", ca_json_member(one, "place"));
    part_lines(part->text, json_object_get(one, "why"));
    part_lines(part->text, json_object_get(one, "findings"));
    if (ca_json_member(one, "not_watched")[0])
        ca_text_add(part->text, PART_TEXT, "Its accesses were not watched: %s\n",
                    ca_json_member(one, "not_watched"));
}

static void part_of_cases(struct part *part, const json_t *group, const char *name)
{
    double right = ca_json_number(group, "right"), cases = ca_json_number(group, "cases");

    snprintf(part->name, sizeof part->name, "secret cases: %s", name);
    if (part->state == PART_SKIPPED)
        ca_text_add(part->text, PART_TEXT, "There is no such case here.\n");
    else if (cases > 0)
        ca_text_add(part->text, PART_TEXT, "%.0f of %.0f cases are right.\n", right, cases);
    else
        ca_text_add(part->text, PART_TEXT, "No case was run.\n");
    if (part->state != PART_SKIPPED && part->of > 0)
        part->state = cases > 0 && right == cases ? PART_PASSED : PART_FAILED;
}

static void part_of_speed(struct part *part, const json_t *one)
{
    const json_t *time = json_object_get(one, "time");

    snprintf(part->name, sizeof part->name, "speed");
    if (ca_json_member(one, "time_text")[0])
        ca_text_add(part->text, PART_TEXT, "%s\n", ca_json_member(one, "time_text"));
    else if (part->state == PART_SKIPPED)
        ca_text_add(part->text, PART_TEXT, "Speed was not measured.\n");
    else
        ca_text_add(part->text, PART_TEXT, "Not timed: it would have to be right in all cases.\n");
    if (part->state != PART_SKIPPED)
        part->state = part->points > 0 ? PART_PASSED : PART_FAILED;
    if (ca_json_member(time, "state")[0])
        snprintf(part->type, sizeof part->type, "%s", ca_json_member(time, "state"));
}

/* Bounds, and what was counted: for right kernels alone. */
static void part_of_structure(struct part *part, const json_t *one)
{
    const json_t *structure = json_object_get(one, "structure"), *bound;
    size_t i;

    snprintf(part->name, sizeof part->name, "structure");
    if (ca_json_member(structure, "text")[0])
        ca_text_add(part->text, PART_TEXT, "Not counted: %s\n", ca_json_member(structure, "text"));
    else if (!json_is_object(structure))
        ca_text_add(part->text, PART_TEXT,
                    "Not counted: it would have to be right in all cases.\n");
    json_array_foreach(json_object_get(structure, "bounds"), i, bound)
        ca_text_add(part->text, PART_TEXT, "%s\n", ca_json_member(bound, "text"));
    if (part->state != PART_SKIPPED)
        part->state = part->points >= part->of ? PART_PASSED : PART_FAILED;
}

struct parts {
    struct part part[PARTS_MAX];
    int count;
};

static void parts_free(struct parts *parts)
{
    for (int i = 0; i < parts->count; i++)
        free(parts->part[i].text);
    parts->count = 0;
}

/* Those of one submission; CA_NO_MEMORY. */
static enum ca_status parts_of(struct parts *parts, const json_t *one, struct ca_error *error)
{
    const json_t *groups = json_object_get(one, "groups");

    parts->count = 0;
    for (int i = 0; i < PARTS_MAX; i++) {
        if (i == 1 + CA_LAB_STRUCTURE && !json_object_get(groups, ca_lab_group_names[i - 1]))
            continue;
        parts->part[i] = (struct part){.text = calloc(1, PART_TEXT)};
        if (!parts->part[i].text) {
            parts_free(parts);
            return ca_fail(error, CA_NO_MEMORY, "no memory for the parts of a grade");
        }
        parts->count++;
    }
    part_of_known(&parts->part[0], one);
    for (int g = 0; 1 + g < parts->count; g++) {
        struct part *part = &parts->part[1 + g];
        const json_t *group = json_object_get(groups, ca_lab_group_names[g]);

        part->secret = true;
        part->points = ca_json_number(group, "points");
        part->of = ca_json_number(group, "of");
        part->state = part->of > 0 ? PART_FAILED : PART_SKIPPED;
        snprintf(part->type, sizeof part->type, "%s", ca_lab_group_names[g]);
        if (g == CA_LAB_SPEED)
            part_of_speed(part, one);
        else if (g == CA_LAB_STRUCTURE)
            part_of_structure(part, one);
        else
            part_of_cases(part, group, ca_lab_group_names[g]);
        if (parts->part[0].state == PART_ERROR)
            part->state = PART_SKIPPED;
        if (ca_json_number(group, "missing") > 0)
            ca_text_add(part->text, PART_TEXT,
                        "It could not be measured, and the score is without it.\n");
    }
    return CA_OK;
}

/* --- Gradescope ------------------------------------------------------------------------------- */

static json_t *gradescope_test(const struct part *part, const struct lab_until *until)
{
    json_t *test =
        json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:s, s:s}", "name", part->name, "name_format",
                  "text", "output", part->text, "output_format", "text", "score", part->points,
                  "max_score", part->of, "visibility", part->secret ? until->visibility : "visible",
                  "status", part->state == PART_PASSED ? "passed" : "failed");

    /* Of what could not be had Gradescope takes neither state for granted. */
    if (part->state == PART_SKIPPED)
        json_object_del(test, "status");
    return test;
}

enum ca_status lab_gradescope_print(const json_t *root, const struct lab_until *until,
                                    struct ca_error *error)
{
    const json_t *rows = json_object_get(root, "submissions"), *one = json_array_get(rows, 0);
    const json_t *ratio = json_object_get(json_object_get(one, "time"), "ratio");
    struct parts parts;
    json_t *tests = json_array(), *result;
    enum ca_status status = CA_OK;

    if (json_array_size(rows) != 1)
        status = ca_fail(error, CA_USAGE,
                         "--gradescope is for one submission, and there are %zu: Gradescope starts "
                         "a grader for each",
                         json_array_size(rows));
    if (status == CA_OK)
        status = parts_of(&parts, one, error);
    if (status != CA_OK) {
        json_decref(tests);
        return status;
    }
    for (int i = 0; i < parts.count; i++)
        json_array_append_new(tests, gradescope_test(&parts.part[i], until));
    parts_free(&parts);
    result = json_pack("{s:f, s:f, s:s, s:s, s:s, s:o}", "score", ca_json_number(one, "points"),
                       "execution_time", ca_json_number(one, "seconds"), "output_format", "text",
                       "test_output_format", "text", "test_name_format", "text", "tests", tests);
    if (json_is_number(ratio) && strcmp(ca_json_member(json_object_get(one, "time"), "state"),
                                        ca_lab_timed_names[CA_LAB_TIMED]) == 0) {
        char name[200];

        snprintf(name, sizeof name, "times %s",
                 ca_json_member(json_object_get(one, "time"), "backend"));
        json_object_set_new(result, "leaderboard",
                            json_pack("[{s:s, s:f, s:s}]", "name", name, "value",
                                      json_number_value(ratio), "order", "desc"));
    }
    return json_print(result, error);
}

/* --- JUnit ------------------------------------------------------------------------------------ */

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    escape_xml(out, text);
    fputc('"', out);
}

struct junit {
    int tests, failures, errors, skipped;
    double seconds;
};

static enum part_state part_shown(const struct part *part, const struct lab_until *until)
{
    return part->secret && !until->shown ? PART_SKIPPED : part->state;
}

static void junit_count(struct junit *counts, const struct parts *parts,
                        const struct lab_until *until)
{
    for (int i = 0; i < parts->count; i++) {
        enum part_state state = part_shown(&parts->part[i], until);

        counts->tests++;
        counts->failures += state == PART_FAILED;
        counts->errors += state == PART_ERROR;
        counts->skipped += state == PART_SKIPPED;
    }
}

static void put_counts(FILE *out, const struct junit *counts)
{
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
            counts->tests, counts->failures, counts->errors, counts->skipped, counts->seconds);
}

static void put_case(FILE *out, const json_t *one, const struct part *part,
                     const struct lab_until *until, double seconds)
{
    static const char *const elements[] = {[PART_FAILED] = "failure", [PART_ERROR] = "error"};
    enum part_state state = part_shown(part, until);
    char reason[PART_TEXT + 80] = "", *end;

    fputs("    <testcase", out);
    put_attribute(out, "classname", ca_json_member(one, "name"));
    put_attribute(out, "name", part->name);
    fprintf(out, " time=\"%.3f\">", seconds);
    if (part->secret && !until->shown)
        snprintf(reason, sizeof reason, "hidden %s", until->how_long);
    else
        snprintf(reason, sizeof reason, "%s", part->text);
    if (state == PART_PASSED) {
        fputs("<system-out>", out);
        escape_xml(out, reason);
        fputs("</system-out></testcase>\n", out);
        return;
    }
    end = strchr(reason, '\n');
    if (end)
        *end = '\0'; /* a message is the first line */
    fprintf(out, "<%s", state == PART_SKIPPED ? "skipped" : elements[state]);
    if (state != PART_SKIPPED)
        put_attribute(out, "type", part->type);
    put_attribute(out, "message", reason);
    fputs(state == PART_SKIPPED ? "/>" : ">", out);
    if (state != PART_SKIPPED) {
        escape_xml(out, part->text);
        fprintf(out, "</%s>", elements[state]);
    }
    fputs("</testcase>\n", out);
}

static void put_property(FILE *out, const char *name, double value)
{
    fprintf(out, "      <property name=\"%s\" value=\"%.6g\"/>\n", name, value);
}

static void put_suite(FILE *out, const json_t *root, const json_t *one, const struct parts *parts,
                      const struct lab_until *until)
{
    const json_t *ratio = json_object_get(json_object_get(one, "time"), "ratio");
    struct junit counts = {.seconds = ca_json_number(one, "seconds")};
    char date[32];

    snprintf(date, sizeof date, "%.19s", ca_json_member(root, "date"));
    junit_count(&counts, parts, until);
    fputs("  <testsuite", out);
    put_attribute(out, "name", ca_json_member(one, "name"));
    put_attribute(out, "timestamp", date);
    put_attribute(out, "hostname", ca_json_member(root, "host"));
    put_counts(out, &counts);
    if (until->shown) {
        fputs("    <properties>\n", out);
        put_property(out, "points", ca_json_number(one, "points"));
        put_property(out, "of", ca_json_number(one, "of"));
        if (json_is_number(ratio))
            put_property(out, "ratio", json_number_value(ratio));
        fputs("    </properties>\n", out);
    }
    for (int i = 0; i < parts->count; i++)
        put_case(out, one, &parts->part[i], until, i == 0 ? counts.seconds : 0);
    fputs("  </testsuite>\n", out);
}

enum ca_status lab_junit_put(FILE *out, const json_t *root, const struct lab_until *until,
                             struct ca_error *error)
{
    const json_t *rows = json_object_get(root, "submissions"), *one;
    struct junit all = {.seconds = 0};
    struct parts parts;
    size_t i;

    json_array_foreach(rows, i, one)
    {
        CA_TRY(parts_of(&parts, one, error));
        junit_count(&all, &parts, until);
        all.seconds += ca_json_number(one, "seconds");
        parts_free(&parts);
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"calab lab grade\"", out);
    put_counts(out, &all);
    json_array_foreach(rows, i, one)
    {
        CA_TRY(parts_of(&parts, one, error));
        put_suite(out, root, one, &parts, until);
        parts_free(&parts);
    }
    fputs("</testsuites>\n", out);
    return CA_OK;
}
