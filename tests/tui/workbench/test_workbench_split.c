/* SPDX-License-Identifier: MIT */
/*
 * Two backends in lock step in the workbench. This program also stands in for calab's engine, with
 * a backend that is right, or wrong in a known way (tests/support/wrong_engine.h).
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tests/support/script.h"
#include "tests/support/user.h"
#include "tests/support/wrong_engine.h"

/* --- lock step -------------------------------------------------------------------------------- */

static const struct {
    int rows, columns;
} sizes[] = {{24, 80}, {12, 40}, {60, 200}};

/* The ratio with its verdict; where others use the machine while the test runs, that it is unsure.
 */
static bool tells_the_faster(struct screen *screen, const void *data)
{
    if (screen_shows(screen, "A and B: unsure"))
        return screen_shows(screen, "unsure, ") || screen_shows(screen, "= EQUAL");
    return screen_shows(screen, data) &&
           (screen_shows(screen, "clear of noise") || !screen_shows(screen, "rate  step"));
}

/* Opens two, compares each generation, tells both rates and their ratio, and closes again. */
START_TEST(two_in_lock_step)
{
    const int rows = sizes[_i].rows, columns = sizes[_i].columns;
    const struct screen_options options = {
        .rows = rows,
        .columns = columns,
        .arguments = {"anneal", "-s", "96x96", "-b", "bitslice,reference"}};
    struct screen *screen = screen_start(&options);

    user_does(screen, STEPS(STATUS("= EQUAL at 0, 1x"), SHOWS("A bitslice"), SHOWS("B reference"),
                            PRESS("..."), STATUS("= EQUAL at 3, ")));
    if (rows > 12) {
        screen_expect(screen, "equal: the hashes agree at 3; checked ");
        screen_until(screen, tells_the_faster, " x B (",
                     "the ratio of A and B, or who disturbs it");
    } else {
        screen_until(screen, tells_the_faster, " A is ",
                     "the ratio of A and B, or who disturbs it");
    }
    user_does(screen, STEPS(PRESS("x"), HIDES("B reference"),
                            STATUS(columns > 40 ? "bitslice" : "PAUSE") /* the rate comes first */,
                            GENERATION(3), PRESS("."), GENERATION(4)));
    user_quits(screen);
}
END_TEST

/* A run in lock step pauses where both are; a reset and a goto move both. */
START_TEST(both_run_and_return)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,threads"}};
    struct screen *screen = user_starts(&options);
    long long at;

    user_does(screen, STEPS(STATUS("= EQUAL at 0, 1x"), PRESS(" "), STATUS("RUN"), REACHES(5),
                            PRESS(" "), STATUS("PAUSE"), WAIT_MS(200)));
    at = shown_generation(screen);
    screen_listen(screen, 0.3);
    ck_assert_int_eq(shown_generation(screen), at);
    user_does(screen, STEPS(PRESS("r"), STATUS("= EQUAL at 0, 1x"), ENTER("g", "100"),
                            STATUS("= EQUAL at 100, "), ENTER("g", "7"), STATUS("= EQUAL at 7, ")));
    user_quits(screen);
}
END_TEST

START_TEST(resizes_in_the_split)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,threads"}};
    struct screen *screen = user_starts(&options);

    expect_status(screen, "= EQUAL at 0, 1x");
    screen_send(screen, " ");
    for (int i = 0; i < 3; i++) {
        user_does(screen, STEPS(RESIZE(sizes[i].rows, sizes[i].columns), SHOWS("view follows A"),
                                RESIZE(5, 20), SHOWS("terminal is")));
    }
    user_does(screen, STEPS(RESIZE(24, 80), SHOWS("A against B"), PRESS(" "), STATUS("PAUSE")));
    user_quits(screen);
}
END_TEST

/* The second engine process of the workbench. */
static pid_t engine_of_b(struct screen *screen)
{
    int a = 0, b = 0;
    FILE *file;

    file =
        fopen(test_text("/proc/%d/task/%d/children", screen_pid(screen), screen_pid(screen)), "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%d %d", &a, &b), 2);
    fclose(file);
    return b;
}

