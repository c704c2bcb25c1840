/* SPDX-License-Identifier: MIT */
/* Equal runs of tokens among the submissions of a class: beyond the task's own and what most have,
 * whatever comments, space and names are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lab/grade/copies.h"
#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static struct ca_error error;

/* Thirteen tokens a line: of line i of a text. */
static const char *lines_of(const char *name, int first, int count)
{
    const char *text = "";

    for (int i = first; i < first + count; i++)
        text = test_text("%s%s%d = in[%d] + (x * %d);\n", text, name, i, i, i);
    return text;
}

static const char *folder_of(const char *name, const char *source)
{
    const char *folder = test_path(name);

    if (mkdir(folder, 0700) == 0)
        lab_put(folder, "lab.cfg", "");
    lab_put(folder, "kernel.c", source);
    return folder;
}

static struct ca_lab_copies found(const char *const *sources, int count, const char *skeleton)
{
    const char *folders[8];
    struct ca_lab_copies copies;

    for (int i = 0; i < count; i++)
        folders[i] = folder_of(test_text("s%d", i), sources[i]);
    ck_assert_ok(ca_lab_copies_find(&copies, folders, count,
                                    skeleton ? folder_of("skeleton", skeleton) : NULL, &error));
    return copies;
}

static void expect_copy(const struct ca_lab_copies *copies, int i, const char *expected)
{
    const struct ca_lab_copy *copy = &copies->copy[i];

    ck_assert_int_lt(i, copies->count);
    ck_assert_str_eq(test_text("%d %d: %d %d of %d %d, %s %s", copy->a, copy->b, copy->equal,
                               copy->renamed, copy->of_a, copy->of_b, copy->lines_a, copy->lines_b),
                     expected);
}

/* Ten lines are equal, and the end of the one before; the rest is not. */
START_TEST(equal_runs)
{
    const char *const sources[] = {
        test_text("%s%s", lines_of("a", 0, 3), lines_of("s", 10, 10)),
        test_text("%s/* a comment\n of two lines */%s", lines_of("b", 30, 3),
                  lines_of("s", 10, 10)),
        lines_of("c", 50, 13),
    };
    struct ca_lab_copies copies = found(sources, 3, NULL);

    ck_assert_int_eq(copies.count, 1);
    expect_copy(&copies, 0, "0 1: 132 132 of 169 169, kernel.c:3-13 kernel.c:3-14");
    ca_lab_copies_free(&copies);
}
END_TEST

/* A run that is shorter than a gram is none, and one of COPIES_FOUND tokens is found. */
START_TEST(short_runs)
{
    for (int lines = 1; lines <= 3; lines++) {
        const char *const sources[] = {
            test_text("%s%s", lines_of("a", 0, 4), lines_of("s", 10, lines)),
            test_text("%s%s", lines_of("b", 30, 4), lines_of("s", 10, lines)),
        };
        struct ca_lab_copies copies = found(sources, 2, NULL);

        ck_assert_msg((copies.count > 0) == (lines * 13 >= COPIES_GRAM), "%d lines: %d", lines,
                      copies.count);
        ca_lab_copies_free(&copies);
    }
}
END_TEST

/* What the task has is nobody's. */
START_TEST(without_the_skeleton)
{
    const char *task = lines_of("s", 10, 10);
    const char *const sources[] = {test_text("%s%s", lines_of("a", 0, 3), task),
                                   test_text("%s%s", lines_of("b", 30, 3), task)};
    struct ca_lab_copies copies = found(sources, 2, task);

    ck_assert_int_eq(copies.count, 0);
    ca_lab_copies_free(&copies);
    copies = found(sources, 2, lines_of("s", 10, 5));
    expect_copy(&copies, 0, "0 1: 67 67 of 104 104, kernel.c:3-13 kernel.c:3-13");
    ca_lab_copies_free(&copies);
}
END_TEST

