/* SPDX-License-Identifier: MIT */
/* The workbench changes cells, and takes a reset back. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tests/support/user.h"

static const struct screen_options small_lattice = {
    .arguments = {"anneal", "-s", "64x48", "-b", "threads"}, .columns = 120, .rows = 24};

#define RIGHT "\033OC"

/* --- undo ------------------------------------------------------------------------------------- */

START_TEST(a_reset_is_undone)
{
    struct screen *screen = user_starts(&small_lattice);
    const char *live = "live   1303"; /* of generation 20, as the reference has it */

    screen_send(screen, "u");
    screen_expect(screen, "there is no reset to undo");
    user_types(screen, "g", "20");
    expect_generation(screen, 20);
    screen_expect(screen, live);
    screen_send(screen, "r");
    expect_generation(screen, 0);
    screen_expect(screen, "u returns to generation 20");
    screen_send(screen, "..");
    expect_generation(screen, 2);
    screen_send(screen, "r"); /* the key returns to the state before the last one */
    screen_expect(screen, "u returns to generation 2\n");
    screen_send(screen, "u");
    expect_generation(screen, 2);
    user_types(screen, "g", "20");
    expect_generation(screen, 20);
    screen_expect(screen, live);
    screen_send(screen, "rr"); /* the second one has nothing to lose */
    expect_generation(screen, 0);
    screen_send(screen, "u");
    expect_generation(screen, 20);
    screen_expect(screen, "back at generation 20");
    screen_expect(screen, live);
    screen_send(screen, "r");
    expect_generation(screen, 0);
    user_chooses(screen, "b", "reference");
    expect_status(screen, "reference");
    screen_send(screen, "u"); /* the engine has put nothing saved any more */
    screen_expect(screen, "computing generation 20 again");
    expect_generation(screen, 20);
    screen_expect(screen, live);
    user_quits(screen);
}
END_TEST

/* What is still on its way when the key comes is what the reset can lose, though it is stopped; and
 * a reset before it is not this one. */
static const char *const at_once[] = {".r", "g7\rr", " r", ":seed 9\r.r", "r.r", "rg7\rr", "r r"};

START_TEST(a_reset_behind_other_keys)
{
    struct screen *screen = user_starts(&small_lattice);

    screen_send(screen, at_once[_i]);
    screen_expect(screen, "u returns to generation ");
    expect_generation(screen, 0);
    screen_send(screen, "u");
    screen_expect(screen, "back at generation ");
    expect_status(screen, "PAUSE");
    user_quits(screen);
}
END_TEST

/* In a split a state that the start leads to is computed again, and any other is asked for. */
START_TEST(a_reset_in_a_split)
{
    struct screen *screen = user_starts(&small_lattice);

    user_types(screen, "g", "20");
    expect_generation(screen, 20);
    screen_send(screen, "x");
    screen_expect(screen, "EQUAL at 20");
    screen_send(screen, "r");
    expect_generation(screen, 0);
    screen_send(screen, "u");
    expect_generation(screen, 20);
    screen_expect(screen, "EQUAL at 20");
    user_types(screen, ":", "set density=0.25");
    screen_expect(screen, "density changed");
    screen_send(screen, "r");
    screen_expect(screen, "r again gives this state up");
    expect_generation(screen, 20);
    screen_send(screen, "r");
    expect_generation(screen, 0);
    user_quits(screen);
}
END_TEST

/* --- cells ------------------------------------------------------------------------------------ */

START_TEST(space_goes_through_the_states)
{
    static const char *const states[] = {"dry", "humid", "cloud", "active"};
    const struct screen_options options = {
        .arguments = {"cloud", "-s", "24x16x8", "--set", "hum0=0", "--set", "act0=0"},
        .columns = 120,
        .rows = 24};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "E");
    screen_expect(screen, "space: dry, humid, cloud, active; E leaves");
    screen_expect_row(screen, -1, "next state");
    screen_expect(screen, "hum=0 act=0 cld=0 (dry)");
    for (int i = 1; i <= 4; i++) {
        char shown[32];

        screen_send(screen, " ");
        snprintf(shown, sizeof shown, "(%s)", states[i % 4]);
        screen_expect(screen, shown);
    }
    screen_send(screen, RIGHT " ");
    screen_expect(screen, "(humid)");
    expect_generation(screen, 0);
    screen_send(screen, "\033");
    screen_expect_not(screen, "next state");
    screen_send(screen, " "); /* runs again */
    expect_generation_from(screen, 2);
    screen_send(screen, "E"); /* stops the run */
    expect_status(screen, "PAUSE");
    screen_send(screen, "E");
    screen_expect_not(screen, "next state");
    user_quits(screen);
}
END_TEST

