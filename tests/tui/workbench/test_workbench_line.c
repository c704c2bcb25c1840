/* SPDX-License-Identifier: MIT */
/*
 * The workbench and its terminal: types and sizes of terminals, the output, and the state of the
 * terminal after every kind of end of the workbench or its engine.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/model/model.h"
#include "tests/support/cells.h"
#include "tests/support/process.h"
#include "tests/support/shell.h"
#include "tests/support/script.h"
#include "tests/support/support.h"

/* Prints a measurement; the tests assert only what holds on every machine. */
static void figure(const char *name, double value, const char *unit)
{
    if (getenv("CALAB_FIGURES"))
        printf("\n%s: %.4g %s\n", name, value, unit);
}

/* --- kinds and sizes -------------------------------------------------------------------------- */

static const struct {
    const char *term, *lang;
} kinds[] = {
    {"xterm-256color", "C.UTF-8"},
    {"xterm-256color", "C"},
    {"vt100", "C.UTF-8"},
    {"vt100", "C"},
};

static const struct {
    int rows, columns;
} sizes[] = {{24, 80}, {12, 40}, {60, 200}};

START_TEST(draws_on_every_type)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const struct screen_options options = {.term = kinds[_i].term,
                                               .lang = kinds[_i].lang,
                                               .rows = sizes[i].rows,
                                               .columns = sizes[i].columns,
                                               .arguments = {"anneal", "-s", "64x64"}};
        struct screen *screen = user_starts(&options);

        user_does(screen, STEPS(GENERATION(0), STATUS("PAUSE"), ROW(-1, "help"), PRESS("."),
                                GENERATION(1)));
        /* Box lines must not appear as letters of the alternate character set. */
        ck_assert_msg(!screen_shows(screen, "qqqq"), "%s", screen_text(screen));
        if (strcmp(kinds[_i].lang, "C") == 0)
            for (const char *c = screen_bytes(screen, NULL); *c; c++)
                ck_assert_msg((unsigned char)*c < 128, "byte %#x in locale C", (unsigned char)*c);
        user_quits(screen);
    }
}
END_TEST

START_TEST(reports_a_too_small_screen)
{
    const struct screen_options options = {.rows = 11, .columns = 70};
    struct screen *screen = screen_start(&options);

    user_does(screen,
              STEPS(SHOWS("70x11"), SHOWS("40x12"), RESIZE(12, 40), GENERATION(0), RESIZE(12, 39),
                    SHOWS("39x12"), RESIZE(5, 20), ROW(0, "terminal is 20x5,"),
                    ROW(1, "needs 40x12; q quits"), RESIZE(2, 12), ROW(0, "needs 40x12;"),
                    ROW(1, "q quits"), RESIZE(1, 9), ROW(0, "40x12"), LACKS("needs")));
    user_quits(screen);
}
END_TEST

START_TEST(smallest_of_all)
{
    const struct screen_options options = {.rows = 1, .columns = 1};
    struct screen *screen = screen_start(&options);

    user_does(screen, STEPS(SHOWS("."), RESIZE(24, 80), GENERATION(0), RESIZE(1, 1), HIDES("gen")));
    user_quits(screen);
}
END_TEST

START_TEST(resizes_while_it_runs)
{
    static const struct {
        int rows, columns;
    } steps[] = {{12, 40}, {1, 1}, {60, 200}, {13, 100}, {50, 41}, {24, 80}};
    struct screen *screen = user_starts_default();

    screen_send(screen, " ");
    expect_generation_from(screen, 2);
    for (size_t i = 0; i < COUNT(steps); i++) {
        screen_resize(screen, steps[i].rows, steps[i].columns);
        if (steps[i].rows < 12)
            continue;
        screen_expect_row(screen, -1, "help");
        expect_status(screen, "RUN");
    }
    expect_generation_from(screen, shown_generation(screen) + 2);
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    user_quits(screen);
}
END_TEST

/* --- unusable terminals ----------------------------------------------------------------------- */

static const struct {
    const char *term, *says;
    int no_terminal;
} refusals[] = {
    {"-", "TERM is not set", 0},
    {"dumb", "'dumb'", 0},
    {"no-such-terminal", "'no-such-terminal'", 0},
    {NULL, "standard input is not a terminal", 1},
    {NULL, "standard output is not a terminal", 2},
    {NULL, "standard input is not a terminal", 16},
    {NULL, "standard output is not a terminal", 32},
};

