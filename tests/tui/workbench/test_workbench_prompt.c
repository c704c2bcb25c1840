/* SPDX-License-Identifier: MIT */
/* What the workbench asks and says: prompts with a text in place, and alarms that stay. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tests/support/script.h"
#include "tests/support/user.h"

static const struct screen_options small_lattice = {
    .arguments = {"anneal", "-s", "64x48", "-b", "reference"}, .columns = 120, .rows = 24};

/* --- prompts ---------------------------------------------------------------------------------- */

static const struct {
    const char *keys, *shown;
} edits[] = {
    {"3", "size: 3"},               /* replaces */
    {"32x1", "size: 32x1"},         /* and goes on */
    {"\xc3\xa9", "size: \xc3\xa9"}, /* also beyond ASCII */
    {"\033OD1", "size: 64x418"},    /* Left */
    {"\033OC1", "size: 64x481"},    /* Right */
    {"\033OH1", "size: 164x48"},    /* Home */
    {"\033OF1", "size: 64x481"},    /* End */
    {"\177"
     "1",
     "size: 64x41"}, /* Backspace */
};

START_TEST(first_key_replaces_what_stands_there)
{
    struct screen *screen = user_starts(&small_lattice);

    for (size_t i = 0; i < COUNT(edits); i++) {
        user_does(screen, STEPS(PRESS("s"), ROW(-2, "size: 64x48"), PRESS(edits[i].keys),
                                ROW(-2, edits[i].shown), PRESS("\033"), HIDES("size: ")));
    }
    screen_send(screen, "s32x16\r");
    expect_status(screen, "32x16");
    user_quits(screen);
}
END_TEST

#define PASTE(text) "\033[200~" text "\033[201~"

START_TEST(a_paste_fills_a_line)
{
    struct screen *screen = user_starts(&small_lattice);
    char text[600];

    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    user_does(screen, STEPS(PRESS(":\033[200~"), PRESS(text), PRESS("\033[201~"),
                            SHOWS("the line is full: the rest of what was pasted is left out"),
                            PRESS("\033"), HIDES("the line is full")));
    user_quits(screen);
}
END_TEST

/* --- the command line ------------------------------------------------------------------------- */

static const struct {
    const char *typed, *line, *listed; /* listed: among the candidates, NULL: there is one */
} tabs[] = {
    {"op\t", ":open", NULL},
    {"init cr\t", ":init crand", NULL},
    {"backend bitslice-avx5\t", ":backend bitslice-avx512", NULL},
    {"bench threads,refe\t", ":bench threads,reference", NULL},
    {"verify bits\t", ":verify bitslice", "bitslice-avx2"},
    {"set den\t", ":set density=", NULL},
    {"set glyphs=ra\t", ":set glyphs=ramp10", NULL},
    {"set threads=\t", ":set threads=0", NULL},
    {"write no-such-folder/\t", ":write no-such-folder/", "write FILE"},
};

START_TEST(tab_completes_the_line)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "64x48", "-b", "threads"}, .columns = 120, .rows = 24};
    struct screen *screen = user_starts(&options);

    for (size_t i = 0; i < COUNT(tabs); i++) {
        user_does(screen, STEPS(PRESS(":"), PRESS(tabs[i].typed), ROW(-2, tabs[i].line)));
        if (tabs[i].listed)
            screen_expect(screen, tabs[i].listed);
        screen_send(screen, "\033");
        screen_expect_not(screen, tabs[i].line);
    }
    user_quits(screen);
}
END_TEST

START_TEST(open_of_experiments_and_states)
{
    static const char cfg[] = "model = \"cloud\"; size = \"24x20x8\"; seed = 7;\n",
                      wrong[] = "model = \"cloud\"; sise = \"24x20x8\";\n";
    struct screen *screen = user_starts(&small_lattice);

    test_put("own.cfg", cfg);
    test_put("wrong.cfg", wrong);
    screen_send(screen, "...");
    expect_generation(screen, 3);
    user_types(screen, ":", test_text("write %s", test_path("three.pbm")));
    screen_expect(screen, "wrote");
    user_does(screen,
              STEPS(PRESS(":"), PRESS(test_text("open %s", test_path("own.c\t"))),
                    ROW(-2, "own.cfg"), PRESS("\r"), STATUS("cloud  24x20x8"), GENERATION(0)));
    for (int i = 0; i < 2; i++) {
        user_does(screen,
                  STEPS(COMMAND(test_text("open %s", test_path(i ? "wrong.cfg" : "none.cfg"))),
                        SHOWS(i ? "did you mean 'size'" : "there is no file"), PRESS("\033")));
    }
    user_does(screen, STEPS(STATUS("cloud  24x20x8"), COMMAND("model anneal") /* as it was left */,
                            STATUS("anneal  64x48"), GENERATION(3), COMMAND("size 32x32"),
                            STATUS("anneal  32x32")));
    user_does(screen, STEPS(COMMAND(test_text("open %s", test_path("three.pbm"))),
                            STATUS("anneal  64x48"), GENERATION(0)));
    user_quits(screen);
}
END_TEST

