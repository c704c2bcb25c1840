/* SPDX-License-Identifier: MIT */
/* calab record: what is recorded is what the terminal shows, and however it ends the terminal is as
 * before. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "tests/cells.h"
#include "tests/program.h"
#include "tests/shell.h"
#include "tests/user.h"
#include "tests/support.h"

#define RMCUP "\033[?1049l"

static struct screen_options records(const char *path, const char *term, int rows, int columns)
{
    return (struct screen_options){.term = term,
                                   .lang = term ? "C" : NULL,
                                   .rows = rows,
                                   .columns = columns,
                                   .arguments = {"record", path, "anneal", "-s", "64x64"}};
}

static struct screen *starts(const char *path)
{
    const struct screen_options options = records(path, NULL, 24, 80);

    return user_starts(&options);
}

/* The workbench's process: the recorder's child leads the session, whose child it is. */
static pid_t workbench_of(const struct screen *screen)
{
    return process_child(process_child(screen_pid(screen)));
}

struct replayed {
    struct cells cells;
    json_t *header;
    int outputs, resizes;
    char *text; /* all output */
};

/* Plays a recording. A line that is not whole is an error, but for the last one where it may be. */
static struct replayed replay(const char *path, bool utf8, bool killed)
{
    struct replayed r = {.text = NULL};
    struct fed *fed = NULL;
    char *text = test_read(path, NULL), *end;
    double last = 0;

    r.text = calloc(1, strlen(text) + 1);
    ck_assert_ptr_nonnull(r.text);
    for (char *line = text; *line; line = end + 1) {
        const char *kind, *data;
        json_error_t where;
        json_t *json;
        int columns, rows;

        end = strchr(line, '\n');
        if (!end && killed)
            break;
        ck_assert_msg(end != NULL, "the last line is not whole: %s", line);
        *end = 0;
        json = json_loads(line, JSON_ALLOW_NUL, &where);
        ck_assert_msg(json != NULL, "%s: %s", where.text, line);
        if (!fed) {
            r.header = json;
            fed = fed_new((int)json_integer_value(json_object_get(json, "height")),
                          (int)json_integer_value(json_object_get(json, "width")), utf8);
            continue;
        }
        ck_assert_uint_eq(json_array_size(json), 3);
        ck_assert(json_number_value(json_array_get(json, 0)) >= last);
        last = json_number_value(json_array_get(json, 0));
        kind = json_string_value(json_array_get(json, 1));
        data = json_string_value(json_array_get(json, 2));
        if (strcmp(kind, "o") == 0) {
            fed_bytes(fed, data, json_string_length(json_array_get(json, 2)));
            strcat(r.text, data);
            r.outputs++;
        } else {
            ck_assert_str_eq(kind, "r");
            ck_assert_int_eq(sscanf(data, "%dx%d", &columns, &rows), 2);
            fed_resize(fed, rows, columns);
            r.resizes++;
        }
        json_decref(json);
    }
    ck_assert_ptr_nonnull(fed);
    r.cells = fed_cells(fed);
    fed_free(fed);
    free(text);
    return r;
}

static void replayed_free(struct replayed *r)
{
    cells_free(&r->cells);
    json_decref(r->header);
    free(r->text);
}

#define TRIES 20

/* What has been recorded until now ends with what the terminal shows, as soon as all has come and
 * no panel changes in between. */
static void expect_replay(struct screen *screen, const char *path, bool utf8)
{
    bool equal = false;

    for (int i = 0; i < TRIES && !equal; i++) {
        struct cells shown;
        struct replayed r;

        screen_listen(screen, 0.5);
        shown = cells_of(screen);
        r = replay(path, utf8, true);
        equal = cells_equal(&r.cells, &shown);
        if (i == TRIES - 1)
            cells_expect_equal(&r.cells, &shown);
        cells_free(&shown);
        replayed_free(&r);
    }
}

static const struct {
    const char *term;
    int rows, columns;
} terminals[] = {{NULL, 24, 80}, {NULL, 60, 200}, {"vt100", 24, 80}, {"linux", 30, 100}};

