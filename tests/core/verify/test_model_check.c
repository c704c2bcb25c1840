/* SPDX-License-Identifier: MIT */
/* What is checked of models in files: each thing that is wrong is found by the property that it
 * breaks, with file and line, and the program goes on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/verify/model_check.h"
#include "tests/kernels/file/models.h"
#include "tests/support/support.h"

#define FINDINGS_MAX 16

static struct ca_error error;
static struct ca_model_finding found[FINDINGS_MAX];
static int findings;

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

static void take_finding(void *context, const struct ca_model_finding *finding)
{
    (void)context;
    ck_assert_int_lt(findings, FINDINGS_MAX);
    found[findings++] = *finding;
}

static enum ca_status check_file(struct ca_model_check *check, const char *path)
{
    findings = 0;
    *check = (struct ca_model_check){.seed = test_seed(), .limit_s = 20, .report = take_finding};
    return ca_model_check(check, path, &error);
}

static const struct ca_model_finding *finding_of(const char *property)
{
    for (int i = 0; i < findings; i++)
        if (strcmp(found[i].property, property) == 0)
            return &found[i];
    ck_abort_msg("no property %s", property);
}

/* Three states, of which a count is declared to be conserved; cell() begins in line 9. */
#define HEAD                                                                                       \
    INCLUDE "CA_MODEL(bad, \"a model\")\n" TWO_STATES                                              \
            "CA_STATE(HIGH, 2, '^', CA_WARM, \"high\")\n"                                          \
            "CA_PARAM(p, 0.5, 0, 1, \"a parameter\")\n"                                            \
            "CA_COUNT(live, LIVE, \"live\")\n"                                                     \
            "CA_CONSERVED(live, 0)\n"
#define CELL "CA_CELL cell(CA_NB nb)\n{\n"
/* Which cells are rare where states are drawn, but not where all neighbourhoods are tried. */
#define RARE "COUNT8(HIGH) == 8"

static const struct {
    const char *text, *property, *says;
    double limit_s; /* 0: as long as is usual */
} wrong[] = {
    {HEAD CELL "    return " RARE " ? 7 : AT(0, 0);\n}\n", "states",
     "bad.c:9: cell() returns state 7, but the states are 0 to 2; its neighbourhood, row by row: "
     "2 2 2 / 2 ",
     0},
    {HEAD CELL "    return AT(" RARE " ? 2 : 0, 0);\n}\n", "states",
     "bad.c:11: cell() reads the neighbour (2, 0), but CA_RADIUS is 1", 0},
    {HEAD CELL "    return AT(COUNT4(LIVE) == 2 ? 2 : 0, 0);\n}\n", "neighbourhood",
     "bad.c:11: cell() reads the neighbour (2, 0), but CA_RADIUS is 1", 0},
    {HEAD "static unsigned char last;\n" CELL
          "    unsigned char was = last;\n\n    last = AT(0, 0);\n    return was;\n}\n",
     "neighbourhood", "bad.c:10: a cell becomes another where only cells beyond CA_RADIUS, 1", 0},
    {HEAD CELL "    static int calls;\n\n    return (AT(0, 0) + ++calls / 50) % 3;\n}\n", "order",
     "bad.c:11: something static is kept between calls, the variable calls: the same step gives "
     "another result; ",
     0},
    /* Of rows from the first to the last, each step gives the same. */
    {HEAD "static unsigned char last;\n" CELL
          "    unsigned char was = nb.x || nb.y ? last : 0;\n\n    last = nb.y % 3;\n"
          "    return was;\n}\n",
     "order",
     "bad.c:10: something static is kept between calls: rows in another order give another "
     "result; ",
     0},
    /* Nothing shows but that it is written. */
    {HEAD "static int deepest;\n" CELL
          "    if (COUNT8(LIVE) > deepest)\n        deepest = COUNT8(LIVE);\n"
          "    return AT(0, 0);\n}\n",
     "order", "bad.c:9: something static is kept between calls, the variable deepest: a step ", 0},
    {"#include <stdio.h>\n" HEAD CELL "    /* printf */\n    if (" RARE
     ")\n        printf(\"all\\n\");\n    return AT(0, 0);\n}\n",
     "calls", "bad.c:14: cell() calls printf: it may depend on nothing but", 0},
    {"#include <stdlib.h>\n" HEAD CELL "    return rand() < 5 ? LIVE : EMPTY;\n}\n", "calls",
     "bad.c:12: cell() calls rand", 0},
    {"#include <math.h>\n" HEAD CELL "    return expf(COUNT8(LIVE)) > 4 ? LIVE : EMPTY;\n}\n",
     "calls", "bad.c:12: cell() calls expf, whose last bit differs from one machine to another", 0},
    {HEAD CELL "    int n = COUNT8(HIGH);\n\n    return 6 / (n - 7) > 2;\n}\n", "states",
     "bad.c:13: the model's code divides by zero", 0},
    {HEAD CELL "    const volatile char *nowhere = 0;\n\n    if (" RARE
               ")\n        return *nowhere;\n    return AT(0, 0);\n}\n",
     "states", "bad.c:14: the model's code reaches memory that is not its own", 0},
    {HEAD CELL "    volatile int n = 0;\n\n    while (" RARE ")\n        n++;\n"
               "    return AT(0, 0);\n}\n",
     "states", "the model's code has not returned for 0.5 s: a loop that does not end", 0.5},
    {"#include <stdlib.h>\n" HEAD CELL "    if (" RARE ")\n        exit(0);\n    return 0;\n}\n",
     "states", "bad.c:10: the model's code ends the program", 0},
    {HEAD CELL "    return AT(-1, 0) == HIGH ? LIVE : AT(0, 0);\n}\n", "conserved",
     "bad.c:9: live is not conserved: ", 0},
    {HEAD "CA_START(high, \"high\")\n{\n    return nb.x + 5;\n}\n" CELL "    return AT(0, 0);\n}\n",
     "repeat", "bad.c:9: start high gives state 5", 0},
};