START_TEST(killed_engine_of_b_leaves_a)
{
    const struct screen_options options = {
        .columns = 120,
        .rows = 24,
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,threads"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "..");
    expect_status(screen, "= EQUAL at 2, ");
    kill(engine_of_b(screen), SIGKILL);
    user_does(screen, STEPS(SHOWS("B (threads): engine died by signal 9"),
                            SHOWS("the split is closed"), GENERATION(2), PRESS("."), GENERATION(3),
                            PRESS("x"), STATUS("= EQUAL at 3, ")));
    user_quits(screen);
}
END_TEST

/* --- differences ------------------------------------------------------------------------------ */

static void runs_to(struct screen *screen, const char *generation)
{
    expect_status(screen, "EQUAL at 0, 1x");
    user_types(screen, "g", generation);
}

/* Whether the three parts around the cell have their names in a row. */
static bool names_the_parts(struct screen *screen, const void *data)
{
    const char *at = screen_text(screen);
    char a[8], b[8];

    (void)data;
    for (; (at = strstr(at, " before ")) != NULL; at++)
        if (sscanf(at, " before %7s %7s", a, b) == 2 && strcmp(a, "A") == 0 && strcmp(b, "B") == 0)
            return true;
    return false;
}

START_TEST(wrong_from_a_generation)
{
    struct screen *screen =
        wrong_starts("from", "bitslice,threads", sizes[_i].rows, sizes[_i].columns);

    runs_to(screen, "4000");
    expect_status(screen, "DIFFER from 3,117 at 21,40");
    if (sizes[_i].rows > 12) {
        screen_expect(screen, "equal at generation 3,116 and differ at 3,117");
        screen_until(screen, names_the_parts, NULL, "before, A and B in a row");
    }
    user_does(screen, STEPS(PRESS("."), SHOWS("A and B differ"), PRESS("r"),
                            STATUS("= EQUAL at 0, 1x"), PRESS("."), STATUS("= EQUAL at 1, 2x")));
    user_quits(screen);
}
END_TEST

/* --- figures ---------------------------------------------------------------------------------- */

/* A generation of several seconds is no reason to call the engine hung. */
START_TEST(long_generation_is_busy)
{
    struct screen *screen;

    unsetenv("LD_PRELOAD"); /* its seconds are long */
    screen = wrong_starts("slow", "threads,threads", 24, 80);
    user_does(screen, STEPS(PRESS("x"), STATUS("threads"), PRESS("."), STATUS("BUSY")));
    ck_assert(!screen_row_shows(screen, 0, "HUNG"));
    user_does(screen, STEPS(GENERATION(1), STATUS("PAUSE"), PRESS("Q")));
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
}
END_TEST

static const struct script scripts[] = {
    /* The reference, then the backend before, at the generation where A is. */
    {"key opens another backend", OPTIONS(.arguments = {"anneal", "-s", "64x64", "-b", "bitslice"}),
     STEPS(ENTER("g", "9"), GENERATION(9), PRESS("x"), SHOWS("B reference"),
           STATUS("= EQUAL at 9, "), CHOOSE("B", "threads"), SHOWS("B threads"),
           STATUS("= EQUAL at 9, 1x"), PRESS("."), STATUS("= EQUAL at 10, 2x"), PRESS("x"),
           HIDES("B threads"), PRESS("x"), SHOWS("B threads"), STATUS("= EQUAL at 10, "))},
    /* Each press is a generation, whether the split is open, opens or closes. */
    {"quick steps are not lost", OPTIONS(.arguments = {"anneal", "-s", "64x64", "-b", "bitslice"}),
     STEPS(ENTER("g", "9"), GENERATION(9), PRESS("x....x"), HIDES("B reference"), GENERATION(13),
           PRESS("x.x.x.x."), GENERATION(17), STATUS("PAUSE"), PRESS("..x"),
           STATUS("= EQUAL at 19, "), PRESS(".........."), STATUS("= EQUAL at 29, "),
           PRESS("..........x"), GENERATION(39), STATUS("PAUSE"))},
    /* A parameter that was changed in mid-run: B takes the state, because the start does not lead
     * to it. */
    {"state comes to b", OPTIONS(.arguments = {"cloud", "-s", "32x32x16", "-b", "bitslice"}),
     STEPS(ENTER("g", "6"), GENERATION(6), COMMAND("set p_ext=0.25"), SHOWS("p_ext changed"),
           PRESS("...."), GENERATION(10), PRESS("x"), STATUS("= EQUAL at 10, 1x"), PRESS("."),
           STATUS("= EQUAL at 11, 2x"))},
    {"backend that b cannot open",
     OPTIONS(.columns = 120, .rows = 24,
             .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,bitslice-avx512"},
             .environment = {"CALAB_CPU=baseline"}),
     STEPS(SHOWS("B (bitslice-avx512) cannot be opened: "), SHOWS("needs AVX-512"), PRESS("."),
           GENERATION(1))},
    /* Checked in each generation, a difference that heals is found too. */
    {"wrong once in each generation", WRONG("once", "bitslice,threads", 24, 80),
     STEPS(STATUS("EQUAL at 0, 1x"), ENTER("g", "3100"), STATUS("EQUAL at 3,100, "),
           COMMAND("speed 1"), PRESS(" "), STATUS("DIFFER from 3,117 at 21,40"))},
    {"wrong in long calls", WRONG("calls", "bitslice,threads", 24, 80),
     STEPS(STATUS("EQUAL at 0, 1x"), ENTER("g", "4000"), STATUS("DIFFER in calls of 6 or more"),
           SHOWS("threads differs from its own"))},
    {"not deterministic", WRONG("random", "bitslice,threads", 24, 80),
     STEPS(STATUS("EQUAL at 0, 1x"), ENTER("g", "4000"), STATUS("NOT DETERMINISTIC"),
           SHOWS("threads is not deterministic"))},
    /* What a paced run shows is not what the backend is able to, and the panel says both; after
     * another backend is chosen, what the one before was able to. */
    {"figures name their pace",
     OPTIONS(.rows = 24, .columns = 120, .arguments = {"anneal", "-s", "64x64", "-b", "bitslice"}),
     STEPS(PRESS("."), SHOWS("pace       step, calls of 1"), COMMAND("speed 1"), PRESS(" "),
           SHOWS("pace       paced, 1/frame"), PRESS(" "), SHOWS("burst rate "),
           CHOOSE("b", "threads"), SHOWS("ups, bitslice"), SHOWS("before     "), PRESS(" "),
           COMMAND("speed max"), SHOWS("pace       free, calls of "), HIDES("burst rate "),
           PRESS(" "))},
    {"command of a pair",
     OPTIONS(.rows = 24, .columns = 100,
             .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,threads/threads=1"}),
     STEPS(STATUS("= EQUAL at 0, 1x"), PRESS("..."), STATUS("= EQUAL at 3, "), PRESS("y"),
           SHOWS("command that reproduces this state"),
           SHOWS("calab run anneal -b bitslice,threads/threads=1 -s 64x64 --seed 1 -n 3"),
           PRESS("q"))},
    {"no command after a change in mid run",
     OPTIONS(.arguments = {"cloud", "-s", "32x32x16", "-b", "bitslice"}),
     STEPS(COMMAND("set p_ext=0.25") /* at generation 0 it belongs to the run */,
           SHOWS("p_ext changed"), ENTER("g", "3"), GENERATION(3), PRESS("y"),
           SHOWS("command that reproduces this state"), PRESS("q"), HIDES("calab run cloud"),
           COMMAND("set p_ext=0.5"), SHOWS("p_ext changed"), PRESS("."), GENERATION(4), PRESS("y"),
           SHOWS("no command reproduces this state"), SHOWS("--init cloud-g4.h5"), PRESS("q"),
           HIDES("--init"), PRESS("r"), GENERATION(0), PRESS("y"),
           SHOWS("command that reproduces this state"), PRESS("q"))},
    {"parameter of b alone",
     OPTIONS(.arguments = {"cloud", "-s", "32x32x16", "-b", "bitslice,threads"}),
     STEPS(STATUS("= EQUAL at 0, 1x"), COMMAND("b set p_ext=0.25"),
           SHOWS("not compared: the parameters differ"), PRESS(".."), GENERATION(2), PRESS("v"),
           SHOWS("no difference between A and B can be drawn: the parameters differ"),
           COMMAND("set p_ext=0.25") /* both */, HIDES("not compared"))},
    {"cells that differ are marked", WRONG("from", "bitslice,threads", 60, 100),
     STEPS(STATUS("EQUAL at 0, 1x"), ENTER("g", "4000"), STATUS("DIFFER from 3,117 at 21,40"),
           PRESS("0"), SHOWS("2x1 a cell 0,0"), PRESS("v"), SHOWS("X where A and B differ"),
           RESIZE(61, 100), ROW(42, "X") /* cell 21,40 */)},
    /* A single pane that draws the difference from the reference has a hidden one beside it. */
    {"difference from the reference",
     OPTIONS(.arguments = {"anneal", "-s", "64x64", "-b", "bitslice"}),
     STEPS(PRESS("0"), COMMAND("set drawn=difference"), SHOWS("reference: = EQUAL at 0, 1x"),
           ROW(2, "........................"), PRESS("."), SHOWS("reference: = EQUAL at 1, 2x"),
           GENERATION(1), PRESS("x"), SHOWS("B reference"), HIDES("reference:"),
           SHOWS("view follows A"), PRESS("x"), SHOWS("reference: = EQUAL at 1, "),
           COMMAND("set drawn=state"), HIDES("reference:"), PRESS("."), GENERATION(2))},
    {"wrong backend differs from the reference", WRONG("from", "threads", 24, 80),
     STEPS(COMMAND("set drawn=difference"), SHOWS("= EQUAL at 0, 1x"), ENTER("g", "4000"),
           SHOWS("threads and reference are equal at generation 3,116"), STATUS("PAUSE"),
           PRESS("0") /* the message goes */, SHOWS("reference: DIFFER from 3,117 at 21,40"))},
    /* Beside the reference the kernel that auto stands for is hidden; which one is there follows A.
     */
    {"difference of the reference",
     OPTIONS(.arguments = {"anneal", "-s", "64x64", "-b", "reference"},
             .environment = {"CALAB_CPU=baseline", "CALAB_TUNED=off"}),
     STEPS(PRESS("0vvv"), SHOWS("drawn: density, share of live cells"),
           SHOWS("1 density, auto  X no value"), PRESS("v"),
           SHOWS("drawn: walls, length of the walls"), SHOWS("X no value"), PRESS("v"),
           SHOWS("drawn: difference from another kernel"), SHOWS("bitslice: = EQUAL at 0, 1x"),
           ROW(2, "........................"), PRESS(".."), SHOWS("bitslice: = EQUAL at 2, 3x"),
           CHOOSE("b", "threads"), SHOWS("reference: = EQUAL at 2, "), PRESS("."),
           SHOWS("reference: = EQUAL at 3, "), CHOOSE("b", "reference"),
           SHOWS("bitslice: = EQUAL at 3, "), PRESS("v"), HIDES("bitslice:"), PRESS("."),
           GENERATION(4))},
    /* On a few cells auto stands for the reference itself. */
    {"difference of the fastest reference",
     OPTIONS(.arguments = {"water", "-s", "2x2", "-b", "reference"},
             .environment = {"CALAB_CPU=baseline", "CALAB_TUNED=off"}),
     STEPS(COMMAND("set drawn=difference"), SHOWS("threads: = EQUAL at 0, 1x"), PRESS("."),
           SHOWS("threads: = EQUAL at 1, 2x"))},
    {"wrong backend differs from the reference beside it", WRONG("from", "reference", 24, 80),
     STEPS(COMMAND("set drawn=difference"), SHOWS("= EQUAL at 0, 1x"),
           CHOOSE("b", "threads") /* the hidden one is the reference from now on */,
           SHOWS("reference: = EQUAL at 0, 1x"), ENTER("g", "4000"),
           SHOWS("threads and reference are equal at generation 3,116"))},
};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "engine") == 0)
        return wrong_engine();
    return RUN_TESTS(.setup = test_hurry,
                     .test = {both_run_and_return, resizes_in_the_split,
                              killed_engine_of_b_leaves_a, long_generation_is_busy},
                     .table = {{two_in_lock_step, COUNT(sizes)},
                               {scripts_test(scripts), COUNT(scripts)},
                               {wrong_from_a_generation, COUNT(sizes)}});
}
