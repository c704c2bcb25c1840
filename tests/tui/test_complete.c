/* SPDX-License-Identifier: MIT */
/* What is offered for a word that is being typed: names, values, backends with their options,
 * files. */
#include "tui/complete.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/model/registry.h"
#include "tests/support/support.h"

/* The candidates, with a blank between two. */
static const char *offered(struct completion *completion)
{
    static char text[8192];

    text[0] = '\0';
    for (int i = 0; i < completion->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 completion->word[i]);
    completion_end(completion);
    return text;
}

static const char *files(const char *typed)
{
    struct completion c;

    completion_begin(&c, typed);
    complete_files(&c);
    return offered(&c);
}

/* Sorted, folders with a slash, hidden ones where a dot is typed. */
START_TEST(of_files)
{
    ck_assert_int_eq(chdir(test_folder()), 0);
    for (int i = 0; i < 6; i++)
        test_write((const char *[]){"b5", "b1", "b4", "b2", "b3", ".bashful"}[i], "", 0);
    ck_assert_int_eq(mkdir("box", 0700), 0);
    test_write("box/in", "", 0);
    test_write("box/.out", "", 0);
    ck_assert_str_eq(files("b"), "b1 b2 b3 b4 b5 box/");
    ck_assert_str_eq(files(".ba"), ".bashful");
    ck_assert_str_eq(files("box/"), "box/in");
    ck_assert_str_eq(files("box/.o"), "box/.out");
    ck_assert_str_eq(files("none/"), "");
}
END_TEST

START_TEST(each_once_and_behind_what_is_typed)
{
    struct completion c;

    completion_begin(&c, "a,be");
    completion_after(&c, ",");
    completion_offer(&c, "best");
    completion_offer(&c, "best");
    completion_offer(&c, "worst");
    ck_assert_str_eq(offered(&c), "a,best");
}
END_TEST

static const struct {
    const char *typed, *words;
} specs[] = {
    {"refe", "reference"},
    {"threads,refe", "threads,reference"},
    {"lab:refe", "lab:reference"},
    {"refe/", ""}, /* no whole name */
    {"threads/thr", "threads/threads="},
    {"a,lab:threads/thr", "a,lab:threads/threads="},
    {"bitslice/gener", "bitslice/generations="},
    {"bitslice/generations=1",
     "bitslice/generations=1 bitslice/generations=12 bitslice/generations=16"},
};

START_TEST(of_backends)
{
    struct completion c;

    completion_begin(&c, specs[_i].typed);
    complete_specs(&c, &anneal_model);
    ck_assert_str_eq(offered(&c), specs[_i].words);
}
END_TEST

/* Patterns are starts of their own models alone. */
START_TEST(of_starts_and_experiments)
{
    struct completion c;

    ck_assert_int_eq(chdir(test_source(".")), 0);
    completion_begin(&c, "airf");
    complete_starts(&c, test_model("fhp"));
    ck_assert_str_eq(offered(&c), "airfoil");
    completion_begin(&c, "airf");
    complete_starts(&c, &anneal_model);
    ck_assert_str_eq(offered(&c), "");
    completion_begin(&c, "water-d");
    complete_shipped(&c);
    ck_assert_str_eq(offered(&c), "water-dam");
}
END_TEST

/* Files are offered for parameters that name one. */
START_TEST(of_values)
{
    static const struct ca_param file = {.name = "file", .kind = CA_FILE};
    static const struct ca_param number = {
        .name = "n", .kind = CA_INT, .number = 10, .tune = "1 12"};
    struct completion c;

    ck_assert_int_eq(chdir(test_folder()), 0);
    test_write("1st", "", 0);
    for (int i = 0; i < 2; i++) {
        completion_begin(&c, "1");
        c.files = i;
        complete_value(&c, &file);
        ck_assert_str_eq(offered(&c), i ? "1st" : "");
        completion_begin(&c, "1");
        c.files = i;
        complete_value(&c, &number);
        ck_assert_str_eq(offered(&c), "10 1 12");
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {of_files, each_once_and_behind_what_is_typed,
                              of_starts_and_experiments, of_values},
                     .table = {{of_backends, COUNT(specs)}});
}
