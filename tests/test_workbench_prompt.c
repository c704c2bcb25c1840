/* SPDX-License-Identifier: MIT */
/* What the workbench asks and says: prompts with a text in place, and alarms that stay. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support.h"
#include "tests/user.h"

static const struct screen_options small_lattice = {
    .arguments = {"anneal", "-s", "64x48"}, .columns = 120, .rows = 24};

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

/* --- alarms ----------------------------------------------------------------------------------- */

START_TEST(an_alarm_stays_until_it_is_answered)
{
    struct screen *screen = user_starts(&small_lattice);

    ck_assert_int_eq(kill(engine_of(screen), SIGKILL), 0);
    screen_expect(screen, "restarted at generation 0 (esc)");
    screen_expect_row(screen, -2, "space run"); /* what was said before stays visible, too */
    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_expect_row(screen, -2, "restarted at generation 0 (esc)");
    user_types(screen, ":", "stpe"); /* its refusal goes with the next key, the alarm stays */
    screen_expect_row(screen, -2, "'stpe' is not a command");
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

int main(void)
{
    Suite *suite = suite_create("workbench_prompt");
    TCase *prompts = tcase_create("prompts"), *alarms = tcase_create("alarms");

    tcase_set_timeout(prompts, 60);
    tcase_add_test(prompts, first_key_replaces_what_stands_there);
    suite_add_tcase(suite, prompts);
    tcase_set_timeout(alarms, 60);
    tcase_add_test(alarms, an_alarm_stays_until_it_is_answered);
    tcase_add_test(alarms, several_alarms_are_answered_one_by_one);
    suite_add_tcase(suite, alarms);
    return run_suite(suite);
}