START_TEST(replay_shows_what_the_terminal_shows)
{
    const char *path = test_path("x.cast");
    const struct screen_options options =
        records(path, terminals[_i].term, terminals[_i].rows, terminals[_i].columns);
    struct screen *screen = user_starts(&options);
    struct replayed r;

    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_send(screen, "c");
    screen_send(screen, " ");
    expect_generation_from(screen, 3);
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    expect_replay(screen, path, !terminals[_i].term);
    screen_send(screen, "?");
    screen_expect(screen, "close");
    expect_replay(screen, path, !terminals[_i].term);
    screen_send(screen, "\033");
    screen_send(screen, "q");
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert(screen_modes_as_before(screen));
    screen_expect(screen, "wrote ");
    r = replay(path, !terminals[_i].term, false);
    ck_assert_int_gt(r.outputs, 3);
    ck_assert_int_eq(r.resizes, 0);
    if (!terminals[_i].term)
        ck_assert_contains(r.text, RMCUP);
    replayed_free(&r);
    screen_close(screen);
}
END_TEST

START_TEST(header_says_what_and_where)
{
    const char *path = test_path("x.cast");
    const struct screen_options options = {
        .rows = 30,
        .columns = 90,
        .arguments = {"record", "--force", path, "anneal", "-s", "64x64"},
        .environment = {"SHELL=/bin/sh"}};
    struct screen *screen = user_starts(&options);
    struct replayed r;
    json_t *env;

    user_quits(screen);
    r = replay(path, true, false);
    ck_assert_int_eq(json_integer_value(json_object_get(r.header, "version")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(r.header, "width")), 90);
    ck_assert_int_eq(json_integer_value(json_object_get(r.header, "height")), 30);
    ck_assert(json_is_integer(json_object_get(r.header, "timestamp")));
    ck_assert_str_eq(json_string_value(json_object_get(r.header, "title")),
                     "calab anneal -s 64x64");
    env = json_object_get(r.header, "env");
    ck_assert_str_eq(json_string_value(json_object_get(env, "TERM")), "xterm-256color");
    ck_assert_str_eq(json_string_value(json_object_get(env, "SHELL")), "/bin/sh");
    replayed_free(&r);
}
END_TEST

START_TEST(size_is_passed_on_and_recorded)
{
    const char *path = test_path("x.cast");
    struct screen *screen = starts(path);
    struct replayed r;

    screen_resize(screen, 40, 130);
    screen_expect_row(screen, -1, "help");
    expect_replay(screen, path, true);
    screen_resize(screen, 24, 80);
    screen_expect_row(screen, -1, "help");
    expect_replay(screen, path, true);
    r = replay(path, true, false);
    ck_assert_int_eq(r.resizes, 2);
    ck_assert_int_eq(json_integer_value(json_object_get(r.header, "width")), 80);
    replayed_free(&r);
    user_quits(screen);
}
END_TEST

/* What is typed is not in the recording unless it is shown. */
START_TEST(keys_are_not_recorded)
{
    const char *path = test_path("x.cast");
    struct screen *screen = starts(path);
    char *text;

    screen_send(screen, "\033[23~\033[23~"); /* F11, which has no meaning */
    screen_listen(screen, 0.5);
    user_quits(screen);
    text = test_read(path, NULL);
    ck_assert_ptr_null(strstr(text, "23~"));
    ck_assert_ptr_null(strstr(text, "\"i\""));
    free(text);
}
END_TEST

/* A line that takes little: frames are left out, keys come through, and the screen stays whole. */
START_TEST(a_slow_line_gets_fewer_frames)
{
    const char *path = test_path("x.cast");
    struct screen_options options = records(path, NULL, 24, 80);
    struct screen *screen;

    options.bytes_per_s = 8000;
    options.ahead_bytes = 4096;
    screen = user_starts(&options);
    screen_send(screen, " ");
    expect_generation_from(screen, 20);
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    expect_replay(screen, path, true);
    user_quits(screen);
}
END_TEST

/* --- ends ------------------------------------------------------------------------------------- */

static void expect_status_of(struct screen *screen, int status)
{
    int ended = screen_end(screen);

    ck_assert_msg(WIFEXITED(ended) && WEXITSTATUS(ended) == status, "wait status %#x", ended);
    ck_assert(screen_modes_as_before(screen));
}

