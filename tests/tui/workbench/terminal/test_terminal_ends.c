/* SPDX-License-Identifier: MIT */
/* The terminal of the workbench: what is restored at every kind of end, and on suspending. */
#include <curses.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/loop.h"
#include "tests/support/process.h"
#include "tests/support/screen.h"
#include "tests/support/script.h"
#include "tests/support/shell.h"
#include "tests/support/support.h"
#include "tui/workbench/terminal/terminal_signals.h"

#define RMCUP "\033[?1049l"
#define CNORM "\033[?25h" /* its end is the same for all terminal types of these tests */

static bool mark_left(const char *name) { return access(test_path(name), F_OK) == 0; }

static struct screen *start(int (*body)(const void *), const char *term)
{
    const struct screen_options options = {.term = term, .body = body};

    return screen_start(&options);
}

/* --- ends ------------------------------------------------------------------------------------- */

static const struct {
    int signal;
    bool saves;       /* the main loop can save before the end */
    const char *says; /* message on the terminal afterwards, NULL: none */
} deaths[] = {
    {SIGTERM, true, NULL},
    {SIGHUP, true, NULL},
    {SIGQUIT, false, NULL},
    {SIGSEGV, false, "ended by SIGSEGV; see "},
    {SIGABRT, false, "ended by SIGABRT; see "},
    {SIGBUS, false, "ended by SIGBUS; see "},
    {SIGFPE, false, "ended by SIGFPE; see "},
    {SIGILL, false, "ended by SIGILL; see "},
};

START_TEST(every_death_puts_back)
{
    const bool mouse = true;
    const struct screen_options options = {.body = loop_body, .data = &mouse};
    struct screen *screen = screen_start(&options);
    const char *rest;
    size_t drawn;

    screen_expect(screen, "ready");
    ck_assert(!screen_modes_as_before(screen));
    screen_bytes(screen, &drawn);
    ck_assert_int_eq(kill(screen_pid(screen), deaths[_i].signal), 0);
    ck_assert_int_eq(screen_end(screen) & 0x7f, deaths[_i].signal);
    ck_assert(screen_modes_as_before(screen));
    rest = screen_bytes(screen, NULL) + drawn;
    ck_assert_contains(rest, RMCUP, CNORM, "1000l", "\033[?2004l");
    ck_assert_int_eq(mark_left("saved"), deaths[_i].saves);
    if (deaths[_i].says)
        ck_assert_contains(rest, deaths[_i].says);
    else
        ck_assert_ptr_null(strstr(rest, "calab"));
    screen_close(screen);
}
END_TEST

