/* SPDX-License-Identifier: MIT */
/* Prints the tables of a class and the reports for its students, made of calab-lab-grade/1. */
#include <stdio.h>
#include <string.h>

#include "core/files/file.h"
#include "core/base/text.h"
#include "core/files/json.h"
#include "core/lab/check/words.h"
#include "tui/commands/lab_grade.h"
#include "tui/escape.h"

/* --- the table -------------------------------------------------------------------------------- */

static void list_causes(char cell[TABLE_CELL], const void *rows, int row,
                        const char *(*words)(const char *))
{
    const json_t *cause;
    size_t i;

    json_array_foreach(json_object_get(json_array_get(rows, (size_t)row), "causes"), i, cause)
    {
        const char *name = json_string_value(cause) ? json_string_value(cause) : "";

        ca_text_add(cell, TABLE_CELL, "%s%s", i ? ", " : "", words ? words(name) : name);
    }
}

static void c_cause_names(char cell[TABLE_CELL], const void *rows, int row)
{
    list_causes(cell, rows, row, NULL);
}

static void c_causes(char cell[TABLE_CELL], const void *rows, int row)
{
    list_causes(cell, rows, row, ca_lab_words);
}

static void c_verdict(char cell[TABLE_CELL], const void *rows, int row)
{
    snprintf(cell, TABLE_CELL, "%s",
             ca_lab_words(ca_json_member(json_array_get(rows, (size_t)row), "verdict")));
}

static void print_table(const json_t *root, enum table_form form)
{
    static const struct table_column name = {"name", .path = "name", .left = true},
                                     others[] = {
                                         {"points", .path = "points", .digits = 4},
                                         {"of", .path = "of", .digits = 4},
                                         {"ratio", .path = "time.ratio", .digits = 4},
                                         {"low", .path = "time.low", .digits = 4},
                                         {"high", .path = "time.high", .digits = 4},
                                         {"time", .path = "time.state", .left = true},
                                         /* CSV is for programs, which know the names. */
                                         {"verdict", .path = "verdict", .form = TABLE_ONLY_CSV},
                                         {"causes", .cell = c_cause_names, .form = TABLE_ONLY_CSV},
                                         {"verdict", .cell = c_verdict, .left = true,
                                          .form = TABLE_NOT_CSV},
                                         {"causes", .cell = c_causes, .left = true,
                                          .form = TABLE_NOT_CSV},
                                     };
    struct table_column column[1 + CA_LAB_GROUPS + sizeof others / sizeof *others] = {name};
    const json_t *rows = json_object_get(root, "submissions");
    char points[CA_LAB_GROUPS][64], of[CA_LAB_GROUPS][64];
    int groups = ca_json_number(json_object_get(root, "points"), "structure") > 0
                     ? CA_LAB_GROUPS
                     : CA_LAB_STRUCTURE;
    const struct table table = {column,        1 + groups + (int)(sizeof others / sizeof *others),
                                .lines = rows, .context = rows,
                                .dash = true,  .tight = true};

    for (int g = 0; g < groups; g++) {
        snprintf(points[g], sizeof points[g], "groups.%s.points", ca_lab_group_names[g]);
        snprintf(of[g], sizeof of[g], "groups.%s.of", ca_lab_group_names[g]);
        column[1 + g] = (struct table_column){ca_lab_group_names[g], .path = points[g],
                                              .given = of[g], .digits = 4};
    }
    memcpy(&column[1 + groups], others, sizeof others);
    table_print(stdout, &table, form);
}

/* --- what stands below it --------------------------------------------------------------------- */

/* Names of walls that hold, or do not. */
static int print_walls(const json_t *walls, bool hold)
{
    const char *name;
    json_t *holds;
    int count = 0;

    json_object_foreach((json_t *)walls, name, holds)
    {
        if (json_is_true(holds) == hold)
            printf("%s%s", count++ ? ", " : "", name);
    }
    return count;
}

static void put_note(enum table_form form, const json_t *one, const char *what, const char *text)
{
    if (form == TABLE_MARKDOWN)
        escape_put_markdown(stdout, "- %s: %s%s\n", ca_json_member(one, "name"), what, text);
    else
        escape_put_terminal(stdout, "%s: %s%s\n", ca_json_member(one, "name"), what, text);
}

/* What is in no total, since this machine could not grade it for all. */
static void print_missing(const json_t *root, const char *mark)
{
    const json_t *rows = json_object_get(root, "submissions");
    bool each = json_is_true(json_object_get(root, "each"));
    const char *name;
    json_t *count;

    json_object_foreach(json_object_get(root, "missing"), name, count)
    {
        printf("%s%s could not be measured for %lld of %zu", mark, name,
               (long long)json_integer_value(count), json_array_size(rows));
        if (!each)
            printf(
                ", and is in the total of none: `calab lab grade --again FILE`, with what --json "
                "has printed, measures it where that can be done");
        putchar('\n');
    }
}

