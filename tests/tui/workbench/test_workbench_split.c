/* SPDX-License-Identifier: MIT */
/*
 * Two backends in lock step in the workbench. This program also stands in for calab's engine, with
 * a backend that is right, or wrong in a known way (tests/support/wrong_engine.h).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/support.h"
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

    expect_status(screen, "= EQUAL at 0, 1x");
    screen_expect(screen, "A bitslice");
    screen_expect(screen, "B reference");
    screen_send(screen, "...");
    expect_status(screen, "= EQUAL at 3, ");
    if (rows > 12) {
        screen_expect(screen, "equal: the hashes agree at 3; checked ");
        screen_until(screen, tells_the_faster, " x B (",
                     "the ratio of A and B, or who disturbs it");
    } else {
        screen_until(screen, tells_the_faster, " A is ",
                     "the ratio of A and B, or who disturbs it");
    }
    screen_send(screen, "x");
    screen_expect_not(screen, "B reference");
    expect_status(screen, columns > 40 ? "bitslice" : "PAUSE"); /* the rate comes first */
    expect_generation(screen, 3);
    screen_send(screen, ".");
    expect_generation(screen, 4);
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

    expect_status(screen, "= EQUAL at 0, 1x");
    screen_send(screen, " ");
    expect_status(screen, "RUN");
    expect_generation_from(screen, 5);
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    screen_listen(screen, 0.2);
    at = shown_generation(screen);
    screen_listen(screen, 0.3);
    ck_assert_int_eq(shown_generation(screen), at);
    screen_send(screen, "r");
    expect_status(screen, "= EQUAL at 0, 1x");
    user_types(screen, "g", "100");
    expect_status(screen, "= EQUAL at 100, ");
    user_types(screen, "g", "7");
    expect_status(screen, "= EQUAL at 7, ");
    user_quits(screen);
}
END_TEST

/* The reference, then the backend before, at the generation where A is. */
START_TEST(key_opens_another_backend)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice"}};
    struct screen *screen = user_starts(&options);

    user_types(screen, "g", "9");
    expect_generation(screen, 9);
    screen_send(screen, "x");
    screen_expect(screen, "B reference");
    expect_status(screen, "= EQUAL at 9, ");
    user_chooses(screen, "B", "threads");
    screen_expect(screen, "B threads");
    expect_status(screen, "= EQUAL at 9, 1x");
    screen_send(screen, ".");
    expect_status(screen, "= EQUAL at 10, 2x");
    screen_send(screen, "x");
    screen_expect_not(screen, "B threads");
    screen_send(screen, "x");
    screen_expect(screen, "B threads");
    expect_status(screen, "= EQUAL at 10, ");
    user_quits(screen);
}
END_TEST

/* Each press is a generation, whether the split is open, opens or closes. */
START_TEST(quick_steps_are_not_lost)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice"}};
    struct screen *screen = user_starts(&options);

    user_types(screen, "g", "9");
    expect_generation(screen, 9);
    screen_send(screen, "x....x");
    screen_expect_not(screen, "B reference");
    expect_generation(screen, 13);
    screen_send(screen, "x.x.x.x.");
    expect_generation(screen, 17);
    expect_status(screen, "PAUSE");
    screen_send(screen, "..x");
    expect_status(screen, "= EQUAL at 19, ");
    screen_send(screen, "..........");
    expect_status(screen, "= EQUAL at 29, ");
    screen_send(screen, "..........x");
    expect_generation(screen, 39);
    expect_status(screen, "PAUSE");
    user_quits(screen);
}
END_TEST

/* A parameter that was changed in mid-run: B takes the state, because the start does not lead to
 * it. */
START_TEST(state_comes_to_b)
{
    const struct screen_options options = {
        .arguments = {"cloud", "-s", "32x32x16", "-b", "bitslice"}};
    struct screen *screen = user_starts(&options);

    user_types(screen, "g", "6");
    expect_generation(screen, 6);
    user_types(screen, ":", "set p_ext=0.25");
    screen_expect(screen, "p_ext changed");
    screen_send(screen, "....");
    expect_generation(screen, 10);
    screen_send(screen, "x");
    expect_status(screen, "= EQUAL at 10, 1x");
    screen_send(screen, ".");
    expect_status(screen, "= EQUAL at 11, 2x");
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
        screen_resize(screen, sizes[i].rows, sizes[i].columns);
        screen_expect(screen, "view follows A");
        screen_resize(screen, 5, 20);
        screen_expect(screen, "terminal is");
    }
    screen_resize(screen, 24, 80);
    screen_expect(screen, "A against B");
    screen_send(screen, " ");
    expect_status(screen, "PAUSE");
    user_quits(screen);
}
END_TEST