START_TEST(refuses_where_nothing_can_be_drawn)
{
    const struct screen_options options = {.term = refusals[_i].term,
                                           .no_terminal = refusals[_i].no_terminal,
                                           .rows = 24,
                                           .columns = 400};
    struct screen *screen = screen_start(&options);
    const char *bytes;

    ck_assert_int_eq(screen_end(screen), CA_USAGE << 8);
    bytes = screen_bytes(screen, NULL);
    ck_assert_contains(bytes, refusals[_i].says, "calab run");
    ck_assert_msg(!strchr(bytes, '\033'), "it was drawn upon: %s", bytes);
    screen_close(screen);
}
END_TEST

/* --- ends ------------------------------------------------------------------------------------- */

static const struct {
    int signal;
    bool saves;
} signals[] = {{SIGTERM, true},  {SIGHUP, true},  {SIGQUIT, false}, {SIGSEGV, false},
               {SIGABRT, false}, {SIGBUS, false}, {SIGFPE, false},  {SIGILL, false}};

START_TEST(every_signal_restores_the_modes)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64"}};
    struct screen *screen = screen_start(&options);
    const char *rest;
    size_t drawn;
    pid_t engine;

    user_does(screen, STEPS(GENERATION(0), PRESS("..."), GENERATION(3)));
    engine = engine_of(screen);
    ck_assert_int_gt(engine, 0);
    screen_bytes(screen, &drawn);
    ck_assert_int_eq(kill(screen_pid(screen), signals[_i].signal), 0);
    ck_assert_int_eq(screen_end(screen) & 0x7f, signals[_i].signal);
    ck_assert(screen_modes_as_before(screen));
    rest = screen_bytes(screen, NULL) + drawn;
    ck_assert_contains(rest, "\033[?1049l"); /* the screen from before */
    ck_assert_contains(rest, "\033[?25h");   /* the cursor */
    process_expect_end(engine);
    screen_close(screen);
    if (!signals[_i].saves)
        return;
    screen = user_starts_default();
    expect_status(screen, "64x64");
    expect_generation(screen, 3);
    user_quits(screen);
}
END_TEST

START_TEST(lost_terminal_ends_it)
{
    /* With SIGHUP, and under nohup, where only poll reports it; paused and running. */
    const struct screen_options options = {.hangup_ignored = _i & 1};
    struct screen *screen = user_starts(&options);
    pid_t engine = engine_of(screen);

    screen_send(screen, ".");
    expect_generation(screen, 1);
    if (_i & 2) {
        screen_send(screen, " ");
        expect_generation_from(screen, 3);
    }
    screen_hang_up(screen);
    screen_end(screen);
    process_expect_end(engine);
    screen_close(screen);
    screen = user_starts_default();
    if (_i & 2)
        expect_generation_from(screen, 3);
    else
        expect_generation(screen, 1);
    user_quits(screen);
}
END_TEST

START_TEST(crashed_engine_is_reported_and_restarted)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64"}};
    struct screen *screen = user_starts(&options);
    const bool running = _i;
    long long generation;
    double killed;
    pid_t engine;

    user_types(screen, "g", "20");
    expect_generation(screen, 20);
    if (running) {
        screen_send(screen, " ");
        expect_generation_from(screen, 22);
    }
    engine = engine_of(screen);
    killed = seconds_now();
    ck_assert_int_eq(kill(engine, SIGKILL), 0);
    screen_expect(screen, "restarted at generation");
    figure("engine restart", seconds_now() - killed, "s");
    screen_expect(screen, "Killed");
    ck_assert_int_ne(engine_of(screen), engine);
    ck_assert_int_gt(engine_of(screen), 0);
    if (running)
        screen_send(screen, ".");
    expect_status(screen, "PAUSE");
    screen_listen(screen, 0.5);
    generation = shown_generation(screen);
    if (!running)
        ck_assert_int_le(generation, 20);
    screen_send(screen, ".");
    expect_generation(screen, generation + 1);
    user_quits(screen);
}
END_TEST

/* The log holds what the engine was asked last and where it was. A sanitizer has a report of its
 * own. */