/* Bounds that a kernel misses, and those that calibration proposes. */
static void print_structure(enum table_form form, const json_t *one)
{
    const json_t *structure = json_object_get(one, "structure"), *bound;
    size_t i;

    if (ca_json_member(structure, "text")[0])
        put_note(form, one, "structure not counted: ", ca_json_member(structure, "text"));
    json_array_foreach(json_object_get(structure, "bounds"), i, bound)
    {
        if (!json_is_true(json_object_get(bound, "kept")))
            put_note(form, one, "", ca_json_member(bound, "text"));
    }
    if (ca_json_member(structure, "proposed")[0])
        put_note(form, one, "", ca_json_member(structure, "proposed"));
}

#define PAIRS_PRINTED 40

static const char *text_at(const json_t *pair, const char *key, size_t i)
{
    const char *text = json_string_value(json_array_get(json_object_get(pair, key), i));

    return text ? text : "";
}

static int whole_at(const json_t *pair, size_t i)
{
    return (int)json_integer_value(json_array_get(json_object_get(pair, "of"), i));
}

/* Pairs with equal runs of tokens: what there is, and nothing of how it came about. */
static void print_equal(const json_t *root, enum table_form form)
{
    void (*const put)(FILE *, const char *, ...) =
        form == TABLE_MARKDOWN ? escape_put_markdown : escape_put_terminal;
    const json_t *pairs = json_object_get(root, "equal_tokens"), *pair;
    const char *mark = form == TABLE_MARKDOWN ? "- " : "";
    size_t i;

    json_array_foreach(pairs, i, pair)
    {
        int equal = (int)ca_json_number(pair, "equal"),
            renamed = (int)ca_json_number(pair, "renamed");

        if (i == PAIRS_PRINTED)
            break;
        printf("%s", mark);
        put(stdout, "%s, %s", text_at(pair, "names", 0), text_at(pair, "names", 1));
        printf(": %d equal tokens", equal);
        if (renamed > equal)
            printf(", %d but for names", renamed);
        printf(", of %d and %d beyond the task's; the longest run is ", whole_at(pair, 0),
               whole_at(pair, 1));
        put(stdout, "%s and %s\n", text_at(pair, "lines", 0), text_at(pair, "lines", 1));
    }
    if (json_array_size(pairs) > PAIRS_PRINTED)
        printf("%s%zu more pairs have equal tokens: --json lists all\n", mark,
               json_array_size(pairs) - PAIRS_PRINTED);
}

static void print_notes(const json_t *root, enum table_form form)
{
    void (*const put)(FILE *, const char *, ...) =
        form == TABLE_MARKDOWN ? escape_put_markdown : escape_put_terminal;
    const char *mark = form == TABLE_MARKDOWN ? "- " : "";
    const json_t *rows = json_object_get(root, "submissions"), *one;
    const json_t *walls = json_object_get(root, "walls");
    size_t i;

    printf("\n%lld of %zu are right", (long long)json_integer_value(json_object_get(root, "right")),
           json_array_size(rows));
    if (ca_json_member(root, "model")[0]) {
        put(stdout, "; %s, points for speed", ca_json_member(root, "model"));
        printf(" from %g to %g times ", ca_json_number(root, "least"),
               ca_json_number(root, "goal"));
        put(stdout, "%s", ca_json_member(root, "backend"));
    }
    putchar('\n');
    if (form == TABLE_MARKDOWN)
        putchar('\n');
    json_array_foreach(json_object_get(root, "causes"), i, one)
    {
        printf("%s%lld", mark, (long long)json_integer_value(json_object_get(one, "count")));
        put(stdout, " %s\n", ca_lab_words(ca_json_member(one, "cause")));
    }
    json_array_foreach(rows, i, one)
    {
        const char *untimed = ca_json_member(json_object_get(one, "time"), "text");

        if (untimed[0])
            put_note(form, one, "", untimed);
        else if (strcmp(ca_json_member(one, "verdict"), "not graded") == 0)
            put_note(form, one, "not graded: ", ca_json_member(one, "text"));
        if (ca_json_member(one, "no_report")[0])
            put_note(form, one, "no report: ", ca_json_member(one, "no_report"));
        print_structure(form, one);
    }
    print_missing(root, mark);
    print_equal(root, form);
    if (walls) { /* grades that another version has printed may lack them */
        printf("%ssubmissions ran behind: ", mark);
        if (print_walls(walls, true) == 0)
            printf("nothing");
        printf("; not in force: ");
        if (print_walls(walls, false) == 0)
            printf("none");
        putchar('\n');
    }
    if (!json_is_true(json_object_get(root, "ceilings_known")))
        printf("%sno figure was held against the roofline: `calab probe` measures it\n", mark);
}

void lab_grade_print(const json_t *root, enum table_form form)
{
    print_table(root, form);
    if (form != TABLE_CSV)
        print_notes(root, form);
}

/* --- for a student ---------------------------------------------------------------------------- */