START_TEST(what_is_wrong_is_found)
{
    struct ca_model_check check = {.seed = test_seed(), .limit_s = 20, .report = take_finding};
    const struct ca_model_finding *finding;

    if (wrong[_i].limit_s > 0)
        check.limit_s = wrong[_i].limit_s;
    findings = 0;
    ck_assert_msg(ca_model_check(&check, test_put("bad.c", wrong[_i].text), &error) == CA_OK, "%s",
                  error.text);
    finding = finding_of(wrong[_i].property);
    must_hold(finding->result == CA_PROPERTY_BROKEN, "%s holds: %s", finding->property,
              finding->text);
    must_hold(strstr(finding->text, wrong[_i].says), "'%s' is not in '%s'", wrong[_i].says,
              finding->text);
    must_hold(!strstr(finding->text, test_folder()) || strcmp(finding->property, "conserved") == 0,
              "a folder in '%s'", finding->text);
    ck_assert_int_ge(check.broken, 1);
    ck_assert_int_eq(finding_of("declaration")->result, CA_PROPERTY_HOLDS);
}
END_TEST

/* What is declared to be conserved is named with its totals and a run that shows them. */
START_TEST(both_totals_are_named)
{
    struct ca_model_check check;
    double before, after;
    int generation;
    const char *at;

    ck_assert_int_eq(
        check_file(&check, test_put("bad.c", HEAD CELL "    return AT(0, 0) == LIVE && "
                                                       "nb.t == 3 && nb.x == 1 ? "
                                                       "EMPTY : AT(0, 0);\n}\n")),
        CA_OK);
    at = strstr(finding_of("conserved")->text, "live is not conserved: ");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at,
                            "live is not conserved: %lf at the start, %lf at generation %d; calab "
                            "run ",
                            &before, &after, &generation),
                     3);
    ck_assert(after < before);
    ck_assert_int_eq(generation, 4);
}
END_TEST

#define TABLE                                                                                      \
    INCLUDE "CA_MODEL(table, \"a table, no printf\")\n" TWO_STATES                                 \
            "CA_TABLE uint8_t next[10] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0};\n"                        \
            "CA_CELL cell(CA_NB nb)\n{\n    return next[COUNT8(LIVE)]; /* printf() */\n}\n"

