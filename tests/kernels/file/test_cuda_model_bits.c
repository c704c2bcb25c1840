/* SPDX-License-Identifier: MIT */
/*
 * Models in files of two states and nine cells by life's bit-sliced kernels, on CUDA on the CPU:
 * rules that are compiled in, go by counts, by Hensel's letters and by direction, beside
 * `reference`, cell for cell, with both kinds of edges, as a whole, in slabs and on two GPUs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/simulation.h"
#include "tests/kernels/file/rules.h"
#include "tests/support/program.h"

static struct ca_error error;

#define CLOSED ""
#define OPEN "#define CA_EDGES CA_DEAD\n"
#define RULE_OF(name, edges, body)                                                                 \
    edges INCLUDE "CA_MODEL(" name ", \"a rule\")\n" TWO_STATES                                    \
                  "CA_COUNT(live, LIVE, \"live cells\")\n"                                         \
                  "CA_PARAM(share, 0.4, 0, 1, \"of live cells\")\n"                                \
                  "CA_RANDOM_START(random, \"a share\", SHARE_OF(LIVE, share))\n"                  \
                  "CA_CELL cell(CA_NB nb)\n{\n" body "}\n"

#define VOTE(edges)                                                                                \
    RULE_OF("vote", edges,                                                                         \
            "    int n = COUNT8(LIVE) + (AT(0, 0) == LIVE);\n\n"                                   \
            "    return n == 4 || n > 5 ? LIVE : EMPTY;\n")
#define BRANCHES(edges)                                                                            \
    RULE_OF("branches", edges,                                                                     \
            "    int n = COUNT8(LIVE);\n\n"                                                        \
            "    if (AT(0, 0) == LIVE) {\n"                                                        \
            "        if (n < 2)\n            return EMPTY;\n"                                      \
            "        if (n > 3)\n            return EMPTY;\n"                                      \
            "        return LIVE;\n    }\n"                                                        \
            "    return n == 3 ? LIVE : EMPTY;\n")
/* B0 and counts that no logic is compiled in for. */
#define COUNTS(edges)                                                                              \
    RULE_OF("counts", edges,                                                                       \
            "    int n = COUNT8(LIVE);\n\n"                                                        \
            "    return AT(0, 0) == LIVE ? n % 3 == 1 : n % 4 == 0;\n")
/* Two live neighbours count unless they share a corner: B2-a/S12. */
#define LETTERS(edges)                                                                             \
    RULE_OF("letters", edges,                                                                      \
            "    int n = COUNT8(LIVE);\n"                                                          \
            "    int beside = (AT(-1, -1) & AT(0, -1)) | (AT(0, -1) & AT(1, -1)) |\n"              \
            "                 (AT(1, -1) & AT(1, 0)) | (AT(1, 0) & AT(1, 1)) |\n"                  \
            "                 (AT(1, 1) & AT(0, 1)) | (AT(0, 1) & AT(-1, 1)) |\n"                  \
            "                 (AT(-1, 1) & AT(-1, 0)) | (AT(-1, 0) & AT(-1, -1));\n\n"             \
            "    return AT(0, 0) == LIVE ? n == 1 || n == 2 : n == 2 && !beside;\n")
#define DIRECTIONS(edges)                                                                          \
    RULE_OF("directions", edges,                                                                   \
            "    if (AT(-1, -1) && !AT(1, 0))\n        return AT(0, 1) ^ AT(1, -1);\n"             \
            "    return SUM9() >= 3 ? AT(-1, 1) : !AT(0, -1);\n")

static const struct {
    const char *text;
    bool torus;
    const char *logic; /* what a plan says of it */
} models[] = {
    {VOTE(CLOSED), true, ""},
    {VOTE(OPEN), false, ""},
    {BRANCHES(CLOSED), true, ""},
    {BRANCHES(OPEN), false, ""},
    {COUNTS(CLOSED), true, ", by a table"},
    {COUNTS(OPEN), false, ", by a table"},
    {LETTERS(CLOSED), true, ", by a table"},
    {LETTERS(OPEN), false, ", by a table"},
    {DIRECTIONS(CLOSED), true, ", by a table"},
    {DIRECTIONS(OPEN), false, ", by a table"},
};
static const char *const backends[] = {"cuda-bitslice", "cuda-temporal", "cuda-overlapped"};

/* Rows that end within a word, a group and a segment, and few rows; options as life's rungs have
 * them. */
