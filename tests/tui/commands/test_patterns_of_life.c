/* SPDX-License-Identifier: MIT */
/* Patterns of Golly as they open by themselves: the model, the rule and the edges are those that
 * the file says. */
#include <stdio.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/support.h"

static const struct {
    const char *header, *model, *rule, *boundary;
} opened[] = {
    {"x = 3, y = 3, rule = B3/S23", "life", "B3/S23", "torus"},
    {"x = 3, y = 3, rule = 23/3", "life", "B3/S23", "torus"},
    {"x = 3, y = 3", "life", "B3/S23", "torus"}, /* Golly's default */
    {"x = 3, y = 3, rule = b36s23:T40,30", "life", "b36s23", "torus"},
    {"x = 3, y = 3, rule = B2-a/S12:P40,30", "life", "B2-a/S12", "dead"},
    {"#r 12/2-a\nx = 3, y = 3", "life", "12/2-a", "torus"},
    {"x = 3, y = 3, rule = B4678/S35678", "anneal", NULL, NULL},
    {"x = 3, y = 3, rule = 35678/4678:T40,30", "anneal", NULL, NULL},
};

START_TEST(opens_by_itself)
{
    struct outcome o;

    test_put("p.rle", test_text("%s\nbo$2bo$3o!\n", opened[_i].header));
    o = calab_good("run %s -q -n 0", test_path("p.rle"));
    ck_assert_str_eq(outcome_value(&o, "model"), opened[_i].model);
    ck_assert_str_eq(outcome_value(&o, "observables.live"), "5");
    ck_assert_str_eq(outcome_value(&o, "size"),
                     strstr(opened[_i].header, "40,30") ? "40x30" : "512x512");
    if (opened[_i].rule)
        ck_assert_str_eq(outcome_value(&o, "parameters.rule"), opened[_i].rule);
    if (opened[_i].boundary)
        ck_assert_str_eq(outcome_value(&o, "parameters.boundary"), opened[_i].boundary);
}
END_TEST

static const struct {
    const char *header, *options;
    enum ca_status status;
    const char *part[2];
} refused[] = {
    {"x = 3, y = 3, rule = B2/S/C3",
     "",
     CA_USAGE,
     {"p.rle: rule 'B2/S/C3'", "Generations, with 3"}},
    {"x = 3, y = 3, rule = WireWorld", "", CA_USAGE, {"p.rle: rule 'WireWorld'", "in a file"}},
    {"x = 3, y = 3, rule = B3/S23:K40,30", "", CA_IO, {"neither a torus nor a plane", ":PWIDTH"}},
    {"x = 3, y = 3, rule = B4678/S35678:P40,30",
     "",
     CA_USAGE,
     {"the lattice is a torus, but that of ", "has dead edges (:P)"}},
    {"x = 3, y = 3, rule = B3/S23",
     "--set rule=B3/S29",
     CA_USAGE,
     {"rule 'B3/S29': a number above 8", "at character 6"}},
    {"x = 3, y = 3, rule = B3/S23", "-s 20x2", CA_USAGE, {"size is 20x2", "p.rle is 3x3"}},
    {"x = 3, y = 3, rule = B3/S23", "--init random", CA_USAGE, {"is a start", "--init is another"}},
};

START_TEST(refusals)
{
    test_put("p.rle", test_text("%s\nbo$2bo$3o!\n", refused[_i].header));
    calab_fails(refused[_i].status, refused[_i].part[0], "run %s %s -n 0", test_path("p.rle"),
                refused[_i].options);
    calab_fails(refused[_i].status, refused[_i].part[1], "run %s %s -n 0", test_path("p.rle"),
                refused[_i].options);
}
END_TEST

/* A rule and edges that are set go over those of the file, also where they are the model's own. */
static const struct {
    const char *header, *settings, *rule, *boundary, *said;
} overridden[] = {
    {"rule = B3/S23", "--set rule=B36/S23", "B36/S23", "torus",
     "p.rle is a pattern of B3/S23: it runs by B36/S23, which was set"},
    {"rule = B36/S23", "--set rule=B3/S23", "B3/S23", "torus",
     "p.rle is a pattern of B36/S23: it runs by B3/S23, which was set"},
    {"rule = B3/S23:P40,30", "--set boundary=torus", "B3/S23", "torus",
     "p.rle has dead edges (:P): it runs on a torus, which was set"},
    {"rule = B3/S23:T40,30", "--set boundary=dead", "B3/S23", "dead",
     "p.rle has the edges of a torus (:T): it runs with dead edges, which was set"},
    {"rule = B3/S23", "--set rule=23/3", "23/3", "torus", ""}, /* the same rule */
};

START_TEST(set_goes_over_a_pattern)
{
    struct outcome o;

    test_put("p.rle", test_text("x = 3, y = 3, %s\nbo$2bo$3o!\n", overridden[_i].header));
    o = calab("run life -q --init %s %s -n 1", test_path("p.rle"), overridden[_i].settings);
    ck_assert_int_eq(o.status, 0);
    ck_assert_str_eq(outcome_value(&o, "parameters.rule"), overridden[_i].rule);
    ck_assert_str_eq(outcome_value(&o, "parameters.boundary"), overridden[_i].boundary);
    if (overridden[_i].said[0])
        ck_assert_contains(o.err, overridden[_i].said);
    else
        ck_assert_str_eq(o.err, "");
}
END_TEST

START_TEST(no_such_file)
{
    calab_fails(CA_IO, "No such file", "run %s -n 0", test_path("none.rle"));
}
END_TEST

/* What is written with dead edges opens as that, and goes on as the run did. */
START_TEST(edges_are_kept)
{
    const char *soup = test_path("s.rle");
    struct outcome a, b;

    a = calab_good("run life -q -s 33x21 --set boundary=dead --set rule=B2-a/S12 -n 4 -o %s", soup);
    ck_assert_contains(test_read(soup, NULL), "rule = B2-a/S12:P33,21");
    a = calab_good("run life -q -s 33x21 --set boundary=dead --set rule=B2-a/S12 -n 9");
    b = calab_good("run %s -q -n 5", soup);
    ck_assert_str_eq(outcome_value(&a, "hash"), outcome_value(&b, "hash"));
}
END_TEST

/* With B0 an unbounded plane would flash; it is said once, where the file says no lattice. */
START_TEST(flashing)
{
    struct outcome o;

    test_put("f.rle", "x = 3, y = 3, rule = B01/S\nbo$2bo$3o!\n");
    o = calab("run %s -q -n 1", test_path("f.rle"));
    ck_assert_int_eq(o.status, 0);
    ck_assert_contains(o.err, "f.rle is a pattern of an unbounded plane, all of which its rule");
    test_put("f.rle", "x = 3, y = 3, rule = B01/S:T40,30\nbo$2bo$3o!\n");
    o = calab("run %s -q -n 1", test_path("f.rle"));
    ck_assert_int_eq(o.status, 0);
    ck_assert_str_eq(o.err, "");
    test_put("f.rle", "x = 3, y = 3, rule = B1/S\nbo$2bo$3o!\n");
    o = calab("run %s -q -n 1", test_path("f.rle"));
    ck_assert_str_eq(o.err, "");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {no_such_file, edges_are_kept, flashing},
                     .table = {{opens_by_itself, COUNT(opened)},
                               {refusals, COUNT(refused)},
                               {set_goes_over_a_pattern, COUNT(overridden)}});
}
