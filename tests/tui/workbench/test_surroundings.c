/* SPDX-License-Identifier: MIT */
/*
 * The workbench where what is around it is odd: terminals of no size and of a million characters,
 * one that is not read, a home where nothing can be written, a clock that goes back.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

/* --- sizes ------------------------------------------------------------------------------------ */

/* One that tells 0x0 does not know its size: 80x24 is taken, until it tells another. */
START_TEST(no_size_at_all)
{
    const struct screen_options options = {.rows = -1, .columns = -1};
    struct screen *screen = user_starts(&options);

    user_does(screen, STEPS(ROW(23, "space run"), PRESS(" "), REACHES(2)));
    for (int i = 0; i < 3; i++) {
        screen_resize_silently(screen, 0, 0);
        screen_listen(screen, 0.2);
        ck_assert(screen_is_alive(screen));
        user_does(screen, STEPS(RESIZE(30, 100), ROW(29, "space run"), STATUS("RUN")));
    }
    user_quits(screen);
}
END_TEST

/* The size is another for a moment, in which the terminal loses what it shows, and the workbench
 * sees it only when it is the old one again. */
START_TEST(another_size_for_a_moment)
{
    struct screen *screen = user_starts_default();

    kill(screen_pid(screen), SIGSTOP);
    process_expect_stop(screen_pid(screen));
    user_does(screen, STEPS(RESIZE(3, 10), RESIZE(24, 80), WAIT_MS(100)));
    ck_assert(!screen_row_shows(screen, 23, "space run"));
    kill(screen_pid(screen), SIGCONT);
    screen_expect_row(screen, 23, "space run");
    screen_expect_row(screen, 0, "gen 0");
    user_quits(screen);
}
END_TEST

/* Nobody reads for a while: the engine goes on, and so does the workbench after that. */
START_TEST(a_terminal_that_is_not_read)
{
    const struct screen_options options = {
        .rows = 60, .columns = 200, .arguments = {"anneal"}, .environment = {"CALAB_FPS=60"}};
    struct screen *screen = user_starts(&options);
    long long before;

    screen_send(screen, " ");
    expect_generation_from(screen, 2);
    before = shown_generation(screen);
    usleep(1500000);
    expect_generation_from(screen, before + 2);
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    usleep(100000);
    kill(screen_pid(screen), SIGTERM);
    screen_end(screen);
    screen_close(screen);
}
END_TEST

/* --- a home where nothing can be written ------------------------------------------------------ */

/* In /proc/self not even root can make a file. */
static const struct screen_options no_home = {
    .rows = 24,
    .columns = 120,
    .arguments = {"fhp", "-s", "64x64"},
    .environment = {"HOME=/proc/self", "XDG_CONFIG_HOME=/proc/self/config",
                    "XDG_STATE_HOME=/proc/self/state", "XDG_CACHE_HOME=/proc/self/cache"}};

START_TEST(a_home_that_cannot_be_written)
{
    struct screen *screen = user_starts(&no_home);
    pid_t engine;

    user_does(screen, STEPS(SHOWS("cannot"), PRESS("\033\033\033"), COMMAND("set p_force=0.1"),
                            PRESS("..."), GENERATION(3), SHOWS("checkpointing is disabled"),
                            CHOOSE("b", "threads"), PRESS("."), GENERATION(4)));
    engine = engine_of(screen);
    kill(engine, SIGKILL);
    process_expect_end(engine);
    user_does(screen, STEPS(GENERATION(0) /* since there is no state to go on from */, PRESS("."),
                            GENERATION(1), PRESS("Q")));
    ck_assert_int_eq(WEXITSTATUS(screen_end(screen)), CA_IO); /* and says what is not kept */
    ck_assert(screen_shows(screen, "cannot make the folder /proc/self/state"));
    screen_close(screen);
}
END_TEST