static const struct {
    const char *backend, *size, *settings;
} cases[] = {
    {"cuda-bitslice", "128x5", ""},
    {"cuda-bitslice", "301x67", "rows=4"},
    {"cuda-bitslice", "5x3", "rows=8"},
    {"cuda-bitslice", "1x40", ""},
    {"cuda-temporal", "384x40", "generations=3 still=off"},
    {"cuda-temporal", "301x67", "generations=2 still=on"},
    {"cuda-temporal", "3839x12", "generations=4 rows=16"},
    {"cuda-temporal", "65x1", ""},
    {"cuda-overlapped", "384x40", ""},
    {"cuda-overlapped", "301x67", "generations=5 rows=2"},
    {"cuda-overlapped", "4100x9", "generations=3"},
    {"cuda-overlapped", "2x3", ""},
};

static void set(struct ca_experiment *experiment, const char *settings)
{
    char text[100], *rest = text, *item;

    snprintf(text, sizeof text, "%s", settings);
    while ((item = strsep(&rest, " ")) != NULL) {
        char *value = strchr(item, '=');

        if (!value)
            continue;
        *value++ = '\0';
        ck_assert_ok(
            ca_experiment_value(experiment, item, value, CA_FROM_COMMAND_LINE, "test", &error));
    }
}

START_TEST(steps_are_those_of_the_reference)
{
    static const uint64_t calls[] = {1, 3, 8, 5, 0};
    const struct ca_model *model = opened(models[_i].text);

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ca_experiment experiment = experiment_of(model, cases[i].backend, cases[i].size);

        set(&experiment, cases[i].settings);
        kernel_check_same(&experiment, calls);
    }
}
END_TEST

START_TEST(slabs_and_rows_are_the_reference)
{
    const struct ca_model *model = opened(models[_i].text);

    for (size_t b = 0; b < COUNT(backends); b++) {
        struct ca_experiment experiment = experiment_of(model, backends[b], "301x66");

        kernel_check_slabs(&experiment, 6, models[_i].torus, 3);
        kernel_check_rows(&experiment);
    }
}
END_TEST

/* A rule that is compiled in is found by its table; others are looked up. */
START_TEST(logic_is_that_of_the_table)
{
    const struct ca_model *model = opened(models[_i].text);

    for (int b = 0; b < 3; b++) {
        struct ca_experiment experiment = experiment_of(model, backends[b], "301x66");
        struct kernel kernel;
        struct ca_plan plan;

        kernel_open(&kernel, &experiment);
        kernel.backend->stepper->report(kernel.self, &plan);
        if (models[_i].logic[0])
            ck_assert_contains(plan.variant, models[_i].logic);
        else
            ck_assert_ptr_null(strstr(plan.variant, ", by"));
        kernel_close(&kernel);
    }
}
END_TEST

/* Its own circuit, which the emulator compiles here: of counts, and of nine cells. */
START_TEST(own_circuits_are_the_reference)
{
    static const uint64_t calls[] = {1, 7, 0};
    const struct ca_model *model = opened(_i ? DIRECTIONS(OPEN) : COUNTS(CLOSED));

    for (int b = 0; b < 3; b++) {
        struct ca_experiment experiment = experiment_of(model, backends[b], "301x40");

        set(&experiment, b ? "logic=circuit generations=3" : "logic=circuit");
        kernel_check_same(&experiment, calls);
    }
}
END_TEST

/* --- parameters and starts -------------------------------------------------------------------- */

struct seen {
    uint64_t hash[2]; /* of the start, and after some generations */
    double values[CA_OBSERVABLES_MAX];
};

static struct seen seen_of(struct ca_experiment *experiment, const char *settings)
{
    struct ca_simulation *simulation;
    struct seen seen = {{0}, {0}};

    set(experiment, settings);
    ck_assert_ok(ca_simulation_open(&simulation, experiment, &error));
    ck_assert_ok(ca_simulation_hash(simulation, &seen.hash[0], &error));
    ck_assert_ok(ca_simulation_step(simulation, 9, &error));
    ck_assert_ok(ca_simulation_hash(simulation, &seen.hash[1], &error));
    ck_assert_ok(ca_simulation_observe(simulation, seen.values, &error));
    ca_simulation_close(simulation);
    return seen;
}

/* Each setting gives what the reference sees, and, if they are `apart`, another hash than the one
 * before. */
static void expect_seen(const struct ca_model *model, const char *backend,
                        const char *const settings[], size_t count, bool apart)
{
    uint64_t before = 0;

    for (size_t i = 0; i < count; i++) {
        struct ca_experiment reference = experiment_of(model, "reference", "150x37");
        struct ca_experiment experiment = experiment_of(model, backend, "150x37");
        struct seen expected = seen_of(&reference, settings[i]);
        struct seen got = seen_of(&experiment, settings[i]);

        ck_assert_mem_eq(&got, &expected, sizeof got);
        if (apart)
            ck_assert_uint_ne(got.hash[1], before);
        before = got.hash[1];
    }
}

