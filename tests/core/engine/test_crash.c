/* SPDX-License-Identifier: MIT */
/* What an engine leaves on standard error when a signal ends it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/crash.h"
#include "tests/support/support.h"

static int recurse(int depth)
{
    volatile char much[4096];

    much[depth % 4096] = (char)depth;
    return depth < 0 ? 0 : recurse(depth + 1) + much[depth % 4096];
}

static void touch_nothing(void)
{
    volatile int *volatile nothing = NULL;

    *nothing = 1; /* cppcheck-suppress nullPointer */
}

static void overflow(void) { recurse(0); }

static const struct {
    void (*body)(void);
    int signal;
    const char *says;
} bodies[] = {
    {touch_nothing, SIGSEGV, " ended by SIGSEGV at address 0x0\n"},
    {overflow, SIGSEGV, " ended by SIGSEGV at address 0x7"},
    {abort, SIGABRT, " ended by SIGABRT\n"},
};

/* The report of a process that takes requests and then ends; malloc'd. */
static char *report_of(int requests, void (*body)(void), int signal)
{
    const char *path = test_path("report");
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), STDERR_FILENO);
        ca_crash_begin("engine");
        for (int i = 1; i <= requests; i++) {
            char text[400];
            const int length =
                snprintf(text, sizeof text, "{\"id\":%d,%0*d}", i, i == requests ? 300 : 3, 7);

            ca_crash_note(text, (size_t)length);
        }
        body();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signal, "it ended with %#x", status);
    return test_read(path, NULL);
}

START_TEST(reports_the_end)
{
    char *report = report_of(20, bodies[_i].body, bodies[_i].signal);
    const char *line = strrchr(report, '\n');

    ck_assert_contains(report, "the last of its 20 requests");
    ck_assert_ptr_null(strstr(report, "{\"id\":4,"));
    ck_assert_contains(report, "\n  {\"id\":5,007}\n", "0 ...\n", "backtrace:\n", "libc.so",
                       bodies[_i].says);
    while (line > report && line[-1] != '\n')
        line--;
    ck_assert_int_eq(strncmp(line, "calab engine: process ", 22), 0);
}
END_TEST

START_TEST(reports_few_requests)
{
    char *report = report_of(0, abort, SIGABRT);

    ck_assert_contains(report, "the last of its 0 requests, without ack:\ncalab engine: backtr");
}
END_TEST

START_TEST(knows_what_is_a_crash)
{
    ck_assert_str_eq(ca_crash_name(SIGBUS), "SIGBUS");
    ck_assert_ptr_null(ca_crash_name(SIGTERM));
    ck_assert_ptr_null(ca_crash_name(SIGKILL));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {!SANITIZED ? reports_few_requests : NULL, knows_what_is_a_crash},
                     .table = {{!SANITIZED ? reports_the_end : NULL, COUNT(bodies)}});
}