static void put_points(FILE *out, const json_t *one)
{
    static const char *const what[CA_LAB_GROUPS] = {
        "square lattices of whole tiles", "lattices that are no whole number of tiles",
        "lattices with different sides", "speed", "structure"};
    const json_t *without = json_object_get(one, "without"), *name;
    size_t i;

    ca_file_put(out, "%.4g of %.4g points", ca_json_number(one, "points"),
                ca_json_number(one, "of"));
    json_array_foreach(without, i, name)
        ca_file_put(out, "%s%s", i == 0 ? ", without " : " and ", json_string_value(name));
    ca_file_put(out, "%s\n\n| for | right | points | of |\n|---|---:|---:|---:|\n",
                json_array_size(without) > 0 ? ", which could not be measured for all" : "");
    for (int g = 0; g < CA_LAB_GROUPS; g++) {
        const json_t *group =
            json_object_get(json_object_get(one, "groups"), ca_lab_group_names[g]);

        if (g == CA_LAB_STRUCTURE && !group)
            continue;
        if (ca_json_number(group, "of") == 0)
            ca_file_put(out, "| %s | | not scored | |\n", what[g]);
        else if (g >= CA_LAB_SPEED)
            ca_file_put(out, "| %s | | %.4g | %.4g |\n", what[g], ca_json_number(group, "points"),
                        ca_json_number(group, "of"));
        else
            ca_file_put(out, "| %s | %.0f of %.0f | %.4g | %.4g |\n", what[g],
                        ca_json_number(group, "right"), ca_json_number(group, "cases"),
                        ca_json_number(group, "points"), ca_json_number(group, "of"));
    }
}

static void put_list(FILE *out, const json_t *list)
{
    const json_t *text;
    size_t i;

    json_array_foreach(list, i, text)
        escape_put_markdown(out, "- %s\n", json_string_value(text) ? json_string_value(text) : "");
}

/* The bounds, kept and missed ones. */
static void put_structure(FILE *out, const json_t *one)
{
    const json_t *structure = json_object_get(one, "structure"), *bound;
    size_t i;

    if (ca_json_member(structure, "text")[0])
        escape_put_markdown(out, "\nIts structure was not counted: %s\n",
                            ca_json_member(structure, "text"));
    if (json_array_size(json_object_get(structure, "bounds")) > 0)
        ca_file_put(out, "\nWhat a GPU would do for it:\n\n");
    json_array_foreach(json_object_get(structure, "bounds"), i, bound)
        escape_put_markdown(out, "- %s\n", ca_json_member(bound, "text"));
}

static void put_report(FILE *out, const json_t *one)
{
    bool known = json_is_true(json_object_get(one, "right_on_known_cases"));
    const json_t *why = json_object_get(one, "why"), *findings = json_object_get(one, "findings");

    escape_put_markdown(out, "# %s\n\n", ca_json_member(one, "name"));
    put_points(out, one);
    ca_file_put(out,
                "\nThe points are given for cases of the kinds that lab.cfg has, which are not "
                "shown here.\n\n");
    if (known)
        escape_put_markdown(out, "%s is right on the cases of lab.cfg%s.\n",
                            ca_json_member(one, "source"),
                            json_is_true(json_object_get(one, "right"))
                                ? ""
                                : ", and wrong on others of the same kinds, or where it is timed");
    else
        escape_put_markdown(
            out, "%s: %s, %s: %s%s%s\n", ca_json_member(one, "source"),
            ca_lab_words(ca_json_member(one, "verdict")),
            ca_lab_how_words(ca_json_member(one, "by")), ca_json_member(one, "text"),
            ca_json_member(one, "place")[0] ? "; " : "", ca_json_member(one, "place"));
    if (json_array_size(why) + json_array_size(findings) > 0)
        ca_file_put(out, "\n");
    put_list(out, why);
    put_list(out, findings);
    if (ca_json_member(one, "time_text")[0])
        escape_put_markdown(out, "\n%s\n", ca_json_member(one, "time_text"));
    put_structure(out, one);
    if (ca_json_member(one, "not_watched")[0])
        escape_put_markdown(out, "\nIts accesses were not watched: %s\n",
                            ca_json_member(one, "not_watched"));
}

static enum ca_status write_report(const json_t *one, const char *folder, struct ca_error *error)
{
    char path[PATH_MAX + 200];
    struct ca_file_writer writer;

    snprintf(path, sizeof path, "%s/%s.md", folder, ca_json_member(one, "name"));
    CA_TRY(ca_file_parents(path, error));
    CA_TRY(ca_file_begin(&writer, path, error));
    put_report(writer.stream, one);
    return ca_file_commit(&writer, error);
}

enum ca_status lab_grade_reports(json_t *root, const char *folder, struct ca_error *error)
{
    json_t *one;
    size_t i;
    int missing = 0;
    struct ca_error cause, first;

    json_array_foreach(json_object_get(root, "submissions"), i, one)
    {
        json_object_del(one, "no_report"); /* of an earlier run */
        if (write_report(one, folder, &cause) == CA_OK)
            continue;
        json_object_set_new(one, "no_report", json_string(cause.text));
        first = missing++ ? first : cause;
    }
    if (missing == 0)
        return CA_OK;
    return ca_fail(error, first.status, "%d of %d reports could not be written: %.600s", missing,
                   (int)json_array_size(json_object_get(root, "submissions")), first.text);
}
