/* SPDX-License-Identifier: MIT */
/* What the workbench asks and says: prompts with a text in place, and alarms that stay. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
        screen_send(screen, "s");
        screen_expect_row(screen, -2, "size: 64x48");
        screen_send(screen, edits[i].keys);
        screen_expect_row(screen, -2, edits[i].shown);
        screen_send(screen, "\033");
        screen_expect_not(screen, "size: ");
    }
    screen_send(screen, "s32x16\r");
    expect_status(screen, "32x16");
    user_quits(screen);
}
END_TEST

#define PASTE(text) "\033[200~" text "\033[201~"

/* What is pasted into the panels, into help or into a list of measurements does nothing, and says
 * so; a prompt and a filter take it as one line. */
START_TEST(a_paste_runs_no_commands)
{
    struct screen *screen = user_starts(&small_lattice);

    screen_send(screen, PASTE("Q.q\rR5\rx T"));
    screen_expect(screen,
                  "pasted text is not taken for keys; it goes into a line of input, as : opens");
    expect_generation(screen, 0);
    screen_send(screen, "?" PASTE("Qq\033"));
    screen_expect(screen, "n next");
    screen_send(screen, "q");
    screen_send(screen, ":" PASTE(" goto\r\n\x01"
                                  "3\t\r"));
    screen_expect_row(screen, -2, ":goto 3");
    expect_generation(screen, 0); /* the end of a line does not run it */
    screen_send(screen, "\r");
    expect_generation(screen, 3);
    screen_send(screen, "s" PASTE("48x\xc3\xa4"));
    screen_expect_row(screen, -2, "size: 48x\xc3\xa4");
    screen_send(screen, "\177"
                        "32\r");
    expect_status(screen, "48x32");
    screen_send(screen, "m" PASTE("  life3d\r"));
    screen_expect(screen, "type to filter: life3d_");
    screen_send(screen, "\033");
    screen_expect_not(screen, "type to filter");
    user_quits(screen);
}
END_TEST

START_TEST(a_paste_fills_a_line)
{
    struct screen *screen = user_starts(&small_lattice);
    char text[600];

    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    screen_send(screen, ":\033[200~");
    screen_send(screen, text);
    screen_send(screen, "\033[201~");
    screen_expect(screen, "the line is full: the rest of what was pasted is left out");
    screen_send(screen, "\033");
    screen_expect_not(screen, "the line is full");
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
        screen_send(screen, ":");
        screen_send(screen, tabs[i].typed);
        screen_expect_row(screen, -2, tabs[i].line);
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
    char line[512];

    test_write(test_path("own.cfg"), cfg, strlen(cfg));
    test_write(test_path("wrong.cfg"), wrong, strlen(wrong));
    screen_send(screen, "...");
    expect_generation(screen, 3);
    snprintf(line, sizeof line, "write %s", test_path("three.pbm"));
    user_types(screen, ":", line);
    screen_expect(screen, "wrote");
    snprintf(line, sizeof line, "open %s", test_path("own.c\t"));
    screen_send(screen, ":");
    screen_send(screen, line);
    screen_expect_row(screen, -2, "own.cfg");
    screen_send(screen, "\r");
    expect_status(screen, "cloud  24x20x8");
    expect_generation(screen, 0);
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "open %s", test_path(i ? "wrong.cfg" : "none.cfg"));
        user_types(screen, ":", line);
        screen_expect(screen, i ? "did you mean 'size'" : "there is no file");
        screen_send(screen, "\033");
    }
    expect_status(screen, "cloud  24x20x8");
    user_types(screen, ":", "model anneal"); /* as it was left */
    expect_status(screen, "anneal  64x48");
    expect_generation(screen, 3);
    user_types(screen, ":", "size 32x32");
    expect_status(screen, "anneal  32x32");
    snprintf(line, sizeof line, "open %s", test_path("three.pbm"));
    user_types(screen, ":", line);
    expect_status(screen, "anneal  64x48");
    expect_generation(screen, 0);
    user_quits(screen);
}
END_TEST

/* --- alarms ----------------------------------------------------------------------------------- */

START_TEST(an_alarm_stays_until_it_is_answered)
{
    struct screen *screen = user_starts(&small_lattice);

    ck_assert_int_eq(kill(engine_of(screen), SIGKILL), 0);
    screen_expect_row(screen, -2, "restarted at generation 0 (esc)");
    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_expect_row(screen, -2, "restarted at generation 0 (esc)");
    screen_forget_bytes(screen);
    user_types(screen, ":", "stpe"); /* its refusal goes with the next key, the alarm stays */
    screen_expect_row(screen, -2, "'stpe' is not a command");
    ck_assert_ptr_nonnull(strstr(screen_bytes(screen, NULL), "\033[31m")); /* in red */
    screen_expect(screen, "restarted at generation 0 (esc)");
    screen_send(screen, ".");
    expect_generation(screen, 2);
    screen_expect_not(screen, "'stpe' is not");
    screen_expect_row(screen, -2, "restarted at generation 0 (esc)");
    screen_send(screen, "m"); /* in a dialog the key closes that */
    screen_expect(screen, "type to filter");
    screen_send(screen, "\033");
    screen_expect_not(screen, "type to filter");
    screen_expect_row(screen, -2, "restarted at generation 0 (esc)");
    screen_send(screen, "\033");
    screen_expect_not(screen, "restarted");
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
    screen_expect(screen, "generation 0 (esc, 1 more)");
    screen_send(screen, "\033");
    screen_expect_not(screen, "twice in a row");
    screen_expect(screen, "restarted at generation 0 (esc)");
    screen_send(screen, "\033");
    screen_expect_not(screen, "(esc");
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
};

int main(void)
{
    Suite *suite = suite_create("workbench_prompt");
    TCase *prompts = tcase_create("prompts"), *alarms = tcase_create("alarms");

    tcase_set_timeout(prompts, 60);
    tcase_add_test(prompts, first_key_replaces_what_stands_there);
    tcase_add_test(prompts, a_paste_runs_no_commands);
    tcase_add_test(prompts, a_paste_fills_a_line);
    tcase_add_test(prompts, tab_completes_the_line);
    scripts_add(prompts, scripts, COUNT(scripts));
    tcase_add_test(prompts, open_of_experiments_and_states);
    suite_add_tcase(suite, prompts);
    tcase_set_timeout(alarms, 60);
    tcase_add_test(alarms, an_alarm_stays_until_it_is_answered);
    tcase_add_test(alarms, several_alarms_are_answered_one_by_one);
    suite_add_tcase(suite, alarms);
    return run_suite(suite);
}
