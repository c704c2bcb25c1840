/* SPDX-License-Identifier: MIT */
/* A pane whose engine runs on another host: a script stands in for ssh, with noise, delay, and a
 * peer that dies or is never reached. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/support.h"
#include "tests/user.h"

/* calab.cfg with the script in ssh's place. */
static void stand_in(const char *script)
{
    char text[8192];
    int length;

    test_write(test_path("ssh"), script, strlen(script));
    length = snprintf(text, sizeof text,
                      "version = 1;\nworkbench : { remote = \"/bin/sh %s HOST\"; };\n",
                      test_path("ssh"));
    ck_assert_int_eq(mkdir(test_path("config"), 0700), 0);
    ck_assert_int_eq(mkdir(test_path("config/calab"), 0700), 0);
    test_write(settings_file(), text, (size_t)length);
}

static const struct screen_options two = {
    .columns = 120,
    .rows = 24,
    .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,box:threads"}};

START_TEST(two_hosts_in_lock_step)
{
    struct screen *screen;
    char script[4096];

    snprintf(script, sizeof script,
             "echo \"Welcome to $1\"; echo banner >&2; sleep 0.3; printf 'last login: '; exec %s "
             "engine",
             test_program());
    stand_in(script);
    screen = user_starts(&two);
    expect_status(screen, "= EQUAL at 0, 1x");
    screen_expect(screen, "A bitslice");
    screen_expect(screen, "B box:threads");
    screen_send(screen, "...");
    expect_status(screen, "= EQUAL at 3, ");
    screen_send(screen, "y");
    screen_expect(screen, "-b bitslice,box:threads");
    screen_send(screen, "\033");
    screen_send(screen, "x");
    screen_expect_not(screen, "box:threads");
    screen_send(screen, ".");
    expect_generation(screen, 4);
    user_quits(screen);
}
END_TEST

static const struct {
    const char *script, *text;
} gone[] = {
    {"echo 'ssh: connect to host box port 22: Connection timed out' >&2; exit 255",
     "engine on box cannot be reached: 'ssh: connect to host box port 22: Connection timed out'"},
    {"echo 'sh: 1: calab: not found' >&2; exit 127", "cannot be started: there is no such program"},
    {"echo 'CALAB1 {\"pid\":1,\"capabilities\":[]}'; sleep 0.2; exit 255",
     "engine on box is gone: the connection ended"},
    {"echo 'This account is not available.'; exit 1", "'This account is not available.'"},
};

/* A is usable whatever becomes of B. */
START_TEST(host_that_is_gone)
{
    struct screen *screen;

    stand_in(gone[_i].script);
    screen = user_starts(&two);
    screen_expect(screen, gone[_i].text);
    expect_status(screen, "bitslice");
    screen_send(screen, ".");
    expect_generation(screen, 1);
    user_quits(screen);
}
END_TEST

/* A host that takes its time has not hung. */
START_TEST(slow_host_is_not_hung)
{
    struct screen *screen;
    char script[4096];

    snprintf(script, sizeof script, "sleep 4; exec %s engine", test_program());
    stand_in(script);
    screen = user_starts(&two);
    screen_listen(screen, 3);
    ck_assert(!screen_shows(screen, "has not responded"));
    expect_status(screen, "= EQUAL at 0, 1x");
    user_quits(screen);
}
END_TEST

START_TEST(host_like_an_option_is_refused)
{
    const struct screen_options options = {
        .columns = 120, .rows = 24, .arguments = {"anneal", "-b", "-oProxyCommand=x:threads"}};
    struct screen *screen = screen_start(&options);

    ck_assert_int_eq(WEXITSTATUS(screen_end(screen)), 2);
    screen_close(screen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workbench host");
    TCase *tests = tcase_create("workbench host");

    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, two_hosts_in_lock_step);
    tcase_add_loop_test(tests, host_that_is_gone, 0, (int)COUNT(gone));
    tcase_add_test(tests, slow_host_is_not_hung);
    tcase_add_test(tests, host_like_an_option_is_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
