/* SPDX-License-Identifier: MIT */
/* calab emulate on whole programs: what it finds in some of tests/emulated, and how those end that
 * do not compile, crash, take too much memory or never end. `make emulated-check` runs all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/program.h"
#include "tests/support.h"

/* A kind of fault each, and right programs that are near one. */
static const char *const programs[] = {
    "blocks_race",      "reduction_race",    "reduction_shared", "atomic_block",
    "device_unwritten", "bounds_above",      "constant_written", "misaligned",
    "free_twice",       "barrier_divergent", "managed_early",    "life_ghosts",
};

/* The whole of what a shell says; malloc'd. */
static char *shell(const char *command, int *status)
{
    char text[4096] = "";
    size_t used = 0;
    FILE *out = popen(command, "r");

    ck_assert_ptr_nonnull(out);
    while (used < sizeof text - 1 && !feof(out))
        used += fread(text + used, 1, sizeof text - 1 - used, out);
    *status = pclose(out);
    return strdup(text);
}

START_TEST(program)
{
    char command[1024], *said;
    int status;

    snprintf(command, sizeof command,
             "sh '%s' \"$CALAB emulate --limit 50\" \"$CALAB_SOURCE/tests/emulated/%s.cu\" 2>&1",
             test_source("tests/emulated/check"), programs[_i]);
    said = shell(command, &status);
    ck_assert_msg(status == 0, "%s", said);
    ck_assert_contains(said, "1 programs, 0 of them");
    free(said);
}
END_TEST

static struct outcome emulates(const char *variable, const char *arguments)
{
    static char value[64];
    const char *const variables[] = {value, NULL};
    const struct surroundings s = {.variable = variables};

    snprintf(value, sizeof value, "%s", variable);
    return calab_in(&s, "emulate %s", arguments);
}

static const struct {
    const char *variable, *arguments;
    int status;
    const char *says, *too;
} endings[] = {
    {"CXX=/no/such/compiler", "tests/emulated/print.cu", 4, "/no/such/compiler", ""},
    {"", "tests/random_keys.c", 4, "random_keys.c does not compile", ""},
    {"", "no/such.cu", 8, "no/such.cu", "No such file"},
    {"", "--limit 1 tests/emulated/endless.cu", 6, "endless.cu:7", "limit"},
    {"", "tests/emulated/host_crash.cu", 139, "Segmentation fault", ""},
    {"", "--count tests/emulated/transpose_tiled.cu", 0, "sectors", "occupancy"},
    {"", "--count --plain tests/emulated/print.cu", 2, "--count", "--plain"},
    {"", "--cc 1.0 tests/emulated/print.cu", 2, "'1.0'", "9.0"},
    {"", "--order sideways tests/emulated/print.cu", 2, "'sideways'", "random"},
};

START_TEST(ending)
{
    struct outcome o = emulates(endings[_i].variable, endings[_i].arguments);

    ck_assert_msg(o.status == endings[_i].status, "emulate %s: status %d: %s",
                  endings[_i].arguments, o.status, o.err);
    if (!strstr(o.err, endings[_i].says) && !strstr(o.out, endings[_i].says))
        ck_abort_msg("emulate %s: %s%s", endings[_i].arguments, o.out, o.err);
    if (!strstr(o.err, endings[_i].too) && !strstr(o.out, endings[_i].too))
        ck_abort_msg("emulate %s: %s%s", endings[_i].arguments, o.out, o.err);
    outcome_free(&o);
}
END_TEST

START_TEST(too_much_memory)
{
    struct outcome o = emulates("", "tests/emulated/memory_100_gb.cu");

    ck_assert_msg(o.status == 0 || o.status == 1, "status %d: %s", o.status, o.err);
    ck_assert_contains(o.out, "memory");
    outcome_free(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("emulate programs");
    TCase *tests = tcase_create("emulate programs");

    tcase_add_loop_test(tests, program, 0, sizeof programs / sizeof programs[0]);
    tcase_add_loop_test(tests, ending, 0, sizeof endings / sizeof endings[0]);
    tcase_add_test(tests, too_much_memory);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
