/* SPDX-License-Identifier: MIT */
/*
 * Whether CUDA on the CPU (core/emulator/runtime/) computes what CUDA would, in every order of
 * threads, and notices what it has to notice. Each fixture runs in a process of its own under an
 * environment of its own, because a fault ends it.
 */
#include "tests/core/emulator/fixtures/fixture.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/support.h"

/* What a fixture told on its standard error and by coming back, or how it ended. */
struct outcome {
    bool ended; /* the process, by itself */
    char text[65536];
};

/* The child: settings NAME=VALUE, separated by blanks, then the fixture. */
static void child(const char *fixture, const char *settings, int out)
{
    char copy[256], *rest = copy, *one;
    const char *told;

    snprintf(copy, sizeof copy, "%s", settings);
    while ((one = strsep(&rest, " ")))
        if (*one)
            putenv(one);
    dup2(out, STDERR_FILENO);
    told = fixture_run(fixture);
    dprintf(out, "%s", told ? told : "fine");
    _exit(0);
}

static const struct outcome *emulated_run(const char *fixture, const char *settings)
{
    static struct outcome outcome;
    size_t count = 0;
    ssize_t more;
    int ends[2], status;
    pid_t pid;

    ck_assert_int_eq(pipe(ends), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        child(fixture, settings, ends[1]);
    close(ends[1]);
    while ((more = read(ends[0], outcome.text + count, sizeof outcome.text - 1 - count)) > 0)
        count += (size_t)more;
    close(ends[0]);
    outcome.text[count] = '\0';
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    outcome.ended = !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return &outcome;
}

/* A fixture that comes back with a text, under some settings. */
static void expect_told(const char *fixture, const char *settings, const char *told)
{
    const struct outcome *outcome = emulated_run(fixture, settings);

    ck_assert_msg(!outcome->ended && strcmp(outcome->text, told) == 0,
                  "%s under '%s' should tell '%s', and %s '%s'", fixture, settings, told,
                  outcome->ended ? "ended with" : "told", outcome->text);
}

/* --- what is right ---------------------------------------------------------------------------- */

static const char *const orders[] = {"CALAB_EMULATED_ORDER=forward", "CALAB_EMULATED_ORDER=reverse",
                                     "CALAB_EMULATED_ORDER=random:1",
                                     "CALAB_EMULATED_ORDER=random:2"};

static const char *const right[] = {
    "indices",   "sum",           "poison", "large-shared", "votes",     "shuffles",
    "bits",      "atomics",       "copies", "symbols",      "limits",    "clocks",
    "queue",     "copies-wait",   "trap",   "clusters",     "occupancy", "occupancy-registers",
    "mbarriers", "cluster-limits"};

START_TEST(right_in_every_order)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        expect_told(right[_i], orders[i], "fine");
}
END_TEST

/* 10 blocks of 50 threads leave their number: the last one's is told. */
START_TEST(orders_differ)
{
    char first[8];

    expect_told("order", "CALAB_EMULATED_ORDER=forward", "499");
    expect_told("order", "CALAB_EMULATED_ORDER=reverse", "0");
    snprintf(first, sizeof first, "%.7s",
             emulated_run("order", "CALAB_EMULATED_ORDER=random:1")->text);
    expect_told("order", "CALAB_EMULATED_ORDER=random:1", first);
    for (int seed = 2; seed < 12; seed++) {
        char settings[64];

        snprintf(settings, sizeof settings, "CALAB_EMULATED_ORDER=random:%d", seed);
        if (strcmp(emulated_run("order", settings)->text, first) != 0)
            return;
    }
    ck_abort_msg("eleven seeds give the same order, with %s last", first);
}
END_TEST

/* A missing barrier shows as a wrong result in one of two orders. */
START_TEST(order_shows_race)
{
    expect_told("race", "CALAB_EMULATED_ORDER=forward", "fine");
    ck_assert_contains(emulated_run("race", "CALAB_EMULATED_ORDER=reverse")->text,
                       "out[i] == i - 1");
}
END_TEST

static const struct {
    const char *fixture, *settings, *told;
} modified[] = {
    {"memory", "CALAB_EMULATED_MEMORY=1000", "fine"},
    {"devices", "CALAB_EMULATED_DEVICES=2", "fine"},
    {"fails", "CALAB_EMULATED_FAIL=cudaMalloc:2,cudaMemset:1:46", "fine"},
    {"lost", "CALAB_EMULATED_LOST=2", "fine"},
    {"first-call", "", "cudaSuccess"},
    {"first-call", "CALAB_EMULATED_DEVICES=0", "cudaErrorNoDevice"},
    {"first-call", "CALAB_EMULATED_DRIVER=12080", "cudaErrorInsufficientDriver"},
    {"first-call", "CALAB_EMULATED_DRIVER=0", "cudaErrorInsufficientDriver"},
    {"first-call", "CALAB_EMULATED_DRIVER=14000", "cudaSuccess"},
};

START_TEST(environment_steers)
{
    expect_told(modified[_i].fixture, modified[_i].settings, modified[_i].told);
}
END_TEST

/* --- what is wrong ---------------------------------------------------------------------------- */