START_TEST(commands_without_a_home)
{
    static const char *const variables[] = {"HOME=/proc/self", "XDG_CONFIG_HOME=/proc/self/config",
                                            "XDG_STATE_HOME=/proc/self/state",
                                            "XDG_CACHE_HOME=/proc/self/cache", NULL};
    const struct surroundings s = {.variable = variables};
    static const char *const commands[] = {"run anneal -s 64x64 -n 3 -q", "list", "doctor",
                                           "config show", "bench anneal -s 64x64 --time 0.01 -q"};

    for (size_t i = 0; i < COUNT(commands); i++) {
        struct outcome o = calab_in(&s, "%s", commands[i]);

        ck_assert_msg(o.status == 0, "%s: %d: %s", commands[i], o.status, o.err);
    }
}
END_TEST

/* --- a clock that goes back ------------------------------------------------------------------- */

static const char *preload(const char *more)
{
    return test_text("LD_PRELOAD=%s:%s", getenv("CALAB_CLOCK_LIBRARY"), more ? more : "");
}

START_TEST(workbench_with_a_clock_that_goes_back)
{
    const struct screen_options options = {.rows = 30,
                                           .columns = 120,
                                           .arguments = {"fhp", "-s", "64x64"},
                                           .environment = {preload(NULL), "CALAB_SPEED=1"}};
    struct screen *screen = user_starts(&options);
    long long generation;

    user_does(screen, STEPS(PRESS("5 ") /* the log, whose lines have times */, REACHES(3),
                            PRESS(" "), STATUS("PAUSE"), WAIT_MS(300)));
    generation = shown_generation(screen);
    user_quits(screen);
    screen = user_starts_default(); /* with the right time again */
    expect_generation(screen, generation);
    user_quits(screen);
}
END_TEST

START_TEST(commands_with_a_clock_that_goes_back)
{
    /* Its monotonic clock is hurried, so that the speeds of two are soon compared. */
    const char *const variables[] = {preload(getenv("CALAB_HURRIED_LIBRARY")), "CALAB_HURRY=16",
                                     NULL};
    const struct surroundings s = {.variable = variables};
    struct outcome o = calab_in(&s, "run fhp -s 64x64 --seconds 5 -q --checkpoint %s --every-s 0",
                                test_path("c.h5"));
    double wall_s;

    ck_assert_msg(o.status == 0, "%s", o.err);
    wall_s = atof(outcome_value(&o, "wall_s"));
    ck_assert_msg(wall_s > 0 && wall_s < 30, "wall_s is %g", wall_s);
    o = calab_good_in(&s, "bench anneal -s 64x64 -b bitslice --time 0.01 -q --json");
    o = calab_good_in(&s, "run anneal -s 64x64 -b bitslice,threads -n 10 -q");
}
END_TEST

static const struct script scripts[] = {
    {"a million characters",
     OPTIONS(.rows = 1000, .columns = 1000, .arguments = {"anneal"},
             .environment = {"CALAB_FPS=4"}),
     STEPS(ROW(999, "space run"), PRESS("f "), REACHES(2),
           PRESS(" x") /* two panes, and every list */, STATUS("= EQUAL at "), PRESS("?"),
           SHOWS("run or pause"), PRESS("q"), HIDES("run or pause"), RESIZE(24, 80),
           ROW(23, "space run"), RESIZE(1000, 1000), ROW(999, "space run"))},
};

int main(void)
{
    const char *clock = getenv("CALAB_CLOCK_LIBRARY");

    return RUN_TESTS(.test = {no_size_at_all, another_size_for_a_moment,
                              a_terminal_that_is_not_read, a_home_that_cannot_be_written,
                              commands_without_a_home,
                              clock && clock[0] ? workbench_with_a_clock_that_goes_back : NULL,
                              clock && clock[0] ? commands_with_a_clock_that_goes_back : NULL},
                     .table = {{scripts_test(scripts), COUNT(scripts)}});
}