/* The function is evaluated anew for other parameters; a start of a function is made by the host,
 * what is observed by the GPU. */
START_TEST(tables_are_of_the_parameters)
{
    static const char *const settings[] = {"least=0", "least=3", "least=6", "least=9"};

    expect_seen(opened(SLANTED), backends[_i], settings, COUNT(settings), true);
}
END_TEST

/* A random start is made on the GPU, cell by cell as the host does. */
START_TEST(random_starts_are_those_of_the_host)
{
    static const char *const settings[] = {"share=0", "share=0.37", "share=1"};

    expect_seen(opened(VOTE(CLOSED)), backends[_i], settings, COUNT(settings), false);
}
END_TEST

/* The words of the CPU's bit slices, with file and line where a crash has them. */
static const struct {
    const char *statement, *says;
} refused[] = {
    {"return AT(0, 0) + AT(1, 1);", "which bit slices cannot have: the backend reference says"},
    {"if (COUNT8(LIVE) == 8)\n        __builtin_trap();\n    return 0;",
     ".c:11: the model's code does what C does not define (a trap)"},
};

START_TEST(wrong_functions_are_refused)
{
    const struct ca_model *model =
        opened(test_text(RULE_OF("wrong", CLOSED, "    %s\n"), refused[_i].statement));

    for (size_t b = 0; b < COUNT(backends); b++) {
        struct ca_experiment experiment = experiment_of(model, backends[b], "40x40");
        struct ca_simulation *simulation;

        ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_USAGE);
        ck_assert_contains(error.text, refused[_i].says);
    }
}
END_TEST

/* --- the program ------------------------------------------------------------------------------ */

static void hash_of(char hash[20], const char *command)
{
    static const char *const variables[] = {"CALAB_EMULATED_DEVICES=2", NULL};
    const struct surroundings here = {.variable = variables};
    struct outcome o = calab_in(&here, command);
    const char *at = strstr(o.out, "hash: ");

    ck_assert_msg(o.status == 0 && at, "%s: status %d\n%s%s", command, o.status, o.out, o.err);
    snprintf(hash, 20, "%.16s", at + 6);
}

START_TEST(two_devices_are_one)
{
    static const char *const options[] = {"", "--devices 0,1", "--ranks 2"};
    const char *path = test_put("pair.c", _i % 2 ? LETTERS(OPEN) : VOTE(CLOSED));
    char expected[20], got[20];

    hash_of(expected, test_text("run %s -b threads -s 257x96 -n 11 -q", path));
    for (size_t i = 0; i < COUNT(options); i++) {
        hash_of(got, test_text("run %s -b %s -s 257x96 -n 11 -q %s", path, backends[_i / 2],
                               options[i]));
        ck_assert_str_eq(got, expected);
    }
}
END_TEST

/* Edges, orders and sizes of the program's own choice; lists and tuning know the options. */
START_TEST(the_program_knows_them)
{
    const char *path = test_put("listed.c", LETTERS(OPEN));
    struct outcome o;

    o = calab_good("verify %s -b cuda-*l* --small --cases 12", path);
    ck_assert_contains(o.out, "cuda-bitslice", "cuda-temporal", "cuda-overlapped");
    o = calab_good("list %s -s 300x200", path);
    ck_assert_contains(o.out, "cuda-bitslice", "cuda-temporal", "cuda-overlapped", "by a table");
    o = calab_good("bench %s -b cuda-overlapped -s 300x200 --time 0.01 --check 3", path);
    ck_assert_contains(o.out, "cuda-overlapped");
    calab_fails(CA_USAGE, "cuda-temporal takes 2 to 4 generations a pass",
                "run %s -b cuda-temporal -s 300x200 -n 1 --set generations=7", path);
    calab_fails(CA_USAGE, "cuda-bitslice has no source of its own",
                "model show %s -b cuda-bitslice", path);
}
END_TEST

static void keep_in_folder(void) { setenv("XDG_CACHE_HOME", test_folder(), 1); }

int main(void)
{
    return RUN_TESTS(.timeout_s = 300, .setup = keep_in_folder, .test = {the_program_knows_them},
                     .table = {{steps_are_those_of_the_reference, COUNT(models)},
                               {slabs_and_rows_are_the_reference, COUNT(models)},
                               {logic_is_that_of_the_table, COUNT(models)},
                               {own_circuits_are_the_reference, 2},
                               {tables_are_of_the_parameters, COUNT(backends)},
                               {random_starts_are_those_of_the_host, COUNT(backends)},
                               {wrong_functions_are_refused, COUNT(refused)},
                               {two_devices_are_one, 2 * COUNT(backends)}});
}
