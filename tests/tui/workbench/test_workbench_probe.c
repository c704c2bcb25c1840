/* SPDX-License-Identifier: MIT */
/* The probe from the workbench: it measures in an engine of its own, and the panes take it up. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/probe/probe.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

static struct ca_error error;

static const struct screen_options small_lattice = {
    .arguments = {"anneal", "-s", "64x48", "-b", "bitslice"}, .rows = 24, .columns = 120};

/* The file of the program, whose home is the test's folder. */
static const char *kept_path(void)
{
    static char path[512];

    snprintf(path, sizeof path, "%s%s", test_path(".cache/calab"), strrchr(ca_probe_path(), '/'));
    return path;
}

static bool is_kept(void) { return access(kept_path(), F_OK) == 0; }

/* The figures of the panel have no shares before, and have some afterwards, without a step. */
START_TEST(shares_come_with_the_ceilings)
{
    struct screen *screen = user_starts(&small_lattice);

    unlink(kept_path());
    user_does(screen, STEPS(ENTER("g", "40"), GENERATION(40), SHOWS("unknown: calab probe")));
    if (_i)
        user_types(screen, ":", "probe");
    else
        screen_send(screen, "P");
    user_does(screen, STEPS(SHOWS("probe: what this machine can do at most"), SHOWS("measuring "),
                            SHOWS("64-bit logic"), SHOWS("kept in ")));
    ck_assert(is_kept());
    user_does(screen, STEPS(PRESS("q"), HIDES("probe: what") /* which covers the panel */,
                            SHOWS("ceiling  "), HIDES("unknown: calab probe"), GENERATION(40)));
    user_quits(screen);
}
END_TEST

/* A run is paused meanwhile and goes on; ^C ends the probe, the file stays, the run is paused. */
START_TEST(it_is_stopped_and_runs_go_on)
{
    struct screen *screen = user_starts(&small_lattice);
    pid_t pane = engine_of(screen);

    unlink(kept_path());
    user_does(screen,
              STEPS(PRESS(" "), REACHES(1), PRESS("P"), SHOWS("measuring "), STATUS("PAUSE"),
                    PRESS("\003"), SHOWS("stopped: the ceilings are those from before")));
    ck_assert(!is_kept());
    user_does(screen, STEPS(PRESS("q"), HIDES("probe: what"), STATUS("PAUSE"), PRESS(" "),
                            STATUS("RUN"), PRESS("P"), SHOWS("measuring "),
                            PRESS("q") /* closing the list ends it, too */, STATUS("RUN")));
    ck_assert(!is_kept());
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    ck_assert_int_eq(engine_of(screen), pane);
    user_quits(screen);
}
END_TEST

START_TEST(an_engine_that_dies_is_told)
{
    struct screen *screen = user_starts(&small_lattice);
    pid_t pane = engine_of(screen), own;

    unlink(kept_path());
    screen_send(screen, "P");
    screen_expect(screen, "measuring ");
    own = user_newest_engine(screen);
    ck_assert_int_ne(own, pane);
    ck_assert_int_eq(kill(own, SIGSEGV), 0);
    screen_expect(screen, "SIGSEGV");
    screen_expect_not(screen, "measuring");
    ck_assert(!is_kept());
    screen_send(screen, "q.");
    expect_generation(screen, 1);
    user_quits(screen);
}
END_TEST

/* Ceilings that cannot be kept are shown all the same, with the reason. */
START_TEST(what_cannot_be_kept_is_shown)
{
    struct screen *screen = user_starts(&small_lattice);
    const char *path = kept_path();

    unlink(path);
    ck_assert_ok(ca_file_parents(path, &error));
    ck_assert_int_eq(mkdir(path, 0700), 0);
    user_does(screen, STEPS(PRESS("P"), SHOWS("64-bit logic"), SHOWS("not kept: "), PRESS("q")));
    ck_assert_int_eq(rmdir(path), 0);
    user_quits(screen);
}
END_TEST

/* Shares of ceilings that others disturbed say so, and below them stands why auto chose. */
START_TEST(the_panel_says_what_it_rests_on)
{
    static const struct screen_options chosen = {
        .arguments = {"anneal", "-s", "64x48"}, .rows = 70, .columns = 120};
    struct ca_probe probe = {.isa = ca_cpu_isa(),
                             .date = "a day",
                             .logic_gops = {1e3, 1e3},
                             .others = "others used 1.3 of 2 cores"};
    struct ca_device device;
    struct screen *screen;

    ca_device_cpu(&device);
    memcpy(probe.cpu, device.name, sizeof probe.cpu);
    probe.threads = device.cores;
    for (int i = 0; i < CA_LEVELS; i++)
        for (int which = 0; which < 2; which++)
            probe.level[i].copy_gb[which] = probe.level[i].stream_gb[which] = 1e3;
    ck_assert_ok(ca_file_parents(kept_path(), &error));
    ck_assert_ok(ca_probe_write(&probe, kept_path(), &error));
    screen = user_starts(&chosen);
    user_does(screen,
              STEPS(ENTER("g", "40"), GENERATION(40), SHOWS("when others used 1.3 of 2 cores"),
                    PRESS("\tz") /* where there is room for all rows */, SHOWS("auto     "),
                    SHOWS(" x "), PRESS("z"), SHOWS("observables")));
    user_quits(screen);
    unlink(kept_path());
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = test_hurry,
                     .test = {it_is_stopped_and_runs_go_on, an_engine_that_dies_is_told,
                              what_cannot_be_kept_is_shown, the_panel_says_what_it_rests_on},
                     .table = {{shares_come_with_the_ceilings, 2}});
}
