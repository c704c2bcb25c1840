/* SPDX-License-Identifier: MIT */
/*
 * Each allocation of the workbench, and each of its engine, fails in its turn, and each call that
 * reads or writes a file or the terminal (tests/stand_in/faults.c): a session is opened, steps and
 * is quit, or it ends with a message and its status; it neither crashes nor hangs, leaves the
 * terminal as it was, saves its settings and its state whole or not at all, and no other files. A
 * few are tried, drawn by the seed; all with CALAB_FAULTS=all, the n-th of each alone with
 * CALAB_FAULTS=n, and with CALAB_FAULTS=all:files those of one kind.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/injected.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/user.h"

#define TRIED (SANITIZED ? 3 : 5)

/* What fails, and the process that is meant, by its first argument. */
static const struct {
    const char *kind, *process;
} faults[] = {{"memory", "anneal"}, {"memory", "engine"}, {"files", "anneal"}, {"files", "engine"}};

static int failures;

/* Failures are told as they come and counted, so that one does not hide the others. */
static void expect(bool good, int i, uint64_t n, const char *what, const char *said)
{
    if (good)
        return;
    failures++;
    fprintf(stderr, "%s:%llu of %s: %s\n%s\n", faults[i].kind, (unsigned long long)n,
            faults[i].process, what, said);
}

static struct screen *start(int i, uint64_t n)
{
    static char variable[4][700];
    struct screen_options options = {.arguments = {"anneal", "-s", "40x30", "-b", "reference"}};

    faults_load(variable[0], sizeof variable[0]);
    snprintf(variable[1], sizeof variable[1], "CALAB_FAULT_COUNTS=%s", test_path("counts"));
    snprintf(variable[2], sizeof variable[2], "CALAB_FAULT=%s:%llu", faults[i].kind,
             (unsigned long long)n);
    snprintf(variable[3], sizeof variable[3], "CALAB_FAULT_PROCESS=%s", faults[i].process);
    for (int v = 0; v < 4; v++)
        options.environment[v] = variable[v];
    return screen_start(&options);
}

/* Presses keys until the session has ended, up to the deadline; whether it has. */
static bool session_ends(struct screen *screen)
{
    double end = seconds_now() + DEADLINE_S;

    for (int i = 0; i < 40 && screen_is_alive(screen) && shown_generation(screen) < 0; i++)
        screen_listen(screen, 0.025);
    screen_send(screen, ".");
    for (int i = 0; i < 40 && screen_is_alive(screen) && shown_generation(screen) < 1; i++)
        screen_listen(screen, 0.025);
    while (screen_is_alive(screen) && seconds_now() < end) {
        screen_send(screen, "\033q"); /* whatever is open */
        screen_listen(screen, 0.1);
    }
    return !screen_is_alive(screen);
}

/* Runs a command of the shell in the test's folder; whether it succeeds. */
static bool succeeds(const char *command)
{
    char whole[1000];

    snprintf(whole, sizeof whole, "cd %s && { %s; }", test_folder(), command);
    return system(whole) == 0;
}

/* Keeps what a session without failures leaves, with which each of the others begins. */
static uint64_t count_all(int i)
{
    struct screen *screen = start(i, 0);
    uint64_t count[3]; /* memory, files, walls */
    size_t bytes;
    char *counts;

    expect_generation(screen, 0);
    ck_assert(session_ends(screen));
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
    ck_assert(succeeds("[ -s state/calab/anneal.h5 ] && mkdir kept && mv config state kept"));
    counts = test_read(test_path("counts"), &bytes);
    ck_assert_uint_eq(bytes, sizeof count);
    memcpy(count, counts, bytes);
    return count[strcmp(faults[i].kind, "files") == 0];
}

/* None is kept of a session that ends where it began. */
static bool state_is_whole(void)
{
    const char *file = test_path("state/calab/anneal.h5");
    struct outcome o;
    bool whole;

    if (access(file, F_OK) != 0)
        return true;
    o = calab("run -c %s -n 0 -q", file);
    whole = o.status == 0;

    if (!whole)
        fprintf(stderr, "%s\n", o.err);
    return whole;
}

static void try_one(int i, uint64_t n)
{
    const bool memory = strcmp(faults[i].kind, "memory") == 0;
    struct screen *screen;
    const char *said;
    size_t count;
    bool ended;
    int status;

    ck_assert(succeeds("rm -rf config state && cp -a kept/. ."));
    screen = start(i, n);
    ended = session_ends(screen);
    expect(ended, i, n, "it does not end", screen_text(screen));
    status = ended ? screen_end(screen) : 0;
    said = screen_bytes(screen, &count);
    expect(WIFEXITED(status) && WEXITSTATUS(status) <= CA_NO_MEMORY, i, n, "it crashes", said);
    /* Curses has a message of its own; of the other kind it may be the message that is lost. */
    expect(status == 0 || !memory || strstr(said, "calab: ") || strstr(said, "Out of memory"), i, n,
           "there is no message", said);
    expect(!ended || screen_modes_as_before(screen), i, n, "the terminal is not as it was", "");
    screen_close(screen);
    expect(succeeds("diff -r -x '*.log' -x '*.h5' kept/config config && "
                    "diff -r -x '*.log' -x '*.h5' kept/state state"),
           i, n, "settings are neither old nor new, or there are other files", "");
    expect(state_is_whole(), i, n, "the state is not whole", "");
}

START_TEST(one_by_one)
{
    const char *all = getenv("CALAB_FAULTS"), *of = all ? strchr(all, ':') : NULL;
    uint64_t random = test_seed() + (uint64_t)_i, count;

    if ((strcmp(faults[_i].kind, "files") == 0 && faults_are_linked()) ||
        (of && strcmp(faults[_i].kind, of + 1) != 0))
        return;
    count = count_all(_i);
    ck_assert_uint_gt(count, 0);
    for (uint64_t n = 1; n <= count; n++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (all && *all ? strncmp(all, "all", 3) == 0 || strtoull(all, NULL, 10) == n
                        : (random >> 33) % count < TRIED)
            try_one(_i, n);
    }
    ck_assert_msg(failures == 0, "%s of %s: %d failures, told above", faults[_i].kind,
                  faults[_i].process, failures);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.timeout_s = 3600,
                     .table = {{faults_exist() ? one_by_one : NULL, COUNT(faults)}});
}