START_TEST(leaves_a_vt100_below_its_screen)
{
    struct screen *screen = start(loop_body, "vt100");
    size_t drawn;

    screen_expect(screen, "ready");
    screen_bytes(screen, &drawn);
    kill(screen_pid(screen), SIGSEGV);
    ck_assert_int_eq(screen_end(screen) & 0x7f, SIGSEGV);
    ck_assert_contains(screen_bytes(screen, NULL) + drawn, "\033[24;1H\r\n");
    ck_assert_ptr_null(strstr(screen_bytes(screen, NULL) + drawn, "$<"));
    screen_close(screen);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* which enlarges a small stack */
static int recurse(int depth)
{
    volatile char much[4096];

    much[depth % 4096] = (char)depth;
    return depth < 0 ? 0 : recurse(depth + 1) + much[depth % 4096];
}

static int body_overflow(const void *data)
{
    struct terminal *terminal = loop_open();

    (void)data;
    loop_show(0, "ready");
    terminal_poll(terminal, NULL, 0, -1);
    return recurse(0);
}

START_TEST(stack_overflow_puts_back)
{
    struct screen *screen = start(body_overflow, NULL);

    screen_expect(screen, "ready");
    screen_send(screen, "x");
    ck_assert_int_eq(screen_end(screen) & 0x7f, SIGSEGV);
    ck_assert(screen_modes_as_before(screen));
    ck_assert_contains(screen_bytes(screen, NULL), RMCUP);
    screen_close(screen);
}
END_TEST
#endif

static int body_hang(const void *data)
{
    (void)data;
    loop_open();
    loop_show(0, "ready");
    while (pause() != 0)
        continue;
    return 0;
}

START_TEST(hung_main_loop_dies_all_the_same)
{
    struct screen *screen = start(body_hang, NULL);

    screen_expect(screen, "ready");
    kill(screen_pid(screen), SIGTERM);
    ck_assert_int_eq(screen_end(screen) & 0x7f, SIGTERM);
    ck_assert(screen_modes_as_before(screen));
    screen_close(screen);
}
END_TEST

/* Sends without end, so that a terminal that is not read blocks. */
static int body_flood(const void *data)
{
    struct terminal *terminal = loop_open();

    (void)data;
    for (unsigned i = 0; !terminal_signal(terminal); i++) {
        loop_show((int)(i % 20), test_text("%060u", i * 2654435761u));
    }
    loop_leave_mark("saved");
    terminal_die(terminal, terminal_signal(terminal));
}

START_TEST(blocked_line_leaves_time_to_save)
{
    struct screen *screen = start(body_flood, NULL);

    process_expect_sleep(screen_pid(screen));
    ck_assert(!screen_modes_as_before(screen));
    kill(screen_pid(screen), SIGTERM);
    process_expect_end(screen_pid(screen));
    ck_assert(screen_modes_as_before(screen));
    ck_assert_int_eq(screen_end(screen) & 0x7f, SIGTERM);
    ck_assert(mark_left("saved"));
    screen_close(screen);
}
END_TEST

static int open_files(void)
{
    int count = 0;

    for (int fd = 0; fd < 64; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Opens signal handling alone, closes it, and says which files are open that were not before. */
static int signals_body(const void *data)
{
    struct ca_error error;
    int before = open_files(), within;

    (void)data;
    if (!newterm(NULL, stdout, stdin) || terminal_signals_begin(1, &error) != CA_OK)
        return 1;
    within = open_files();
    terminal_signals_end();
    endwin();
    printf("files: %d, then %d\n", within - before, open_files() - before);
    fflush(stdout);
    return 0;
}

START_TEST(no_file_stays_open)
{
    struct screen *screen = start(signals_body, NULL);

    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert_contains(screen_bytes(screen, NULL), "files: 4, then 0\r");
    screen_close(screen);
}
END_TEST

START_TEST(closing_puts_back)
{
    struct screen *screen = start(loop_body, NULL);

    screen_expect(screen, "ready");
    screen_send(screen, "q");
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert(screen_modes_as_before(screen));
    ck_assert_contains(screen_bytes(screen, NULL), RMCUP);
    screen_close(screen);
}
END_TEST

/* The session leader has ended, but under nohup no signal reports it. */
START_TEST(vanished_terminal_is_noticed)
{
    const struct screen_options options = {.hangup_ignored = true, .body = loop_body};
    struct screen *screen = screen_start(&options);

    screen_expect(screen, "ready");
    screen_hang_up(screen);
    ck_assert_int_eq(screen_end(screen) & 0x7f, SIGHUP);
    ck_assert(mark_left("gone"));
    screen_close(screen);
}
END_TEST

START_TEST(hangup_is_a_signal)
{
    struct screen *screen = start(loop_body, NULL);

    screen_expect(screen, "ready");
    screen_hang_up(screen);
    ck_assert_int_eq(screen_end(screen) & 0x7f, SIGHUP);
    ck_assert(mark_left("gone") || mark_left("saved"));
    screen_close(screen);
}
END_TEST

/* --- suspending ------------------------------------------------------------------------------- */

static bool modes_as_before(struct screen *screen, const void *none)
{
    (void)none;
    return screen_modes_as_before(screen);
}

static int body_shell(const void *data) { return shell_with_job(loop_body, data); }

/* Whether pastes are bracketed after all that the terminal got. */
static bool brackets_pastes(struct screen *screen)
{
    const char *bytes = screen_bytes(screen, NULL), *last = NULL;

    while ((bytes = strstr(bytes, "\033[?2004")))
        last = bytes++;
    return last && last[strlen("\033[?2004")] == 'h';
}

START_TEST(suspends_and_comes_back)
{
    struct screen *screen = start(body_shell, NULL);

    for (int round = 0; round < 2; round++) {
        user_does(screen, STEPS(SHOWS("ready 24x80"), PRESS("\032"),
                                SHOWS(round == 0 ? "STOPPED 1" : "STOPPED 2"), LACKS("ready")));
        screen_until(screen, modes_as_before, NULL, "the terminal's former modes");
        ck_assert(!brackets_pastes(screen));
        screen_send(screen, "fg\r");
        screen_expect(screen, "ready 24x80");
        ck_assert(brackets_pastes(screen));
        ck_assert(!screen_shows(screen, "STOPPED"));
    }
    screen_send(screen, "a");
    screen_expect(screen, "key 97;");
    ck_assert_int_eq(screen_modes(screen).c_lflag & (ICANON | ECHO), 0);

    user_does(screen, STEPS(PRESS("\032"), SHOWS("STOPPED 3"), RESIZE(30, 90), PRESS("fg\r"),
                            SHOWS("size 30x90"), PRESS("q")));
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert(screen_modes_as_before(screen));
    screen_close(screen);
}
END_TEST

int main(void)
{
    const int death_count = (int)(sizeof deaths / sizeof *deaths);

    return run_tests(&(const struct suite){
        .test = {leaves_a_vt100_below_its_screen,
#ifndef __SANITIZE_ADDRESS__
                 stack_overflow_puts_back,
#endif
                 hung_main_loop_dies_all_the_same, blocked_line_leaves_time_to_save,
                 closing_puts_back, no_file_stays_open, vanished_terminal_is_noticed,
                 hangup_is_a_signal, suspends_and_comes_back},
        .table = {{every_death_puts_back, death_count}},
    });
}
