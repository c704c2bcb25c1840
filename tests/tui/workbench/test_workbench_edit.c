/* SPDX-License-Identifier: MIT */
/* The workbench changes cells, and takes a reset back. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tests/support/script.h"

static const struct screen_options small_lattice = {
    .arguments = {"anneal", "-s", "64x48", "-b", "threads"}, .columns = 120, .rows = 24};

#define RIGHT "\033OC"

/* --- undo ------------------------------------------------------------------------------------- */

START_TEST(a_reset_is_undone)
{
    struct screen *screen = user_starts(&small_lattice);
    const char *live = "live   1303"; /* of generation 20, as the reference has it */

    user_does(screen,
              STEPS(PRESS("u"), SHOWS("there is no reset to undo"), ENTER("g", "20"),
                    GENERATION(20), SHOWS(live), PRESS("r"), GENERATION(0),
                    SHOWS("u returns to generation 20"), PRESS(".."), GENERATION(2),
                    PRESS("r") /* the key returns to the state before the last one */,
                    SHOWS("u returns to generation 2\n"), PRESS("u"), GENERATION(2),
                    ENTER("g", "20"), GENERATION(20), SHOWS(live),
                    PRESS("rr") /* the second one has nothing to lose */, GENERATION(0), PRESS("u"),
                    GENERATION(20), SHOWS("back at generation 20"), SHOWS(live), PRESS("r"),
                    GENERATION(0), CHOOSE("b", "reference"), STATUS("reference"),
                    PRESS("u") /* the engine has put nothing saved any more */,
                    SHOWS("computing generation 20 again"), GENERATION(20), SHOWS(live)));
    user_quits(screen);
}
END_TEST

/* What is still on its way when the key comes is what the reset can lose, though it is stopped; and
 * a reset before it is not this one. */
static const char *const at_once[] = {".r", "g7\rr", " r", ":seed 9\r.r", "r.r", "rg7\rr", "r r"};

START_TEST(a_reset_behind_other_keys)
{
    struct screen *screen = user_starts(&small_lattice);

    user_does(screen, STEPS(PRESS(at_once[_i]), SHOWS("u returns to generation "), GENERATION(0),
                            PRESS("u"), SHOWS("back at generation "), STATUS("PAUSE")));
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

    user_does(screen, STEPS(PRESS("E"), SHOWS("space: dry, humid, cloud, active; E leaves"),
                            ROW(-1, "next state"), SHOWS("hum=0 act=0 cld=0 (dry)")));
    for (int i = 1; i <= 4; i++) {
        screen_send(screen, " ");
        screen_expect(screen, test_text("(%s)", states[i % 4]));
    }
    user_does(screen, STEPS(PRESS(RIGHT " "), SHOWS("(humid)"), GENERATION(0), PRESS("\033"),
                            HIDES("next state"), PRESS(" ") /* runs again */, REACHES(2),
                            PRESS("E") /* stops the run */, STATUS("PAUSE"), PRESS("E"),
                            HIDES("next state")));
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

    test_put("block.pbm", picture);
    user_does(screen, STEPS(PRESS(":goto 2,3\r"), SHOWS("2,3 cell=0"), PRESS("E"),
                            ROW(-1, "next state"), PRESS("p"), ROW(-2, "paste:")));
    user_does(screen, STEPS(PRESS(test_text("%s\t\r", test_path("blo"))), SHOWS("block.pbm, 4x2x1"),
                            SHOWS("2,3 cell=1 (live)"), SHOWS("│....OOOOOOOO...."),
                            SHOWS("live   8"), PRESS("p"), ROW(-2, "paste:"), PRESS("none.txt\r"),
                            SHOWS("is not a pattern of anneal"),
                            PRESS("Ey") /* the start does not lead there */,
                            SHOWS("A parameter or cells were changed"), SHOWS("anneal-g0.h5"),
                            PRESS("qr"), SHOWS("u returns to generation 0"), SHOWS("live   0"),
                            PRESS("u"), SHOWS("live   8")));
    user_quits(screen);
}
END_TEST

/* A crash does not cost what was edited, though the generation is that of the last checkpoint. */
START_TEST(edits_survive_a_crash)
{
    struct screen *screen = user_starts(&small_lattice);
    char live[64];

    user_does(screen,
              STEPS(PRESS("E"), ROW(-1, "next state"), PRESS(" "),
                    WAIT_MS(1600) /* the state is saved when it has rested for a second */));
    snprintf(live, sizeof live, "%.11s ", strstr(screen_text(screen), "live "));
    ck_assert_int_eq(kill(engine_of(screen), 9), 0);
    user_does(screen, STEPS(SHOWS("restarted at generation 0"), SHOWS(live),
                            PRESS("q") /* the cursor */, HIDES("enter leave")));
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

    user_does(screen, STEPS(PRESS("E"), ROW(-1, "next state"), PRESS("  " RIGHT " "),
                            SHOWS("33,24 cell="), PRESS("E"), HIDES("next state"), SHOWS(live)));
    user_quits(screen);
    screen = user_starts(&options);
    user_does(screen, STEPS(SHOWS(live), GENERATION(0), PRESS("y"),
                            SHOWS("A parameter or cells were changed"),
                            PRESS("qr") /* and that is not what is there next time */,
                            SHOWS("u returns to")));
    user_quits(screen);
    screen = user_starts(&options);
    screen_expect(screen, "live   1500");
    user_quits(screen);
}
END_TEST

static const struct script scripts[] = {
    /* In a split a state that the start leads to is computed again, and any other is asked for. */
    {"a reset in a split", &small_lattice,
     STEPS(ENTER("g", "20"), GENERATION(20), PRESS("x"), SHOWS("EQUAL at 20"), PRESS("r"),
           GENERATION(0), PRESS("u"), GENERATION(20), SHOWS("EQUAL at 20"),
           COMMAND("set density=0.25"), SHOWS("density changed"), PRESS("r"),
           SHOWS("r again gives this state up"), GENERATION(20), PRESS("r"), GENERATION(0))},
    {"both panes of a split get the same", &small_lattice,
     STEPS(ENTER("g", "3"), GENERATION(3), PRESS("x"), SHOWS("EQUAL at 3"), PRESS("E"),
           ROW(-1, "next state"), PRESS("  " RIGHT " "), SHOWS("EQUAL at 3"), PRESS("E..."),
           GENERATION(6), SHOWS("EQUAL at 6"))},
};

int main(void)
{
    return RUN_TESTS(.test = {a_reset_is_undone, space_goes_through_the_states, pattern_is_pasted,
                              edits_survive_a_crash, edits_are_there_at_the_next_start},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {a_reset_behind_other_keys, COUNT(at_once)}});
}
