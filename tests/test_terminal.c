/* SPDX-License-Identifier: MIT */
/* The terminal of the workbench: terminal types, keys, and output beside curses. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/loop.h"
#include "tests/screen.h"
#include "tests/support.h"

static struct screen *start(int (*body)(const void *), const char *term)
{
    const struct screen_options options = {.term = term, .body = body};

    return screen_start(&options);
}

/* --- terminal types --------------------------------------------------------------------------- */

static const struct {
    const char *term;
    int refused; /* exit status, 0: drawn */
    const char *says[2];
} types[] = {
    {"xterm-256color", 0, {"ready 24x80", "colours=256"}},
    {"vt100", 0, {"ready 24x80", "colours=0"}},
    {"xterm-nonsense", 0, {"ready", "'xterm-nonsense', which terminfo does not know; using"}},
    {"vt999", 0, {"ready", "using vt100 instead"}},
    {"-", 2, {"TERM is not set", "calab run"}},
    {"", 2, {"TERM is not set", "calab run"}},
    {"dumb", 2, {"'dumb', a terminal that cannot move its cursor", "calab run"}},
    {"nonsense", 2, {"'nonsense', which terminfo does not know; install", "ncurses-term"}},
    {"a-name-that-is-much-longer-than-the-name-of-any-terminal-ever-made",
     2,
     {"too long for the name of a terminal", "calab run"}},
};

static bool says_both(const char *text, const char *const says[2])
{
    return strstr(text, says[0]) && strstr(text, says[1]);
}

START_TEST(opens_on_type)
{
    struct screen *screen = start(loop_body, types[_i].term);
    char flat[4096] = "";

    if (types[_i].refused == 0) {
        screen_expect(screen, types[_i].says[0]);
        screen_expect(screen, types[_i].says[1]);
        screen_send(screen, "q");
    }
    ck_assert_int_eq(screen_end(screen), types[_i].refused << 8);
    if (types[_i].refused) {
        /* The screen wraps a long message, so that its bytes are compared. */
        snprintf(flat, sizeof flat, "%s", screen_bytes(screen, NULL));
        ck_assert_msg(says_both(flat, types[_i].says), "TERM='%s': %s", types[_i].term, flat);
        ck_assert_msg(!strchr(flat, '\033'), "TERM='%s' was drawn upon: %s", types[_i].term, flat);
    }
    screen_close(screen);
}
END_TEST