static const struct {
    const char *fixture, *settings;
    const char *says[4]; /* all of them */
} faults[] = {
    {"global-over", "", {"heap-buffer-overflow", "WRITE of size 4", "in write_at"}},
    {"global-under", "", {"heap-buffer-overflow", "in write_at"}},
    {"freed", "", {"heap-use-after-free", "in write_at"}},
    {"host-reads", "", {"use-after-poison", "in host_reads"}},
    {"other-device", "CALAB_EMULATED_DEVICES=2", {"use-after-poison", "in write_at"}},
    {"shared-over", "", {"heap-buffer-overflow", "in shared_kernel"}},
    {"shared-under", "", {"heap-buffer-overflow", "in shared_kernel"}},
    {"dynamic-over", "", {"heap-buffer-overflow", "in shared_kernel"}},
    {"dynamic-under", "", {"heap-buffer-overflow", "in shared_kernel"}},
    {"row-over", "", {"index 8 out of bounds"}},
    {"misaligned", "", {"misaligned address", "requires 16 byte alignment"}},
    {"much-shared",
     "",
     {"kernel much_kernel", "49153 bytes of shared memory", "49152 are allowed"}},
    {"early", "", {"kernel early_kernel", "waits for it nowhere", "cudaGridDependencySynchronize"}},
    {"stack", "", {"stack-overflow", "in deep"}},
    {"ended",
     "",
     {"kernel wait_kernel, block (0,0,0) of 64x1x1 threads: a barrier that not all threads of the "
      "block reach",
      "63 __syncthreads at tests/core/emulator/fixtures/fixture_faults.cu:",
      "1 ended, the first is (37,0,0)"}},
    {"ended", "CALAB_EMULATED_ORDER=reverse", {"block (1,0,0)", "1 ended, the first is (37,0,0)"}},
    {"ended", "CALAB_EMULATED_ORDER=random:5", {"1 ended, the first is (37,0,0)"}},
    {"other-barrier", "", {"a barrier that not all", "63 __syncthreads", "1 __syncthreads at"}},
    {"barrier-and-warp", "", {"a barrier that not all", "32 ended", "32 __syncthreads at"}},
    {"lane-ended",
     "",
     {"a warp operation whose mask names lanes that do not come",
      "31 __shfl_sync of lanes 0xffffffff at tests/core/emulator/fixtures/fixture_faults.cu:",
      "33 ended"}},
    {"lane-at-barrier", "", {"a warp operation", "33 __syncthreads", "31 __ballot_sync"}},
    {"other-mask", "", {"31 __any_sync of lanes 0xffffffff", "1 __any_sync of lanes 0x00000021"}},
    {"not-in-mask", "", {"lane 5 is not in its mask 0x00000001"}},
    {"not-reached",
     "",
     {"block (1,0,0) of 32x1x1 threads: a barrier that not all threads of the cluster reach",
      "63 __cluster_barrier_wait at tests/core/emulator/fixtures/fixture_cluster.cu:",
      "1 ended, the first is (7,0,0) of block 1 of the cluster"}},
    {"not-reached",
     "CALAB_EMULATED_ORDER=reverse",
     {"that not all threads of the cluster reach", "1 ended, the first is (7,0,0) of block 1"}},
    {"arrived-twice", "", {"a thread arrives a second time and did not wait"}},
    {"not-arrived", "", {"a thread waits that did not arrive"}},
    {"other-ended", "CALAB_EMULATED_ORDER=reverse", {"of block 1 of the cluster, which has ended"}},
    {"no-such-block", "", {"block 2 of a cluster of 2"}},
    {"other-over", "", {"heap-buffer-overflow", "in fault_kernel"}},
    {"not-opened", "", {"an mbarrier that was not initialized"}},
    {"bytes-lost",
     "",
     {"bytes of an mbarrier's phase that do not arrive, or not all of them",
      "64 mbarrier at tests/core/emulator/fixtures/fixture_cluster.cu:"}},
    {"indices",
     "CALAB_EMULATED_ORDER=sideways",
     {"CALAB_EMULATED_ORDER is 'sideways'", "forward, reverse, random:SEED"}},
    {"indices",
     "CALAB_EMULATED_FAIL=cudaMalloc",
     {"CALAB_EMULATED_FAIL is 'cudaMalloc'", "CALL:N"}},
};

START_TEST(fault_is_noticed)
{
    const struct outcome *outcome = emulated_run(faults[_i].fixture, faults[_i].settings);

    ck_assert_msg(outcome->ended, "%s came back: %s", faults[_i].fixture, outcome->text);
    for (int i = 0; i < 4 && faults[_i].says[i]; i++)
        ck_assert_contains(outcome->text, faults[_i].says[i]);
}
END_TEST

int main(void)
{
    static const char *const settings[] = {"CALAB_EMULATED_ORDER",  "CALAB_EMULATED_DEVICES",
                                           "CALAB_EMULATED_DRIVER", "CALAB_EMULATED_MEMORY",
                                           "CALAB_EMULATED_SHARED", "CALAB_EMULATED_FAIL",
                                           "CALAB_EMULATED_LOST",   "CALAB_EMULATED_CLUSTER"};

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        unsetenv(settings[i]);
    return RUN_TESTS(.test = {orders_differ, order_shows_race},
                     .table = {{right_in_every_order, COUNT(right)},
                               {environment_steers, COUNT(modified)},
                               {fault_is_noticed, COUNT(faults)}});
}