START_TEST(crash_leaves_a_log)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64"},
                                           .environment = {"CALAB_FPS=60"},
                                           .columns = 200,
                                           .rows = 40};
    struct screen *screen = user_starts(&options);
    size_t size;
    char *log;

    user_does(screen, STEPS(PRESS("."), GENERATION(1), PRESS(" "),
                            REACHES(40) /* each with a frame, more than requests are kept */));
    ck_assert_int_eq(kill(engine_of(screen), SIGSEGV), 0);
    screen_expect(screen, "restarted at generation");
    log = test_read(test_path("state/calab/workbench.log"), &size);
    if (!SANITIZED) {
        user_does(screen, STEPS(SHOWS("engine ended by SIGSEGV at generation "), SHOWS("; see /"),
                                SHOWS("/calab/workbench.log")));
        ck_assert_contains(log, " ended by SIGSEGV from process ", "\"op\":\"open\"",
                           "\"op\":\"step\"", "\"op\":\"run\"");
        ck_assert_ptr_null(strstr(log, "\"op\":\"ack\""));
        ck_assert_contains(log, "backtrace:\n", "ca_engine_serve");
    }
    user_quits(screen);
}
END_TEST

START_TEST(lines_of_a_vt100)
{
    const struct screen_options options = {.lang = "C", .term = _i ? "xterm" : "vt100"};
    struct screen *screen = user_starts(&options);

    screen_expect_row(screen, 1, _i ? "+-[1 lattice" : "\342\224\214\342\224\200[1 lattice");
    user_quits(screen);
}
END_TEST

/* After the second crash the user decides, because a third one is likely. */
START_TEST(engine_that_crashes_twice_waits)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64"}, .columns = 200, .rows = 24};
    struct screen *screen = user_starts(&options);

    ck_assert_int_eq(kill(engine_of(screen), SIGSEGV), 0);
    screen_expect(screen, "restarted at generation");
    ck_assert_int_eq(kill(engine_of(screen), SIGSEGV), 0);
    user_does(screen,
              STEPS(SHOWS("engine crashed twice in a row; press r to restart at generation 0"),
                    STATUS("DEAD"), PRESS("."),
                    SHOWS("the engine is not running; press r to restart at generation 0"),
                    PRESS("r"), STATUS("PAUSE"), GENERATION(0)));
    user_quits(screen);
}
END_TEST

START_TEST(hung_engine_can_be_restarted)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64"}};
    struct screen *screen = user_starts(&options);
    pid_t engine = engine_of(screen);

    screen_send(screen, ".");
    expect_generation(screen, 1);
    ck_assert_int_eq(kill(engine, SIGSTOP), 0);
    user_does(screen, STEPS(PRESS("."), STATUS("HUNG"), PRESS("\003"), SHOWS("kill the engine"),
                            PRESS("j\r"), SHOWS("restarted at generation")));
    process_expect_end(engine);
    expect_status(screen, "PAUSE");
    user_quits(screen);
}
END_TEST

/* --- suspending ------------------------------------------------------------------------------- */

static int body_workbench(const void *data)
{
    const char *const program = test_program();

    (void)data;
    execl(program, program, "anneal", (char *)NULL);
    return 127;
}

static int body_shell(const void *data) { return shell_with_job(body_workbench, data); }

START_TEST(suspends_with_its_engine)
{
    const struct screen_options options = {.environment = {"CALAB_SPEED=0"}, .body = body_shell};
    struct screen *screen = screen_start(&options);
    pid_t workbench, engine;
    long ticks;

    expect_generation(screen, 0);
    workbench = process_child(screen_pid(screen));
    engine = process_child(workbench);
    user_does(screen, STEPS(PRESS(" "), REACHES(3), PRESS("\032"), SHOWS("STOPPED 1")));
    ck_assert(screen_modes_as_before(screen));
    screen_listen(screen, 0.3);
    ticks = process_ticks(workbench) + process_ticks(engine);
    screen_listen(screen, 1);
    ck_assert_int_le(process_ticks(workbench) + process_ticks(engine) - ticks, 1);
    user_does(screen, STEPS(PRESS("fg\r"), REACHES(3), ROW(-1, "help"), PRESS("r"), GENERATION(0),
                            PRESS("q")));
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
}
END_TEST

/* --- output ----------------------------------------------------------------------------------- */