/* What more than half of five and more have is no pair's. */
START_TEST(without_what_most_have)
{
    const char *idiom = lines_of("s", 10, 5), *own = lines_of("t", 20, 5);
    const char *const sources[] = {idiom, idiom, test_text("%s%s", idiom, own),
                                   test_text("%s%s", own, lines_of("u", 60, 4)),
                                   lines_of("v", 80, 6)};
    struct ca_lab_copies copies = found(sources, 4, NULL);

    ck_assert_int_eq(copies.count, 4); /* three with the idiom, one with the other */
    ca_lab_copies_free(&copies);
    copies = found(sources, 5, NULL);
    ck_assert_int_eq(copies.count, 1);
    ck_assert(copies.copy[0].a == 2 && copies.copy[0].b == 3);
    ca_lab_copies_free(&copies);
}
END_TEST

/* Other names: no token run is equal, but the tokens are, and so is most of the shorter one. */
START_TEST(other_names)
{
    const char *const sources[] = {lines_of("a", 10, 10), lines_of("b", 10, 10),
                                   test_text("%s%s", lines_of("c", 10, 4), lines_of("d", 40, 8))};
    struct ca_lab_copies copies = found(sources, 3, NULL);

    ck_assert_int_eq(copies.count, 1);
    expect_copy(&copies, 0, "0 1: 0 130 of 130 130, kernel.c:1-10 kernel.c:1-10");
    ca_lab_copies_free(&copies);
}
END_TEST

/* Neither a link, nor what is no source, nor a folder that is not there. */
START_TEST(what_is_read)
{
    const char *folders[] = {folder_of("one", lines_of("s", 10, 10)), test_path("linked"),
                             test_path("none")};
    struct ca_lab_copies copies;

    ck_assert_int_eq(mkdir(folders[1], 0700), 0);
    ck_assert_int_eq(symlink("../one/kernel.c", test_text("%s/kernel.c", folders[1])), 0);
    lab_put(folders[1], "kernel.txt", lines_of("s", 10, 10));
    ck_assert_ok(ca_lab_copies_find(&copies, folders, 3, NULL, &error));
    ck_assert_int_eq(copies.count, 0);
    lab_put(folders[1], "other.h", lines_of("s", 10, 10));
    ck_assert_ok(ca_lab_copies_find(&copies, folders, 3, NULL, &error));
    expect_copy(&copies, 0, "0 1: 130 130 of 130 130, kernel.c:1-10 other.h:1-10");
    ca_lab_copies_free(&copies);
}
END_TEST

/* A grade lists them in each form, and says no more than that. */
START_TEST(grades_list_them)
{
    static const char config[] = "version = 1; model = \"anneal\"; source = \"kernel.c\";\n";
    const char *folders = "";
    struct outcome o;
    json_t *root, *pair;

    test_put("secret", "nobody knows 17");
    for (int i = 0; i < 3; i++) {
        const char *folder = test_path(test_text("s%d", i)), *skeleton;

        calab_good("lab new anneal %s", folder);
        skeleton = lab_get(folder, "kernel.c");
        lab_put(folder, "lab.cfg", config);
        lab_put(folder, "kernel.c",
                test_text("%s%s#error\n", skeleton, lines_of("s", i == 2 ? 90 : 10, 10)));
        folders = test_text("%s %s", folders, folder);
    }
    o = calab_good("lab grade -q --json --secret-seed %s%s", test_path("secret"), folders);
    root = outcome_json(&o);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "equal_tokens")), 1);
    pair = json_array_get(json_object_get(root, "equal_tokens"), 0);
    ck_assert_int_eq(json_whole(pair, "equal"), 132); /* and of "#error" */
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(pair, "names"), 0)), "s0");
    test_put("class.json", o.out);
    o = calab_done("lab grade --again %s", test_path("class.json"));
    ck_assert_contains(o.out, "\ns0, s1: 132 equal tokens, of 132 and 132 beyond the task's; the "
                              "longest run is kernel.c:");
    o = calab_done("lab grade --markdown --again %s", test_path("class.json"));
    ck_assert_contains(o.out, "\n- s0, s1: 132 equal tokens");
    json_decref(root);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {equal_runs, short_runs, without_the_skeleton, without_what_most_have,
                              other_names, what_is_read, grades_list_them});
}