/* --- alarms ----------------------------------------------------------------------------------- */

START_TEST(an_alarm_stays_until_it_is_answered)
{
    struct screen *screen = user_starts(&small_lattice);

    ck_assert_int_eq(kill(engine_of(screen), SIGKILL), 0);
    user_does(screen, STEPS(ROW(-2, "restarted at generation 0 (esc)"), PRESS("."), GENERATION(1),
                            ROW(-2, "restarted at generation 0 (esc)")));
    screen_forget_bytes(screen);
    user_types(screen, ":", "stpe"); /* its refusal goes with the next key, the alarm stays */
    screen_expect_row(screen, -2, "'stpe' is not a command");
    ck_assert_ptr_nonnull(strstr(screen_bytes(screen, NULL), "31m")); /* in red */
    user_does(screen,
              STEPS(SHOWS("restarted at generation 0 (esc)"), PRESS("."), GENERATION(2),
                    HIDES("'stpe' is not"), ROW(-2, "restarted at generation 0 (esc)"),
                    PRESS("m") /* in a dialog the key closes that */, SHOWS("type to filter"),
                    PRESS("\033"), HIDES("type to filter"),
                    ROW(-2, "restarted at generation 0 (esc)"), PRESS("\033"), HIDES("restarted")));
    user_quits(screen);
}
END_TEST

START_TEST(several_alarms_are_answered_one_by_one)
{
    struct screen *screen = user_starts(&small_lattice);

    for (int i = 0; i < 2; i++) { /* the second time there is no other engine */
        ck_assert_int_eq(kill(engine_of(screen), i ? SIGTERM : SIGKILL), 0);
        screen_expect(screen, i ? "twice in a row" : "restarted at generation 0 (esc)");
    }
    user_does(screen,
              STEPS(SHOWS("generation 0 (esc, 1 more)"), PRESS("\033"), HIDES("twice in a row"),
                    SHOWS("restarted at generation 0 (esc)"), PRESS("\033"), HIDES("(esc")));
    user_quits(screen);
}
END_TEST

static const struct script scripts[] = {
    {"tab completes a value",
     OPTIONS(.arguments = {"fhp", "-s", "64x48"}, .columns = 120, .rows = 24),
     STEPS(PRESS("e"), SHOWS("parameters of the model"), PRESS("/geometry\r\r"),
           ROW(-2, "value: channel"), PRESS("cy\t"), ROW(-2, "value: cylinder"), PRESS("\025\t"),
           SHOWS("channel  none  cylinder  file"), PRESS("\033"), HIDES("value: "),
           PRESS("\033OH\r") /* Home: the initial state */, ROW(-2, "init: random"), PRESS("sou\t"),
           ROW(-2, "init: sound"), PRESS("\033"), HIDES("init: sound"), PRESS("q"),
           HIDES("parameters of the model"))},
    {"bench and verify of some backends", &small_lattice,
     STEPS(COMMAND("verify threads"), SHOWS("every backend against the reference"),
           SHOWS("threads"), WAIT_MS(200), LACKS("bitslice-avx512"), PRESS("y"),
           SHOWS("calab verify anneal -b threads"), PRESS("qq"), HIDES("against the reference"),
           COMMAND("bench bitslice,threads"), SHOWS("ladder"), SHOWS("x before"), PRESS("y"),
           SHOWS("calab bench anneal -b bitslice,threads"), PRESS("qq"), COMMAND("bench treads"),
           SHOWS("did you mean 'threads'"), PRESS("q"))},
    /* What is pasted into the panels, into help or into a list of measurements does nothing, and
     * says so; a prompt and a filter take it as one line. */
    {"a paste runs no commands", &small_lattice,
     STEPS(PRESS(PASTE("Q.q\rR5\rx T")),
           SHOWS("pasted text is not taken for keys; it goes into a line of input, as : opens"),
           GENERATION(0), PRESS("?" PASTE("Qq\033")), SHOWS("n next"), PRESS("q"),
           PRESS(":" PASTE(" goto\r\n\x01"
                           "3\t\r")),
           ROW(-2, ":goto 3"), GENERATION(0) /* the end of a line does not run it */, PRESS("\r"),
           GENERATION(3), PRESS("s" PASTE("48x\xc3\xa4")), ROW(-2, "size: 48x\xc3\xa4"),
           PRESS("\177"
                 "32\r"),
           STATUS("48x32"), PRESS("m" PASTE("  life3d\r")), SHOWS("type to filter: life3d_"),
           PRESS("\033"), HIDES("type to filter"))},
};

int main(void)
{
    return RUN_TESTS(.test = {first_key_replaces_what_stands_there, a_paste_fills_a_line,
                              tab_completes_the_line, open_of_experiments_and_states,
                              an_alarm_stays_until_it_is_answered,
                              several_alarms_are_answered_one_by_one},
                     .table = {{scripts_test(scripts), COUNT(scripts)}});
}