START_TEST(first_frame_comes_soon)
{
    const double start = seconds_now();
    struct screen *screen = user_starts_default();
    double took;

    screen_expect(screen, "live  "); /* an observable, from the same frame */
    took = seconds_now() - start;
    figure("first frame", took * 1000, "ms");
    ck_assert_double_lt(took, 5);
    user_quits(screen);
}
END_TEST

/* Also with the device panel, whose values change all the time. */
START_TEST(paused_and_idle_is_silent)
{
    struct screen *screen = user_starts_default();
    const pid_t engine = engine_of(screen);
    long ticks;

    if (_i == 1) {
        screen_send(screen, "4");
        screen_expect(screen, "4 device");
    }
    user_does(screen, STEPS(PRESS("."), GENERATION(1), WAIT_MS(1500)));
    ticks = process_ticks(screen_pid(screen)) + process_ticks(engine);
    ck_assert_uint_eq(screen_listen(screen, 2), 0);
    ck_assert_int_le(process_ticks(screen_pid(screen)) + process_ticks(engine) - ticks, 1);
    user_quits(screen);
}
END_TEST

START_TEST(running_sends_little)
{
    const struct screen_options options = {.lang = _i ? "C" : "C.UTF-8",
                                           .term = _i ? "vt100" : "xterm-256color",
                                           .environment = {"CALAB_GLYPHS=auto"}};
    struct screen *screen = user_starts(&options);
    size_t bytes;

    screen_send(screen, " ");
    expect_generation_from(screen, 2);
    bytes = screen_listen(screen, 2);
    figure("bytes a second at 80x24", (double)bytes / 2, "B/s");
    ck_assert_uint_gt(bytes, 0);
    ck_assert_uint_lt(bytes, 2 * (_i ? 20000 : 30000)); /* at 10 frames a second; with colours */
    screen_send(screen, " ");
    user_quits(screen);
}
END_TEST

/* Whether the panel of the lattice has begun to be filled. */
static bool picture_is_drawn(struct screen *screen, const void *data)
{
    int drawn = 0;

    (void)data;
    for (int row = 2; row < 18; row++)
        for (int column = 2; column < 40; column++)
            drawn += screen_character(screen, row, column) != ' ';
    return drawn > 60;
}

/* Of every model, fitted: in ASCII and 8 colours, and in half blocks of 256 colours, also of a
 * soup, most of whose cells change in each generation, and of a wide gas, whose flow trembles. */
START_TEST(frames_are_small)
{
    int models = (int)test_models();
    bool blocks = _i >= models;
    const struct screen_options options = {.arguments = {ca_models[_i % models]->name},
                                           .lang = blocks ? NULL : "C",
                                           .term = blocks ? NULL : "xterm",
                                           .environment = {"CALAB_SPEED=1", "CALAB_GLYPHS=auto"}};
    struct screen *screen = user_starts(&options);
    size_t bytes;

    screen_send(screen, "f ");
    expect_generation_from(screen, 2);
    bytes = screen_listen(screen, 1);
    figure("bytes a frame", (double)bytes / 10, "B");
    ck_assert_uint_gt(bytes, 0);
    ck_assert_uint_lt(bytes, 11 * (blocks ? 3000 : 2000));
    screen_send(screen, " ");
    user_quits(screen);
}
END_TEST

/* Half blocks, unless letters are all that the terminal has, or colours are not wanted. */
START_TEST(first_frame_is_in_colour)
{
    static const struct {
        const char *term, *lang, *variable;
        bool blocks;
    } places[] = {{NULL, NULL, "CALAB_GLYPHS=", true},
                  {NULL, NULL, "NO_COLOR=1", false},
                  {NULL, "C", "CALAB_GLYPHS=", false},
                  {"xterm-16color", NULL, "CALAB_GLYPHS=", false},
                  {NULL, NULL, "CALAB_COLOURS=mono", false}};
    const struct screen_options options = {
        .term = places[_i].term,
        .lang = places[_i].lang,
        .arguments = {"cloud", "-s", "64x64x64"},
        .environment = {"CALAB_GLYPHS=auto", places[_i].variable}};
    struct screen *screen = user_starts(&options);
    struct cells cells;
    int blocks = 0, coloured = 0;

    screen_until(screen, picture_is_drawn, NULL, "a picture");
    cells = cells_of(screen);
    for (int i = 0; i < cells.rows * cells.columns; i++) {
        uint32_t c = cells.cell[i].character;

        blocks += c == 0x2580 || c == 0x2584 || c == 0x2588;
        coloured += (c == 0x2580 || c == 0x2584) && cells.cell[i].front > 15;
    }
    ck_assert_int_eq(blocks > 20, places[_i].blocks);
    ck_assert_int_eq(coloured > 10, places[_i].blocks);
    cells_free(&cells);
    user_quits(screen);
}
END_TEST