/* The second engine process of the workbench. */
static pid_t engine_of_b(struct screen *screen)
{
    char path[64];
    int a = 0, b = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", screen_pid(screen),
             screen_pid(screen));
    file = fopen(path, "r");
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
    screen_expect(screen, "B (threads): engine died by signal 9");
    screen_expect(screen, "the split is closed");
    expect_generation(screen, 2);
    screen_send(screen, ".");
    expect_generation(screen, 3);
    screen_send(screen, "x");
    expect_status(screen, "= EQUAL at 3, ");
    user_quits(screen);
}
END_TEST

START_TEST(backend_that_b_cannot_open)
{
    const struct screen_options options = {
        .columns = 120,
        .rows = 24,
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,bitslice-avx512"},
        .environment = {"CALAB_CPU=baseline"}};
    struct screen *screen = user_starts(&options);

    screen_expect(screen, "B (bitslice-avx512) cannot be opened: ");
    screen_expect(screen, "needs AVX-512");
    screen_send(screen, ".");
    expect_generation(screen, 1);
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
    screen_send(screen, ".");
    screen_expect(screen, "A and B differ");
    screen_send(screen, "r");
    expect_status(screen, "= EQUAL at 0, 1x");
    screen_send(screen, ".");
    expect_status(screen, "= EQUAL at 1, 2x");
    user_quits(screen);
}
END_TEST

/* Checked in each generation, a difference that heals is found too. */
START_TEST(wrong_once_in_each_generation)
{
    struct screen *screen = wrong_starts("once", "bitslice,threads", 24, 80);

    runs_to(screen, "3100");
    expect_status(screen, "EQUAL at 3,100, ");
    user_types(screen, ":", "speed 1");
    screen_send(screen, " ");
    expect_status(screen, "DIFFER from 3,117 at 21,40");
    user_quits(screen);
}
END_TEST

START_TEST(wrong_in_long_calls)
{
    struct screen *screen = wrong_starts("calls", "bitslice,threads", 24, 80);

    runs_to(screen, "4000");
    expect_status(screen, "DIFFER in calls of 6 or more");
    screen_expect(screen, "threads differs from its own");
    user_quits(screen);
}
END_TEST

START_TEST(not_deterministic)
{
    struct screen *screen = wrong_starts("random", "bitslice,threads", 24, 80);

    runs_to(screen, "4000");
    expect_status(screen, "NOT DETERMINISTIC");
    screen_expect(screen, "threads is not deterministic");
    user_quits(screen);
}
END_TEST

/* --- figures ---------------------------------------------------------------------------------- */

/* What a paced run shows is not what the backend is able to, and the panel says both; after another
 * backend is chosen, what the one before was able to. */
