/* SPDX-License-Identifier: MIT */
/* A pane whose engine runs on another host: a script stands in for ssh, with noise, delay, and a
 * peer that dies, is never reached, is of another version, or is out of order. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/support/support.h"
#include "tests/support/script.h"

/* calab.cfg with the script in ssh's place. */
static void stand_in(const char *script)
{
    char text[8192];
    int length;

    test_put("ssh", script);
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

/* Line 1 says where the backend of a single pane runs. */
START_TEST(one_pane_on_a_host)
{
    const struct screen_options one = {
        .columns = 120, .rows = 24, .arguments = {"anneal", "-s", "64x64", "-b", "box:threads"}};
    struct screen *screen;

    stand_in(test_text("exec %s engine", test_program()));
    screen = user_starts(&one);
    user_does(screen, STEPS(STATUS("box:threads on cpu"), PRESS("."), GENERATION(1)));
    user_quits(screen);
}
END_TEST

START_TEST(two_hosts_in_lock_step)
{
    struct screen *screen;

    stand_in(test_text(
        "echo \"Welcome to $1\"; echo banner >&2; sleep 0.3; printf 'last login: '; exec %s "
        "engine",
        test_program()));
    screen = user_starts(&two);
    user_does(screen, STEPS(STATUS("= EQUAL at 0, 1x"), SHOWS("A bitslice"), SHOWS("B box:threads"),
                            PRESS("..."), STATUS("= EQUAL at 3, "), PRESS("y"),
                            SHOWS("-b bitslice,box:threads"), PRESS("\033"), PRESS("x"),
                            HIDES("box:threads"), PRESS("."), GENERATION(4)));
    user_quits(screen);
}
END_TEST

static const struct {
    const char *script, *text;
} gone[] = {
    {"echo 'ssh: connect to host box port 22: Connection timed out' >&2; exit 255",
     "engine on box cannot be reached: 'ssh: connect to host box port 22: Connection timed out'"},
    {"echo 'sh: 1: calab: not found' >&2; exit 127", "cannot be started: there is no such program"},
    {"echo '" ENGINE_GREETING "'; sleep 0.2; exit 255",
     "engine on box is gone: the connection ended"},
    {"echo 'This account is not available.'; exit 1", "'This account is not available.'"},
};

/* A is usable whatever becomes of B. */
START_TEST(host_that_is_gone)
{
    struct screen *screen;

    stand_in(gone[_i].script);
    screen = user_starts(&two);
    user_does(screen, STEPS(SHOWS(gone[_i].text), STATUS("bitslice"), PRESS("."), GENERATION(1)));
    user_quits(screen);
}
END_TEST

/* A host that takes its time has not hung. */
START_TEST(slow_host_is_not_hung)
{
    struct screen *screen;

    stand_in(test_text("sleep 4; exec %s engine", test_program()));
    screen = user_starts(&two);
    user_does(screen, STEPS(WAIT_MS(3000), LACKS("has not responded"), STATUS("= EQUAL at 0, 1x")));
    user_quits(screen);
}
END_TEST

/* --- a state that travels --------------------------------------------------------------------- */

/* The stand-in's first engine is a plain one; what the later ones are is the script's `later`, in
 * which ENGINE stands for the command. */
static void stand_in_later(const char *later)
{
    stand_in(test_text("ENGINE='%s engine'\nif [ -e %s ]; then\n%s\nfi\n: >%s\nexec $ENGINE\n",
                       test_program(), test_path("again"), later, test_path("again")));
}

static const struct screen_options modified = {
    .columns = 120,
    .rows = 24,
    .arguments = {"cloud", "-s", "32x32x16", "-b", "bitslice,box:threads"}};

/* A run whose start does not lead to its state, and a split with B on the other host. */
static struct screen *splits_in_mid_run(const char *later)
{
    struct screen *screen;

    stand_in_later(later);
    screen = user_starts(&modified);
    user_does(screen, STEPS(STATUS("= EQUAL at 0, 1x"), PRESS("x"), HIDES("B box:threads"),
                            ENTER("g", "6"), GENERATION(6), COMMAND("set p_ext=0.25"),
                            SHOWS("p_ext changed"), PRESS("...."), GENERATION(10), PRESS("x")));
    return screen;
}

START_TEST(state_goes_to_another_host)
{
    struct screen *screen = splits_in_mid_run("exec $ENGINE");

    user_does(screen, STEPS(SHOWS("B box:threads"), STATUS("= EQUAL at 10, 1x"), PRESS("."),
                            STATUS("= EQUAL at 11, 2x")));
    user_quits(screen);
}
END_TEST

/* A is as it was, whatever becomes of a state on its way. */
static void expect_a_alone(struct screen *screen)
{
    user_does(screen, STEPS(HIDES("B box:threads"), GENERATION(10), PRESS("."), GENERATION(11)));
    user_quits(screen);
}

/* Its input ends in the middle of the 6 KiB of the state. */
START_TEST(peer_that_dies_on_the_way)
{
    struct screen *screen = splits_in_mid_run("dd bs=1 count=4000 status=none | $ENGINE\nexit 255");

    screen_expect(screen, "B (threads): engine on box is gone: the connection ended");
    screen_expect(screen, "the split is closed");
    expect_a_alone(screen);
}
END_TEST

START_TEST(state_on_its_way_is_stopped)
{
    struct screen *screen =
        splits_in_mid_run("{ dd bs=1 count=4000 status=none; exec sleep 20; } | $ENGINE\nexit");

    user_does(screen, STEPS(STATUS("state to B: 0 % of 6 KiB"),
                            STATUS("BUSY") /* whether it is hung is not known */,
                            SHOWS("box has not answered for 2 s: it is slow, or gone"),
                            PRESS("\003"), SHOWS("stopped: the state of A did not go to B")));
    expect_a_alone(screen);
}
END_TEST

/* Bytes that were changed on the way are found by their digest. */
START_TEST(state_that_is_damaged)
{
    struct screen *screen = splits_in_mid_run(
        "LC_ALL=C sed -u 's/\"digest\":\"[0-9a-f]*\"/\"digest\":\"0123456789abcdef\"/' | $ENGINE");

    screen_expect(screen,
                  "the state of A cannot be handed to B: engine on box: take: rows 0 ... 5");
    expect_a_alone(screen);
}
END_TEST

START_TEST(engine_that_takes_no_state)
{
    struct screen *screen = splits_in_mid_run("$ENGINE | LC_ALL=C sed -u '1s/\"take\",//'\nexit");

    screen_expect(screen, " on box cannot take a state; r returns to generation 0");
    expect_a_alone(screen);
}
END_TEST

/* --- another version, and another build ------------------------------------------------------- */

/* Messages are on one line. */
static const struct screen_options wide = {
    .columns = 240,
    .rows = 30,
    .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,box:threads"}};

/* The stand-in's engines, with what they say passed through sed. */
static void stand_in_edited(const char *edit)
{
    stand_in(test_text("%s engine | LC_ALL=C sed -u '%s'\nexit 0\n", test_program(), edit));
}

/* It is refused at the start and in a split, and A goes on. */
START_TEST(another_version)
{
    static const char refusal[] = "engine on box is calab 0.0.9, and this is calab " CALAB_VERSION
                                  ": both must be of the same version";
    struct screen *screen;

    stand_in_edited("1s/\"version\":\"[^\"]*\"/\"version\":\"0.0.9\"/");
    screen = user_starts(&wide);
    user_does(screen, STEPS(SHOWS(refusal), PRESS("."), GENERATION(1), PRESS("\033"),
                            HIDES(refusal), PRESS("x"), SHOWS(refusal), PRESS("."), GENERATION(2)));
    user_quits(screen);
}
END_TEST

/* It sends more observables than the model has, the last of which is violated. */
START_TEST(observables_of_nobody)
{
    struct screen *screen;

    stand_in_edited("s/\"values\":\\[/\"values\":[1,1,1,1,1,1,/;s/\"broken\":-1/\"broken\":6/");
    screen = user_starts(&wide);
    user_does(screen, STEPS(STATUS("= EQUAL at 0, 1x"), PRESS("."), GENERATION(1)));
    user_quits(screen);
}
END_TEST

/* The engine's list lacks a backend, and B's list says so before it is chosen. */
START_TEST(picker_knows_the_other_host)
{
    struct screen *screen;

    stand_in_edited("s/\"name\":\"bitslice\"/\"name\":\"warp\"/g");
    screen = user_starts(&wide);
    user_does(screen, STEPS(STATUS("= EQUAL at 0, 1x"), PRESS("B"), SHOWS("type to filter"),
                            SHOWS("unavailable: the engine there does not have it"), PRESS("\033"),
                            HIDES("type to filter")));
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
    return RUN_TESTS(.test = {one_pane_on_a_host, two_hosts_in_lock_step, slow_host_is_not_hung,
                              state_goes_to_another_host, peer_that_dies_on_the_way,
                              state_on_its_way_is_stopped, state_that_is_damaged,
                              engine_that_takes_no_state, another_version, observables_of_nobody,
                              picker_knows_the_other_host, host_like_an_option_is_refused},
                     .table = {{host_that_is_gone, COUNT(gone)}});
}