#define DELAY_S 0.2

/* Keys answer while the busiest pictures run over a line of 100 kB/s that takes 0.2 s each way:
 * more of them than the line carries, which it holds back, or less, into buffers as deep as a
 * network's.
 */
START_TEST(keys_answer_on_a_slow_line)
{
    const struct screen_options options = {
        .arguments = {"fhp"},
        .environment = {_i ? "CALAB_GLYPHS=braille" : "CALAB_GLYPHS=half", "CALAB_SPEED=0",
                        _i ? NULL : "CALAB_FPS=60"},
        .delay_s = DELAY_S,
        .bytes_per_s = 100e3,
        .ahead_bytes = _i ? 1 << 20 : 4096};
    struct screen *screen = user_starts(&options);
    double sent, worst = 0;

    user_does(screen, STEPS(PRESS("f "), REACHES(2), WAIT_MS(500)));
    for (int i = 0; i < 2; i++) {
        sent = seconds_now();
        screen_send(screen, i ? "q" : "?");
        if (i)
            screen_expect_not(screen, "run or pause");
        else
            screen_expect(screen, "run or pause");
        worst = fmax(worst, seconds_now() - sent);
    }
    figure("a key on a slow line", worst, "s");
    ck_assert_double_lt(worst, (SANITIZED ? 5 : 0.5) + 2 * DELAY_S);
    screen_close(screen);
}
END_TEST

/* A screen takes a second or more to send here; the engine goes on all the same. */
START_TEST(slow_line_slows_no_engine)
{
    const struct screen_options options = {.arguments = {"anneal", "-s", "64x64"},
                                           .environment = {"CALAB_SPEED=0"},
                                           .bytes_per_s = 2e3};
    struct screen *screen = user_starts(&options);
    long long least;

    screen_send(screen, " ");
    expect_generation_from(screen, 2);
    least = shown_generation(screen) + 1000;
    expect_generation_from(screen, least);
    figure("generations while one frame was sent", (double)(shown_generation(screen) - least), "");
    screen_close(screen);
}
END_TEST

START_TEST(no_color_disables_colours)
{
    const struct screen_options options = {.environment = {_i ? "NO_COLOR=1" : NULL}};
    struct screen *screen = user_starts(&options);

    for (int i = 0; i < 2; i++) {
        user_does(screen, STEPS(CHOOSE("m", i ? "cloud" : "fhp"), GENERATION(0), PRESS("."),
                                GENERATION(1)));
    }
    screen_send(screen, "?");
    screen_expect(screen, "run or pause");
    ck_assert_int_eq(screen_coloured(screen, 0), !_i);
    screen_send(screen, "q");
    screen_expect_not(screen, "run or pause");
    user_quits(screen);
}
END_TEST

/* By default it is on where the terminal has one, and M turns it off, or on where it has none. */
static const struct {
    const char *term;
    bool has;
} mice[] = {{"xterm-256color", true}, {"tmux-256color", true}, {"vt100", false}};

START_TEST(mouse_is_on_where_there_is_one)
{
    const struct screen_options options = {.term = mice[_i].term};
    struct screen *screen = user_starts(&options);

    ck_assert_int_eq(strstr(screen_bytes(screen, NULL), "1000h") != NULL, mice[_i].has);
    screen_forget_bytes(screen);
    screen_send(screen, "M");
    screen_expect(screen, mice[_i].has ? "mouse: off" : "mouse: on");
    if (mice[_i].has)
        ck_assert_contains(screen_bytes(screen, NULL), "1000l");
    user_quits(screen);
    ck_assert_contains(saved_settings(), mice[_i].has ? "mouse = \"off\"" : "mouse = \"on\"");
}
END_TEST

START_TEST(mouse_is_given_back)
{
    struct screen *screen = user_starts_default();

    screen_forget_bytes(screen);
    screen_send(screen, "q");
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert_contains(screen_bytes(screen, NULL), "1000l");
    screen_close(screen);
}
END_TEST