START_TEST(locale_decides_on_utf8)
{
    static const struct {
        const char *lang, *says;
    } cases[] = {{"C", "utf8=0"}, {"C.UTF-8", "utf8=1"}, {"no_SUCH.locale", "utf8=0"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct screen_options options = {.lang = cases[i].lang, .body = loop_body};
        struct screen *screen = screen_start(&options);

        screen_expect(screen, cases[i].says);
        screen_close(screen);
    }
}
END_TEST

START_TEST(no_color_is_obeyed)
{
    const struct screen_options options = {.environment = {"NO_COLOR=1"}, .body = loop_body};
    struct screen *screen = screen_start(&options);

    screen_expect(screen, "colours=0");
    ck_assert(!screen_coloured(screen, 0));
    screen_close(screen);

    screen = start(loop_body, NULL);
    screen_expect(screen, "colours=256");
    ck_assert(screen_coloured(screen, 0));
    screen_close(screen);
}
END_TEST

START_TEST(size_of_a_line_that_does_not_know)
{
    static const struct {
        const char *lines, *columns, *says;
    } cases[] = {
        {NULL, NULL, "ready 24x80"},
        {"LINES=30", "COLUMNS=70", "ready 30x70"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct screen_options options = {.rows = -1,
                                               .columns = -1,
                                               .environment = {cases[i].lines, cases[i].columns},
                                               .body = loop_body};
        struct screen *screen = screen_start(&options);

        screen_expect(screen, cases[i].says);
        screen_close(screen);
    }
}
END_TEST

START_TEST(line_wins_over_lines_and_columns)
{
    const struct screen_options options = {
        .rows = 12, .columns = 40, .environment = {"LINES=99", "COLUMNS=99"}, .body = loop_body};
    struct screen *screen = screen_start(&options);

    screen_expect(screen, "ready 12x40");
    screen_resize(screen, 20, 50);
    screen_expect(screen, "size 20x50");
    screen_close(screen);
}
END_TEST

START_TEST(smallest_terminal_opens_and_grows)
{
    const struct screen_options options = {.rows = 1, .columns = 1, .body = loop_body};
    struct screen *screen = screen_start(&options);

    screen_expect(screen, "r");
    screen_resize(screen, 24, 80);
    screen_expect(screen, "size 24x80");
    screen_resize(screen, 200, 60);
    screen_expect(screen, "size 200x60");
    screen_close(screen);
}
END_TEST

/* --- keys ------------------------------------------------------------------------------------- */

START_TEST(keys_arrive)
{
    static const struct {
        const char *bytes, *says;
    } cases[] = {
        {"a", "key 97;"},
        {"\r", "key 10;"},
        {"\003", "key 3;"},
        {"\023", "key 19;"},
        {"\021", "key 17;"},
        {"\033", "key 27;"},
        {"\033OA", "key code 259;"},
        {"\303\251", "key 233;"},
        {"\177", "key code 263;"},
    };
    struct screen *screen = start(loop_body, NULL);

    screen_expect(screen, "ready");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        screen_send(screen, cases[i].bytes);
        screen_expect_row(screen, 1, cases[i].says);
    }
    kill(screen_pid(screen), SIGINT);
    screen_expect_row(screen, 1, "key 3;");
    screen_close(screen);
}
END_TEST

START_TEST(redraw_repaints_and_reads_the_size)
{
    struct screen *screen = start(loop_body, NULL);
    size_t before;

    screen_expect(screen, "ready");
    screen_bytes(screen, &before);
    screen_send(screen, "\014");
    screen_expect_row(screen, 1, "key 12;");
    ck_assert_contains(screen_bytes(screen, NULL) + before, "ready");
    screen_close(screen);
}
END_TEST

/* --- output beside curses --------------------------------------------------------------------- */

static int body_scribble(const void *data)
{
    struct terminal *terminal = loop_open();
    struct ca_error error = {.text = ""};

    if (terminal_redirect(terminal, data, &error) != CA_OK)
        loop_show(3, error.text);
    printf("scribble on one\n");
    fprintf(stderr, "scribble on two\n");
    fflush(NULL);
    loop_show(0, "ready");
    terminal_poll(terminal, NULL, 0, -1);
    terminal_close(terminal);
    printf("AFTERWARDS\n");
    fflush(stdout);
    return 0;
}

START_TEST(scribbles_go_to_the_log)
{
    char path[128];
    const struct screen_options options = {.body = body_scribble, .data = path};
    struct screen *screen;
    char *log;

    snprintf(path, sizeof path, "%s", test_path("new/folder/log"));
    screen = screen_start(&options);
    screen_expect(screen, "ready");
    ck_assert(!screen_shows(screen, "scribble"));
    screen_send(screen, "x");
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert_contains(screen_bytes(screen, NULL), "AFTERWARDS");
    log = test_read(path, NULL);
    ck_assert_contains(log, "scribble on one");
    ck_assert_contains(log, "scribble on two");
    free(log);
    screen_close(screen);
}
END_TEST

START_TEST(log_that_cannot_be_is_said)
{
    const struct screen_options options = {.body = body_scribble, .data = "/proc/none/log"};
    struct screen *screen = screen_start(&options);

    screen_expect(screen, "cannot make the folder /proc/none");
    ck_assert(!screen_shows(screen, "scribble"));
    screen_close(screen);
}
END_TEST

START_TEST(big_log_starts_over)
{
    char path[128];
    const struct screen_options options = {.body = body_scribble, .data = path};
    struct screen *screen;
    char *big = calloc(1, 2 << 20);
    size_t count;

    snprintf(path, sizeof path, "%s", test_path("log"));
    test_write(path, big, 2 << 20);
    free(big);
    screen = screen_start(&options);
    screen_expect(screen, "ready");
    free(test_read(path, &count));
    ck_assert_uint_lt(count, 4096);
    screen_close(screen);
}
END_TEST

static int body_copy(const void *data)
{
    struct terminal *terminal = loop_open();
    char *much = malloc(8194);
    bool said, long_said;

    (void)data;
    memset(much, 'x', 8193);
    much[8193] = 0;
    said = terminal_copy(terminal, "calab run anneal");
    long_said = terminal_copy(terminal, much);
    loop_show(0, said ? "copied" : "not copied");
    loop_show(1, long_said ? "long copied" : "long refused");
    terminal_poll(terminal, NULL, 0, -1);
    terminal_close(terminal);
    free(much);
    return 0;
}

START_TEST(copies_where_it_is_understood)
{
    struct screen *screen = start(body_copy, NULL);

    screen_expect_row(screen, 0, "copied");
    screen_expect_row(screen, 1, "long refused");
    ck_assert_contains(screen_bytes(screen, NULL), "\033]52;c;Y2FsYWIgcnVuIGFubmVhbA==\a");
    screen_close(screen);

    screen = start(body_copy, "vt100");
    screen_expect_row(screen, 0, "not copied");
    ck_assert_ptr_null(strstr(screen_bytes(screen, NULL), "\033]"));
    screen_close(screen);
}
END_TEST

int main(void)
{
    const int type_count = (int)(sizeof types / sizeof *types);
    Suite *suite = suite_create("terminal");
    TCase *tests = tcase_create("terminal");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, opens_on_type, 0, type_count);
    tcase_add_test(tests, locale_decides_on_utf8);
    tcase_add_test(tests, no_color_is_obeyed);
    tcase_add_test(tests, size_of_a_line_that_does_not_know);
    tcase_add_test(tests, line_wins_over_lines_and_columns);
    tcase_add_test(tests, smallest_terminal_opens_and_grows);
    tcase_add_test(tests, keys_arrive);
    tcase_add_test(tests, redraw_repaints_and_reads_the_size);
    tcase_add_test(tests, scribbles_go_to_the_log);
    tcase_add_test(tests, log_that_cannot_be_is_said);
    tcase_add_test(tests, big_log_starts_over);
    tcase_add_test(tests, copies_where_it_is_understood);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