START_TEST(pattern_is_pasted)
{
    static const char picture[] = "P1\n4 2\n1 1 1 1\n1 1 1 1\n";
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x16", "--set", "density=0", "-b", "threads"},
        .columns = 120,
        .rows = 24};
    struct screen *screen = user_starts(&options);
    char line[512];

    test_write(test_path("block.pbm"), picture, strlen(picture));
    screen_send(screen, ":goto 2,3\r");
    screen_expect(screen, "2,3 cell=0");
    screen_send(screen, "E");
    screen_expect_row(screen, -1, "next state");
    screen_send(screen, "p");
    screen_expect_row(screen, -2, "paste:");
    snprintf(line, sizeof line, "%s\t\r", test_path("blo"));
    screen_send(screen, line);
    screen_expect(screen, "block.pbm, 4x2x1");
    screen_expect(screen, "2,3 cell=1 (live)");
    screen_expect(screen, "│....OOOOOOOO....");
    screen_expect(screen, "live   8");
    screen_send(screen, "p");
    screen_expect_row(screen, -2, "paste:");
    screen_send(screen, "none.txt\r");
    screen_expect(screen, "is not a pattern of anneal");
    screen_send(screen, "Ey"); /* the start does not lead there */
    screen_expect(screen, "A parameter or cells were changed");
    screen_expect(screen, "anneal-g0.h5");
    screen_send(screen, "qr");
    screen_expect(screen, "u returns to generation 0");
    screen_expect(screen, "live   0");
    screen_send(screen, "u");
    screen_expect(screen, "live   8");
    user_quits(screen);
}
END_TEST

/* A crash does not cost what was edited, though the generation is that of the last checkpoint. */
START_TEST(edits_survive_a_crash)
{
    struct screen *screen = user_starts(&small_lattice);
    char live[64];

    screen_send(screen, "E");
    screen_expect_row(screen, -1, "next state");
    screen_send(screen, " ");
    screen_listen(screen, 1.6); /* the state is saved when it has rested for a second */
    snprintf(live, sizeof live, "%.11s ", strstr(screen_text(screen), "live "));
    ck_assert_int_eq(kill(engine_of(screen), 9), 0);
    screen_expect(screen, "restarted at generation 0");
    screen_expect(screen, live);
    screen_send(screen, "q"); /* the cursor */
    screen_expect_not(screen, "enter leave");
    user_quits(screen);
}
END_TEST

/* The next start goes on from it, also at generation 0, and knows that the start does not lead
 * there. */
START_TEST(edits_are_there_at_the_next_start)
{
    const struct screen_options options = {.columns = 120, .rows = 24};
    struct screen *screen = user_starts(&small_lattice);
    const char *live = "live   1501";

    screen_send(screen, "E");
    screen_expect_row(screen, -1, "next state");
    screen_send(screen, "  " RIGHT " ");
    screen_expect(screen, "33,24 cell=");
    screen_send(screen, "E");
    screen_expect_not(screen, "next state");
    screen_expect(screen, live);
    user_quits(screen);
    screen = user_starts(&options);
    screen_expect(screen, live);
    expect_generation(screen, 0);
    screen_send(screen, "y");
    screen_expect(screen, "A parameter or cells were changed");
    screen_send(screen, "qr"); /* and that is not what is there next time */
    screen_expect(screen, "u returns to");
    user_quits(screen);
    screen = user_starts(&options);
    screen_expect(screen, "live   1500");
    user_quits(screen);
}
END_TEST

START_TEST(both_panes_of_a_split_get_the_same)
{
    struct screen *screen = user_starts(&small_lattice);

    user_types(screen, "g", "3");
    expect_generation(screen, 3);
    screen_send(screen, "x");
    screen_expect(screen, "EQUAL at 3");
    screen_send(screen, "E");
    screen_expect_row(screen, -1, "next state");
    screen_send(screen, "  " RIGHT " ");
    screen_expect(screen, "EQUAL at 3");
    screen_send(screen, "E...");
    expect_generation(screen, 6);
    screen_expect(screen, "EQUAL at 6");
    user_quits(screen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workbench edit");
    TCase *undo = tcase_create("undo"), *cells = tcase_create("cells");

    tcase_set_timeout(undo, 60);
    tcase_add_test(undo, a_reset_is_undone);
    tcase_add_loop_test(undo, a_reset_behind_other_keys, 0, COUNT(at_once));
    tcase_add_test(undo, a_reset_in_a_split);
    suite_add_tcase(suite, undo);
    tcase_set_timeout(cells, 60);
    tcase_add_test(cells, space_goes_through_the_states);
    tcase_add_test(cells, pattern_is_pasted);
    tcase_add_test(cells, edits_survive_a_crash);
    tcase_add_test(cells, edits_are_there_at_the_next_start);
    tcase_add_test(cells, both_panes_of_a_split_get_the_same);
    suite_add_tcase(suite, cells);
    return run_suite(suite);
}