static const char *const good[] = {
    HIGHLIFE("soup", ""),
    HIGHLIFE("soup", "#define CA_EDGE_X CA_DEAD\n"),
    HIGHLIFE("soup", "#define CA_EDGES CA_CONSTANT\n#define CA_BEYOND 1\n"),
    FOREST,
    REACTION,
    /* A start may call what cell() may not. */
    "#include <math.h>\n" HIGHLIFE(
        "soup", "") "CA_START(wave, \"a wave\")\n{\n    return sinf((float)nb.x) > 0;\n}\n",
    /* Tables and names that look like what is refused. */
    TABLE,
};

START_TEST(what_is_right_passes)
{
    struct ca_model_check check;

    ck_assert_msg(check_file(&check, test_put("good.c", good[_i])) == CA_OK, "%s", error.text);
    for (int i = 0; i < findings; i++)
        must_hold(found[i].result == CA_PROPERTY_HOLDS ||
                      (strchr(found[i].property, '-') && found[i].result == CA_PROPERTY_UNTRIED),
                  "%s: %s", found[i].property, found[i].text); /* backends of other machines */
    ck_assert_int_ge(check.tried, 8);
    ck_assert_int_eq(finding_of("threads")->result, CA_PROPERTY_HOLDS);
    ck_assert_ptr_nonnull(strstr(finding_of("neighbourhood")->text, "cell() reads"));
}
END_TEST

/* A radius that is larger than what is read is said. */
START_TEST(a_radius_may_be_smaller)
{
    struct ca_model_check check;

    ck_assert_int_eq(check_file(&check, test_put("wide.c", "#define CA_RADIUS 2\n" HEAD CELL
                                                           "    return AT(-1, 0);\n}\n")),
                     CA_OK);
    ck_assert_int_eq(check.broken, 0);
    ck_assert_ptr_nonnull(strstr(finding_of("neighbourhood")->text,
                                 "cell() reads 1 of 25 cells; what lies beyond changes nothing; a "
                                 "smaller CA_RADIUS would do"));
}
END_TEST

/* After a crash nothing else is tried, and it is said of each. */
START_TEST(nothing_is_tried_after_a_crash)
{
    struct ca_model_check check;

    ck_assert_int_eq(check_file(&check, test_put("bad.c", HEAD CELL "    return 6 / COUNT8(HIGH);"
                                                                    "\n}\n")),
                     CA_OK);
    ck_assert_int_eq(check.tried, 2);
    ck_assert_int_eq(check.broken, 1);
    ck_assert_int_ge(findings, 8);
    for (int i = 2; i < findings; i++)
        ck_assert_int_eq(found[i].result, CA_PROPERTY_UNTRIED);
}
END_TEST

/* A file that the program cannot even be loaded with. */
START_TEST(a_constructor_crashes)
{
    struct ca_model_check check;
    const char *path =
        test_put("bad.c", HEAD "__attribute__((constructor)) static void at_once(void)\n{\n"
                               "    *(volatile char *)8 = 1;\n}\n" CELL "    return 0;\n}\n");

    ck_assert_int_eq(check_file(&check, path), CA_WRONG);
    ck_assert_ptr_nonnull(strstr(error.text, "bad.c: the program ends where the file is loaded"));
    ck_assert_int_eq(findings, 0);
}
END_TEST

START_TEST(a_file_that_is_no_model_is_refused)
{
    struct ca_model_check check;

    ck_assert_int_eq(check_file(&check, test_put("no.c", "int main(void) { return 0; }\n")),
                     CA_COMPILE);
    ck_assert_ptr_nonnull(strstr(error.text, "no.c describes no model"));
    ck_assert_int_eq(check_file(&check, test_path("absent.c")), CA_USAGE);
    ck_assert_int_eq(check_file(&check, "life"), CA_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "calab verify life"));
}
END_TEST

static bool stop_it(void) { return false; }

START_TEST(a_check_is_stopped)
{
    struct ca_model_check check = {
        .seed = 1, .limit_s = 20, .report = take_finding, .go_on = stop_it};

    ck_assert_int_eq(ca_model_check(&check, test_put("good.c", FOREST), &error), CA_TIMEOUT);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = keep_in_folder,
                     .test = {both_totals_are_named, a_radius_may_be_smaller,
                              nothing_is_tried_after_a_crash, a_constructor_crashes,
                              a_file_that_is_no_model_is_refused, a_check_is_stopped},
                     .table = {{what_is_wrong_is_found, sizeof wrong / sizeof wrong[0]},
                               {what_is_right_passes, sizeof good / sizeof good[0]}});
}