START_TEST(figures_name_their_pace)
{
    const struct screen_options options = {
        .rows = 24, .columns = 120, .arguments = {"anneal", "-s", "64x64", "-b", "bitslice"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, ".");
    screen_expect(screen, "pace     step, calls of 1");
    user_types(screen, ":", "speed 4");
    screen_send(screen, " ");
    screen_expect(screen, "pace     paced, 4/frame");
    screen_send(screen, " ");
    screen_expect(screen, "able to  ");
    user_chooses(screen, "b", "threads");
    screen_expect(screen, "ups, bitslice");
    screen_expect(screen, "before   ");
    screen_send(screen, " ");
    user_types(screen, ":", "speed max");
    screen_expect(screen, "pace     free, calls of ");
    screen_expect_not(screen, "able to  ");
    screen_send(screen, " ");
    user_quits(screen);
}
END_TEST

/* A generation of several seconds is no reason to call the engine hung. */
START_TEST(long_generation_is_busy)
{
    struct screen *screen = wrong_starts("slow", "threads,threads", 24, 80);

    screen_send(screen, "x");
    expect_status(screen, "threads");
    screen_send(screen, ".");
    expect_status(screen, "BUSY");
    ck_assert(!screen_row_shows(screen, 0, "HUNG"));
    expect_generation(screen, 1);
    expect_status(screen, "PAUSE");
    screen_send(screen, "Q");
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
}
END_TEST

/* --- the command that repeats ----------------------------------------------------------------- */

START_TEST(command_of_a_pair)
{
    const struct screen_options options = {
        .rows = 24,
        .columns = 100,
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice,threads/threads=1"}};
    struct screen *screen = user_starts(&options);

    expect_status(screen, "= EQUAL at 0, 1x");
    screen_send(screen, "...");
    expect_status(screen, "= EQUAL at 3, ");
    screen_send(screen, "y");
    screen_expect(screen, "command that reproduces this state");
    screen_expect(screen, "calab run anneal -b bitslice,threads/threads=1 -s 64x64 --seed 1 -n 3");
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

START_TEST(no_command_after_a_change_in_mid_run)
{
    const struct screen_options options = {
        .arguments = {"cloud", "-s", "32x32x16", "-b", "bitslice"}};
    struct screen *screen = user_starts(&options);

    user_types(screen, ":", "set p_ext=0.25"); /* at generation 0 it belongs to the run */
    screen_expect(screen, "p_ext changed");
    user_types(screen, "g", "3");
    expect_generation(screen, 3);
    screen_send(screen, "y");
    screen_expect(screen, "command that reproduces this state");
    screen_send(screen, "q");
    screen_expect_not(screen, "calab run cloud");
    user_types(screen, ":", "set p_ext=0.5");
    screen_expect(screen, "p_ext changed");
    screen_send(screen, ".");
    expect_generation(screen, 4);
    screen_send(screen, "y");
    screen_expect(screen, "no command reproduces this state");
    screen_expect(screen, "--init cloud-g4.h5");
    screen_send(screen, "q");
    screen_expect_not(screen, "--init");
    screen_send(screen, "r");
    expect_generation(screen, 0);
    screen_send(screen, "y");
    screen_expect(screen, "command that reproduces this state");
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

/* --- two parameter sets, and the cells that differ -------------------------------------------- */

START_TEST(parameter_of_b_alone)
{
    const struct screen_options options = {
        .arguments = {"cloud", "-s", "32x32x16", "-b", "bitslice,threads"}};
    struct screen *screen = user_starts(&options);

    expect_status(screen, "= EQUAL at 0, 1x");
    user_types(screen, ":", "b set p_ext=0.25");
    screen_expect(screen, "not compared: the parameters differ");
    screen_send(screen, "..");
    expect_generation(screen, 2);
    screen_send(screen, "v");
    screen_expect(screen, "no difference between A and B can be drawn: the parameters differ");
    user_types(screen, ":", "set p_ext=0.25"); /* both */
    screen_expect_not(screen, "not compared");
    user_quits(screen);
}
END_TEST

START_TEST(cells_that_differ_are_marked)
{
    struct screen *screen = wrong_starts("from", "bitslice,threads", 60, 100);

    runs_to(screen, "4000");
    expect_status(screen, "DIFFER from 3,117 at 21,40");
    screen_send(screen, "0");
    screen_expect(screen, "2x1 a cell 0,0");
    screen_send(screen, "v");
    screen_expect(screen, "X where A and B differ");
    screen_resize(screen, 61, 100);
    screen_expect_row(screen, 42, "X"); /* cell 21,40 */
    user_quits(screen);
}
END_TEST

/* A single pane that draws the difference from the reference has a hidden one beside it. */
START_TEST(difference_from_the_reference)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64", "-b", "bitslice"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "0");
    user_types(screen, ":", "set drawn=difference");
    screen_expect(screen, "reference: = EQUAL at 0, 1x");
    screen_expect_row(screen, 2, "........................");
    screen_send(screen, ".");
    screen_expect(screen, "reference: = EQUAL at 1, 2x");
    expect_generation(screen, 1);
    screen_send(screen, "x");
    screen_expect(screen, "B reference");
    screen_expect_not(screen, "reference:");
    screen_expect(screen, "view follows A");
    screen_send(screen, "x");
    screen_expect(screen, "reference: = EQUAL at 1, ");
    user_types(screen, ":", "set drawn=state");
    screen_expect_not(screen, "reference:");
    screen_send(screen, ".");
    expect_generation(screen, 2);
    user_quits(screen);
}
END_TEST

START_TEST(wrong_backend_differs_from_the_reference)
{
    struct screen *screen = wrong_starts("from", "threads", 24, 80);

    user_types(screen, ":", "set drawn=difference");
    screen_expect(screen, "= EQUAL at 0, 1x");
    user_types(screen, "g", "4000");
    screen_expect(screen, "threads and reference are equal at generation 3,116");
    expect_status(screen, "PAUSE");
    screen_send(screen, "0"); /* the message goes */
    screen_expect(screen, "reference: DIFFER from 3,117 at 21,40");
    user_quits(screen);
}
END_TEST

/* Beside the reference the kernel that auto stands for is hidden; which one is there follows A. */
START_TEST(difference_of_the_reference)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x64", "-b", "reference"},
        .environment = {"CALAB_CPU=baseline", "CALAB_TUNED=off"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "0vvv");
    screen_expect(screen, "drawn: density, share of live cells");
    screen_expect(screen, "1 density  X no value");
    screen_send(screen, "v");
    screen_expect(screen, "drawn: walls, length of the walls");
    screen_expect(screen, "X no value");
    screen_send(screen, "v");
    screen_expect(screen, "drawn: difference from another kernel");
    screen_expect(screen, "bitslice: = EQUAL at 0, 1x");
    screen_expect_row(screen, 2, "........................");
    screen_send(screen, "..");
    screen_expect(screen, "bitslice: = EQUAL at 2, 3x");
    user_chooses(screen, "b", "threads");
    screen_expect(screen, "reference: = EQUAL at 2, ");
    screen_send(screen, ".");
    screen_expect(screen, "reference: = EQUAL at 3, ");
    user_chooses(screen, "b", "reference");
    screen_expect(screen, "bitslice: = EQUAL at 3, ");
    screen_send(screen, "v");
    screen_expect_not(screen, "bitslice:");
    screen_send(screen, ".");
    expect_generation(screen, 4);
    user_quits(screen);
}
END_TEST

/* On a few cells auto stands for the reference itself. */
START_TEST(difference_of_the_fastest_reference)
{
    const struct screen_options options = {
        .arguments = {"water", "-s", "2x2", "-b", "reference"},
        .environment = {"CALAB_CPU=baseline", "CALAB_TUNED=off"}};
    struct screen *screen = user_starts(&options);

    user_types(screen, ":", "set drawn=difference");
    screen_expect(screen, "threads: = EQUAL at 0, 1x");
    screen_send(screen, ".");
    screen_expect(screen, "threads: = EQUAL at 1, 2x");
    user_quits(screen);
}
END_TEST

START_TEST(wrong_backend_differs_from_the_reference_beside_it)
{
    struct screen *screen = wrong_starts("from", "reference", 24, 80);

    user_types(screen, ":", "set drawn=difference");
    screen_expect(screen, "= EQUAL at 0, 1x");
    user_chooses(screen, "b", "threads"); /* the hidden one is the reference from now on */
    screen_expect(screen, "reference: = EQUAL at 0, 1x");
    user_types(screen, "g", "4000");
    screen_expect(screen, "threads and reference are equal at generation 3,116");
    user_quits(screen);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite;
    TCase *tests;

    if (argc > 1 && strcmp(argv[1], "engine") == 0)
        return wrong_engine();
    suite = suite_create("workbench split");
    tests = tcase_create("workbench split");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, two_in_lock_step, 0, (int)COUNT(sizes));
    tcase_add_test(tests, both_run_and_return);
    tcase_add_test(tests, key_opens_another_backend);
    tcase_add_test(tests, quick_steps_are_not_lost);
    tcase_add_test(tests, state_comes_to_b);
    tcase_add_test(tests, resizes_in_the_split);
    tcase_add_test(tests, killed_engine_of_b_leaves_a);
    tcase_add_test(tests, backend_that_b_cannot_open);
    tcase_add_loop_test(tests, wrong_from_a_generation, 0, (int)COUNT(sizes));
    tcase_add_test(tests, wrong_once_in_each_generation);
    tcase_add_test(tests, wrong_in_long_calls);
    tcase_add_test(tests, not_deterministic);
    tcase_add_test(tests, figures_name_their_pace);
    tcase_add_test(tests, long_generation_is_busy);
    tcase_add_test(tests, command_of_a_pair);
    tcase_add_test(tests, no_command_after_a_change_in_mid_run);
    tcase_add_test(tests, parameter_of_b_alone);
    tcase_add_test(tests, cells_that_differ_are_marked);
    tcase_add_test(tests, difference_from_the_reference);
    tcase_add_test(tests, wrong_backend_differs_from_the_reference);
    tcase_add_test(tests, difference_of_the_reference);
    tcase_add_test(tests, difference_of_the_fastest_reference);
    tcase_add_test(tests, wrong_backend_differs_from_the_reference_beside_it);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