/* Signals to the recorder go to the workbench, which saves and ends, and restores the screen. */
START_TEST(signals_end_both)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGQUIT};
    const char *path = test_path("x.cast");
    struct screen *screen = starts(path);
    pid_t workbench = workbench_of(screen);
    struct replayed r;

    ck_assert(!screen_modes_as_before(screen));
    ck_assert_int_eq(kill(screen_pid(screen), signals[_i]), 0);
    expect_status_of(screen, 128 + signals[_i]);
    process_expect_end(workbench);
    r = replay(path, true, false);
    ck_assert_contains(r.text, RMCUP);
    replayed_free(&r);
    screen_close(screen);
}
END_TEST

/* As key and as signal. */
START_TEST(interrupt_is_a_key_of_the_workbench)
{
    struct screen *screen = starts(test_path("x.cast"));

    if (_i)
        ck_assert_int_eq(kill(screen_pid(screen), SIGINT), 0);
    else
        screen_send(screen, "\003");
    screen_expect(screen, "press ctrl-c again");
    user_quits(screen);
}
END_TEST

/* A crash of the workbench: by a signal that it sees, and by one that nobody does. */
START_TEST(a_crash_is_the_status)
{
    static const int signals[] = {SIGSEGV, SIGKILL};
    const char *path = test_path("x.cast");
    struct screen *screen = starts(path);
    struct replayed r;

    ck_assert_int_eq(kill(workbench_of(screen), signals[_i]), 0);
    expect_status_of(screen, 128 + signals[_i]);
    r = replay(path, true, false);
    ck_assert_int_gt(r.outputs, 0);
    replayed_free(&r);
    screen_close(screen);
}
END_TEST

/* Of the recorder itself: modes are restored, and the workbench ends. */
START_TEST(a_crash_of_the_recorder)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    struct screen *screen = starts(test_path("x.cast"));
    pid_t workbench = workbench_of(screen);

    ck_assert_int_eq(kill(screen_pid(screen), signals[_i]), 0);
    ck_assert_int_eq(screen_end(screen) & 0x7f, signals[_i]);
    ck_assert(screen_modes_as_before(screen));
    process_expect_end(workbench);
    screen_close(screen);
}
END_TEST

START_TEST(readable_after_a_kill)
{
    const char *path = test_path("x.cast");
    struct screen *screen = starts(path);
    pid_t workbench = workbench_of(screen);
    struct cells shown;
    struct replayed r;

    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_listen(screen, 1.5);
    shown = cells_of(screen);
    ck_assert_int_eq(kill(screen_pid(screen), SIGKILL), 0);
    ck_assert_int_eq(screen_end(screen) & 0x7f, SIGKILL);
    process_expect_end(workbench);
    r = replay(path, true, true);
    cells_expect_equal(&r.cells, &shown);
    cells_free(&shown);
    replayed_free(&r);
    screen_close(screen);
}
END_TEST

/* Under nohup, too, where SIGHUP is ignored. */
START_TEST(a_lost_terminal_ends_both)
{
    const char *path = test_path("x.cast");
    struct screen_options options = records(path, NULL, 24, 80);
    struct screen *screen;
    pid_t workbench;
    struct replayed r;

    options.hangup_ignored = _i;
    screen = user_starts(&options);
    workbench = workbench_of(screen);
    screen_hang_up(screen);
    process_expect_end(workbench);
    screen_end(screen);
    r = replay(path, true, false);
    ck_assert_int_gt(r.outputs, 0);
    replayed_free(&r);
    screen_close(screen);
}
END_TEST

/* --- suspending ------------------------------------------------------------------------------- */

static int body_record(const void *data)
{
    const char *const program = test_program();

    execl(program, program, "record", (const char *)data, "anneal", "-s", "64x64", (char *)NULL);
    return 127;
}

static int body_shell(const void *data) { return shell_with_job(body_record, data); }