/* Presses and releases a button of the mouse at a row and column of the screen, from 0. */
static void press(struct screen *screen, int button, int row, int column)
{
    int x = column + 1, y = row + 1;

    screen_send(screen, test_text("\033[<%d;%d;%dM\033[<%d;%d;%dm", button, x, y, button, x, y));
}

START_TEST(a_click_sets_the_cursor)
{
    const struct screen_options options = {.rows = 36,
                                           .columns = 120,
                                           .environment = {"CALAB_GLYPHS=ramp10"},
                                           .arguments = {"anneal", "-s", "72x60"}};
    struct screen *screen = user_starts(&options);

    user_does(screen, STEPS(SHOWS("1x2 a char"), SHOWS("1 live") /* the first frame */));
    press(screen, 0, 3, 4);
    screen_expect(screen, "cell 3,2");
    press(screen, 0, 4, 7); /* a cursor that describes goes on doing so */
    screen_expect(screen, "cell 6,4");
    ck_assert_ptr_null(strstr(screen_text(screen), "E leave"));
    screen_expect(screen, "\n\u2514\u2500 cell 6,4 cell=0 (empty)"); /* in its own border */
    ck_assert_ptr_nonnull(strstr(screen_text(screen), "1x2 a char"));
    press(screen, 64, 4, 7); /* the wheel, up and down */
    screen_expect(screen, "2x1 a cell");
    press(screen, 0, 2, 1 + 2 * 3); /* in the first row of the picture */
    screen_expect(screen, "cell 3,2");
    press(screen, 65, 4, 7);
    screen_expect(screen, "1x2 a char");
    press(screen, 0, 3, 80); /* another panel takes the keys, and has no scale */
    screen_expect(screen, "[2 timing]");
    press(screen, 64, 3, 80);
    press(screen, 0, 2, 1 + 9);
    screen_expect(screen, "cell 9,0");
    ck_assert_ptr_nonnull(strstr(screen_text(screen), "[1 lattice"));
    ck_assert_ptr_nonnull(strstr(screen_text(screen), "1x2 a char"));
    screen_close(screen);
}
END_TEST

/* Before the first frame, which never comes here, it takes the focus, and there is no cell. */
START_TEST(a_click_without_a_frame)
{
    const struct screen_options options = {
        .rows = 36,
        .columns = 120,
        .environment = {"CALAB_MOUSE=on", "CALAB_ENGINE_COMMAND=false"},
        .arguments = {"anneal", "-s", "60x40"}};
    struct screen *screen = screen_start(&options);

    screen_expect(screen, "no engine");
    press(screen, 0, 3, 80);
    screen_expect(screen, "[2 timing]");
    press(screen, 0, 3, 4);
    screen_expect(screen, "[1 lattice");
    press(screen, 64, 3, 4);
    screen_listen(screen, 0.1);
    ck_assert(screen_is_alive(screen));
    ck_assert_ptr_null(strstr(screen_text(screen), "\u2500 cell "));
    screen_close(screen);
}
END_TEST

static const struct script scripts[] = {
    {"unknown xterm variant is reported", OPTIONS(.term = "xterm-from-the-future"),
     STEPS(SHOWS("'xterm-from-the-future', which terminfo does not know"))},
};

int main(void)
{
    return RUN_TESTS(.test = {reports_a_too_small_screen, smallest_of_all, resizes_while_it_runs,
                              engine_that_crashes_twice_waits, crash_leaves_a_log,
                              hung_engine_can_be_restarted, suspends_with_its_engine,
                              first_frame_comes_soon, slow_line_slows_no_engine,
                              mouse_is_given_back, a_click_sets_the_cursor,
                              a_click_without_a_frame},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {draws_on_every_type, COUNT(kinds)},
                               {refuses_where_nothing_can_be_drawn, COUNT(refusals)},
                               {every_signal_restores_the_modes, COUNT(signals)},
                               {lost_terminal_ends_it, 4},
                               {crashed_engine_is_reported_and_restarted, 2},
                               {mouse_is_on_where_there_is_one, COUNT(mice)},
                               {lines_of_a_vt100, 2},
                               {paused_and_idle_is_silent, 2},
                               {running_sends_little, 2},
                               {frames_are_small, 2 * test_models()},
                               {first_frame_is_in_colour, 5},
                               {keys_answer_on_a_slow_line, 2},
                               {no_color_disables_colours, 2}});
}
