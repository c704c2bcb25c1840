/* SPDX-License-Identifier: MIT */
/*
 * Each allocation of the workbench, and each of its engine, fails in its turn: a session is opened,
 * steps and is quit, or it ends with a message and its status; it neither crashes nor hangs, and
 * leaves the terminal as it was. A few are tried, drawn by the seed; CALAB_FAULTS=all tries
 * ALL of them, evenly.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/injected.h"
#include "tests/support.h"
#include "tests/user.h"

#define TRIED (SANITIZED ? 3 : 8)
#define ALL 400 /* of a session's allocations, which are many thousands */

/* The process that is meant, by its first argument. */
static const char *const processes[] = {"anneal", "engine"};

static struct screen *start(int i, uint64_t n)
{
    static char variable[4][700];
    struct screen_options options = {.arguments = {"anneal", "-s", "40x30", "-b", "reference"}};

    faults_load(variable[0], sizeof variable[0]);
    snprintf(variable[1], sizeof variable[1], "CALAB_FAULT_COUNTS=%s", test_path("counts"));
    snprintf(variable[2], sizeof variable[2], "CALAB_FAULT=memory:%llu", (unsigned long long)n);
    snprintf(variable[3], sizeof variable[3], "CALAB_FAULT_PROCESS=%s", processes[i]);
    for (int v = 0; v < 4; v++)
        options.environment[v] = variable[v];
    return screen_start(&options);
}

/* Presses keys until the session has ended, up to the deadline. */
static int session(struct screen *screen, uint64_t n)
{
    double end = seconds_now() + DEADLINE_S;
    int status;

    for (int i = 0; i < 20 && screen_is_alive(screen) && shown_generation(screen) < 0; i++)
        screen_listen(screen, 0.05);
    screen_send(screen, ".");
    for (int i = 0; i < 20 && screen_is_alive(screen) && shown_generation(screen) < 1; i++)
        screen_listen(screen, 0.05);
    while (screen_is_alive(screen) && seconds_now() < end) {
        screen_send(screen, "\033q"); /* whatever is open */
        screen_listen(screen, 0.2);
    }
    ck_assert_msg(!screen_is_alive(screen), "memory:%llu: it does not end:\n%s",
                  (unsigned long long)n, screen_text(screen));
    status = screen_end(screen);
    ck_assert_msg(screen_modes_as_before(screen), "memory:%llu: the terminal is not as it was",
                  (unsigned long long)n);
    return status;
}

static uint64_t count_all(int i)
{
    struct screen *screen = start(i, 0);
    uint64_t count;
    size_t bytes;
    char *counts;

    expect_generation(screen, 0);
    ck_assert_int_eq(session(screen, 0), 0);
    screen_close(screen);
    counts = test_read(test_path("counts"), &bytes);
    ck_assert_uint_eq(bytes, 16);
    memcpy(&count, counts, 8);
    free(counts);
    return count;
}

static void try_one(int i, uint64_t n)
{
    struct screen *screen = start(i, n);
    int status = session(screen, n);
    const char *said;
    size_t count;

    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) <= CA_NO_MEMORY,
                  "memory:%llu of %s: wait status %x:\n%s", (unsigned long long)n, processes[i],
                  status, screen_bytes(screen, &count));
    said = screen_bytes(screen, &count); /* curses has a message of its own */
    ck_assert_msg(status == 0 || strstr(said, "calab: ") || strstr(said, "Out of memory"),
                  "memory:%llu of %s: no message", (unsigned long long)n, processes[i]);
    screen_close(screen);
}

START_TEST(one_by_one)
{
    const char *all = getenv("CALAB_FAULTS");
    bool many = all && strcmp(all, "all") == 0;
    uint64_t random = test_seed() + (uint64_t)_i, count = count_all(_i);

    ck_assert_uint_gt(count, 0);
    for (uint64_t t = 0; t < (uint64_t)(many ? ALL : TRIED); t++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        try_one(_i, many ? 1 + t * count / ALL : 1 + (random >> 33) % count);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults_workbench");
    TCase *tests = tcase_create("faults_workbench");

    tcase_set_timeout(tests, 3600);
    if (faults_exist())
        tcase_add_loop_test(tests, one_by_one, 0, COUNT(processes));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