/* By the key and by a signal; the time until it goes on is not recorded, its new size is. */
START_TEST(suspends_and_comes_back)
{
    const char *path = test_path("x.cast");
    const struct screen_options options = {.body = body_shell, .data = path};
    struct screen *screen = user_starts(&options);
    struct replayed r;

    if (_i)
        ck_assert_int_eq(kill(process_child(screen_pid(screen)), SIGTSTP), 0);
    else
        screen_send(screen, "\032");
    screen_expect(screen, "STOPPED 1");
    ck_assert(screen_modes_as_before(screen));
    screen_resize(screen, 30, 100);
    screen_send(screen, "fg\r");
    screen_expect_row(screen, -1, "help");
    screen_send(screen, ".");
    expect_generation(screen, 1);
    expect_replay(screen, path, true);
    screen_send(screen, "\032");
    screen_expect(screen, "STOPPED 2");
    screen_send(screen, "fg\r");
    screen_expect_row(screen, -1, "help");
    screen_send(screen, "q");
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert(screen_modes_as_before(screen));
    r = replay(path, true, false);
    ck_assert_int_eq(r.resizes, 1);
    ck_assert_ptr_null(strstr(r.text, "STOPPED"));
    replayed_free(&r);
    screen_close(screen);
}
END_TEST

/* Nobody could continue the leader of a session, so that it goes on. */
START_TEST(does_not_stop_where_nobody_continues_it)
{
    const char *path = test_path("x.cast");
    struct screen *screen = starts(path);

    screen_send(screen, "\032");
    screen_listen(screen, 0.5);
    screen_send(screen, ".");
    expect_generation(screen, 1);
    expect_replay(screen, path, true);
    user_quits(screen);
}
END_TEST

/* --- files ------------------------------------------------------------------------------------ */

/* The workbench goes on; at the end the message names the file, and the status is 8. */
START_TEST(a_full_disk_ends_the_recording_alone)
{
    const char *path = test_path("full.cast");
    const struct screen_options options = {
        .rows = 24, .columns = 200, .arguments = {"record", path, "anneal", "--force"}};
    struct screen *screen;

    ck_assert_int_eq(symlink("/dev/full", path), 0);
    screen = user_starts(&options);
    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_send(screen, "q");
    expect_status_of(screen, CA_IO);
    ck_assert_contains(screen_text(screen), "calab record: cannot write ");
    ck_assert_contains(screen_text(screen), "full.cast: No space left on device");
    screen_close(screen);
}
END_TEST

#define LIMIT 65536

static int body_limited(const void *data)
{
    const struct rlimit limit = {LIMIT, LIMIT};

    return setrlimit(RLIMIT_FSIZE, &limit) == 0 ? body_record(data) : 126;
}

START_TEST(a_disk_that_gets_full_keeps_whole_lines)
{
    const char *path = test_path("x.cast");
    const struct screen_options options = {
        .rows = 24, .columns = 200, .body = body_limited, .data = path};
    struct screen *screen = user_starts(&options);
    struct replayed r;
    struct stat facts;

    for (int i = 0; i < 60; i++) { /* each paints all of it */
        screen_send(screen, "\f");
        screen_listen(screen, 0.05);
    }
    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_send(screen, "q");
    expect_status_of(screen, CA_IO);
    ck_assert_contains(screen_text(screen), "x.cast: File too large; the recording ends after ");
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_le(facts.st_size, LIMIT);
    r = replay(path, true, false);
    ck_assert_int_gt(r.outputs, 3);
    replayed_free(&r);
    screen_close(screen);
}
END_TEST

/* An existing file stays as it is; --force, before or behind it, replaces it. */
START_TEST(replaces_only_by_force)
{
    const char *path = test_path("old.cast");
    const struct screen_options options = records(path, NULL, 24, 200),
                                forced = {.arguments = {"record", "--force", path, "anneal"}};
    struct screen *screen;
    struct replayed r;
    char *text;

    test_write(path, "old", 3);
    screen = screen_start(&options);
    expect_status_of(screen, CA_USAGE);
    ck_assert_contains(screen_text(screen), "old.cast exists; --force replaces it");
    screen_close(screen);
    text = test_read(path, NULL);
    ck_assert_str_eq(text, "old");
    free(text);
    screen = user_starts(&forced);
    user_quits(screen);
    r = replay(path, true, false);
    ck_assert_int_gt(r.outputs, 0);
    replayed_free(&r);
}
END_TEST

