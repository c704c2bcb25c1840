/* SPDX-License-Identifier: MIT */
/* Work in a copy of the process: its end is told, whatever it is, and this process goes on. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/isolated.h"
#include "tests/support/support.h"

static struct ca_error error;

static void leave_a_number(void *context) { *(int *)context = 41; }

START_TEST(what_work_leaves_is_seen)
{
    int *left = ca_shared_memory(sizeof *left), own = 0;
    struct ca_isolated_end end;

    ck_assert_ptr_nonnull(left);
    ck_assert_int_eq(ca_isolated_run(leave_a_number, left, 60, NULL, &end, &error), CA_OK);
    ck_assert_int_eq(end.how, CA_ISOLATED_DONE);
    ck_assert_int_eq(*left, 41);
    ck_assert_int_eq(ca_isolated_run(leave_a_number, &own, 60, NULL, &end, &error), CA_OK);
    ck_assert_int_eq(own, 0);
    ca_shared_free(left, sizeof *left);
}
END_TEST

/* Work within work: the copy of the outer one is enough, and its signs of life still count. */
static void run_within(void *context)
{
    struct ca_isolated_end end;
    struct ca_error ignored;

    ca_isolated_run(leave_a_number, context, 60, NULL, &end, &ignored);
    for (int i = 0; i < 6; i++) {
        const struct timespec pause = {0, 100000000};

        nanosleep(&pause, NULL);
        ca_isolated_alive();
    }
    ++*(int *)context;
}

START_TEST(work_within_work)
{
    int *left = ca_shared_memory(sizeof *left);
    struct ca_isolated_end end;

    ck_assert_ptr_nonnull(left);
    ck_assert_int_eq(ca_isolated_run(run_within, left, 0.4, NULL, &end, &error), CA_OK);
    ck_assert_int_eq(end.how, CA_ISOLATED_DONE);
    ck_assert_int_eq(*left, 42);
    ca_shared_free(left, sizeof *left);
}
END_TEST

static void raise_it(void *context) { raise(*(int *)context); }
static void end_early(void *context) { _exit(*(int *)context); }

/* What a function does that has no end of its own. */
__attribute__((noinline)) static int overflow(volatile int depth)
{
    volatile char room[4096];

    room[0] = (char)depth;
    if (depth < 0)
        return 0;
    return overflow(depth + 1) + room[0];
}

static void overflow_the_stack(void *context) { *(int *)context = overflow(0); }

START_TEST(a_crash_is_told_by_its_signal)
{
    static int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGKILL};
    struct ca_isolated_end end;
    int status = 3;

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        ck_assert_int_eq(ca_isolated_run(raise_it, &signals[i], 60, NULL, &end, &error), CA_OK);
        ck_assert_int_eq(end.how, CA_ISOLATED_CRASHED);
        ck_assert_int_eq(end.signal, signals[i]);
        ck_assert_int_eq(end.at != NULL, signals[i] != SIGKILL);
    }
    ck_assert_int_eq(ca_isolated_run(end_early, &status, 60, NULL, &end, &error), CA_OK);
    ck_assert_int_eq(end.how, CA_ISOLATED_CRASHED);
    ck_assert_int_eq(end.signal, 0);
    ck_assert_int_eq(ca_isolated_run(overflow_the_stack, &status, 60, NULL, &end, &error), CA_OK);
    ck_assert_int_eq(end.how, CA_ISOLATED_CRASHED);
    ck_assert_int_eq(end.signal, SIGSEGV);
    ck_assert_ptr_nonnull(end.at); /* by a handler that had a stack of its own */
}
END_TEST

static void never_end(void *context)
{
    for (;;)
        ++*(volatile uint64_t *)context;
}

START_TEST(work_that_is_stuck_is_ended)
{
    uint64_t count = 0;
    struct ca_isolated_end end;

    ck_assert_int_eq(ca_isolated_run(never_end, &count, 0.2, NULL, &end, &error), CA_OK);
    ck_assert_int_eq(end.how, CA_ISOLATED_STUCK);
    ck_assert_ptr_nonnull(end.at);
}
END_TEST

/* It takes longer than it may be silent. */
static void say_it_is_alive(void *context)
{
    const struct timespec pause = {0, 20000000};

    (void)context;
    for (int i = 0; i < 40; i++) {
        ca_isolated_alive();
        nanosleep(&pause, NULL);
    }
}

START_TEST(work_that_goes_on_may_go_on)
{
    struct ca_isolated_end end;

    ca_isolated_alive(); /* nothing runs */
    ck_assert_int_eq(ca_isolated_run(say_it_is_alive, NULL, 0.5, NULL, &end, &error), CA_OK);
    ck_assert_int_eq(end.how, CA_ISOLATED_DONE);
}
END_TEST

static bool stop_it(void) { return false; }

START_TEST(work_is_stopped)
{
    uint64_t count = 0;
    struct ca_isolated_end end;

    ck_assert_int_eq(ca_isolated_run(never_end, &count, 60, stop_it, &end, &error), CA_OK);
    ck_assert_int_eq(end.how, CA_ISOLATED_STOPPED);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {what_work_leaves_is_seen, work_within_work,
                              a_crash_is_told_by_its_signal, work_that_is_stuck_is_ended,
                              work_that_goes_on_may_go_on, work_is_stopped});
}