/* Whatever is wrong is told before a file is there. */
START_TEST(refuses)
{
    static const struct refusal refusals[] = {
        {"record", CA_USAGE, {"a file is needed", "calab record FILE.cast"}},
        {"record anneal", CA_USAGE, {"'anneal'", "ends in .cast"}},
        {"record x.cast", CA_USAGE, {"standard input is not a terminal", "recorded"}},
        {"record x.cast annael", CA_USAGE, {"annael", "anneal"}},
        {"record x.cast anneal life3d", CA_USAGE, {"unexpected argument 'life3d'", "--help"}},
        {"record x.cast -n 5", CA_USAGE, {"'-n' is not an option here", "--help"}},
        {"record x.cast --forc", CA_USAGE, {"'--forc'", "'--force'"}},
        {"record x.cast anneal -s 0x5", CA_USAGE, {"--size", "out of range"}},
        {"anneal --force", CA_USAGE, {"'--force' is not an option here", ""}},
    };

    calab_refuses(&refusals[_i]);
    ck_assert_int_ne(access(test_source("x.cast"), F_OK), 0);
}
END_TEST

/* What the terminal must be: on standard output too, and able to hold a workbench. */
START_TEST(needs_a_terminal)
{
    const char *path = test_path("x.cast");
    struct screen_options options = records(path, NULL, 24, 200);
    struct screen *screen;

    options.no_terminal = 2;
    screen = screen_start(&options);
    expect_status_of(screen, CA_USAGE);
    ck_assert_contains(screen_text(screen), "standard output is not a terminal");
    ck_assert_int_ne(access(path, F_OK), 0);
    screen_close(screen);
    options = records(test_path("none/x.cast"), NULL, 24, 200);
    screen = screen_start(&options);
    expect_status_of(screen, CA_IO);
    ck_assert_contains(screen_text(screen), "none/x.cast: No such file or directory");
    screen_close(screen);
}
END_TEST

/* The workbench's own error is shown, and its status is the recorder's. */
START_TEST(an_error_of_the_workbench_is_shown)
{
    const struct screen_options options = records(test_path("x.cast"), "dumb", 24, 200);
    struct screen *screen = screen_start(&options);

    expect_status_of(screen, CA_USAGE);
    ck_assert_contains(screen_text(screen), "TERM");
    ck_assert_contains(screen_text(screen), "dumb");
    screen_close(screen);
}
END_TEST

START_TEST(unknown_size_is_80x24)
{
    const char *path = test_path("x.cast");
    const struct screen_options options = records(path, NULL, -1, -1);
    struct screen *screen = user_starts(&options);
    struct replayed r;

    user_quits(screen);
    r = replay(path, true, false);
    ck_assert_int_eq(r.cells.columns, 80);
    ck_assert_int_eq(r.cells.rows, 24);
    replayed_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("record");
    TCase *tests = tcase_create("record");

    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, replay_shows_what_the_terminal_shows, 0, COUNT(terminals));
    tcase_add_test(tests, header_says_what_and_where);
    tcase_add_test(tests, size_is_passed_on_and_recorded);
    tcase_add_test(tests, keys_are_not_recorded);
    tcase_add_test(tests, a_slow_line_gets_fewer_frames);
    tcase_add_loop_test(tests, signals_end_both, 0, 3);
    tcase_add_loop_test(tests, interrupt_is_a_key_of_the_workbench, 0, 2);
    tcase_add_loop_test(tests, a_crash_is_the_status, 0, 2);
    tcase_add_loop_test(tests, a_crash_of_the_recorder, 0, 5);
    tcase_add_test(tests, readable_after_a_kill);
    tcase_add_loop_test(tests, a_lost_terminal_ends_both, 0, 2);
    tcase_add_loop_test(tests, suspends_and_comes_back, 0, 2);
    tcase_add_test(tests, does_not_stop_where_nobody_continues_it);
    tcase_add_test(tests, a_full_disk_ends_the_recording_alone);
    tcase_add_test(tests, a_disk_that_gets_full_keeps_whole_lines);
    tcase_add_test(tests, replaces_only_by_force);
    tcase_add_loop_test(tests, refuses, 0, 9);
    tcase_add_test(tests, needs_a_terminal);
    tcase_add_test(tests, an_error_of_the_workbench_is_shown);
    tcase_add_test(tests, unknown_size_is_80x24);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
