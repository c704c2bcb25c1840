/* SPDX-License-Identifier: MIT */
/* What the workbench shows where room is scarce: nothing that matters is cut off. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/person.h"
#include "tests/support.h"

static const struct screen_options smallest = {.rows = 12, .columns = 40};

/* --- texts to read ---------------------------------------------------------------------------- */

START_TEST(help_is_wrapped)
{
    struct screen *screen = person_starts(&smallest);

    screen_send(screen, "?");
    screen_expect(screen, "in the lattice");
    screen_expect(screen, "left h           pan, or move");
    screen_expect(screen, "the cursor,");
    screen_send(screen, "/ctrl-z\r");
    screen_expect(screen, "suspend the");
    screen_send(screen, "\033OF"); /* End */
    screen_expect(screen, "(more above)");
    screen_expect(screen, "previous match");
    screen_send(screen, "\033OH");
    screen_expect(screen, "(more below)");
    screen_expect(screen, "in the lattice");
    screen_send(screen, "q");
    person_quits(screen);
}
END_TEST

START_TEST(the_whole_command_is_shown)
{
    struct screen *screen = person_starts(&smallest);

    screen_send(screen, "y");
    screen_expect(screen, "calab run anneal");
    screen_expect(screen, "--seed 1 -n 0");
    screen_send(screen, "q");
    person_quits(screen);
}
END_TEST

START_TEST(log_lines_are_wrapped)
{
    struct screen *screen = person_starts_plainly();

    person_types(screen, ":", "set fps=99");
    screen_expect(screen, "fps = '99' is out of range, allowed: 1 ... 60, whole");
    screen_send(screen, "5");
    screen_expect(screen, "5 log");
    screen_expect(screen, "            allowed: 1 ... 60, whole");
    person_quits(screen);
}
END_TEST

/* --- panels ----------------------------------------------------------------------------------- */

START_TEST(timing_fits)
{
    struct screen *screen = person_starts_plainly();
    const char *at;
    char device[16], wall[16], units[2][8];

    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_expect(screen, "dev/wall ");
    at = strstr(screen_text(screen), "dev/wall ");
    ck_assert_int_eq(sscanf(at, "dev/wall %15s %7s / %15s %7s", device, units[0], wall, units[1]),
                     4);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(strcmp(units[i], "ns") == 0 || strcmp(units[i], "us") == 0 ||
                          strcmp(units[i], "ms") == 0 || strcmp(units[i], "s") == 0,
                      "unit '%s' of '%.40s'", units[i], at);
    person_quits(screen);
}
END_TEST

/* No probe of this machine is in the home of the test. */
START_TEST(ceilings_are_unknown)
{
    struct screen *screen = person_starts_plainly();

    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_expect(screen, "ceiling  unknown");
    person_quits(screen);
}
END_TEST

START_TEST(device_has_its_memory_at_80x24)
{
    struct screen *screen = person_starts_plainly();

    screen_send(screen, "4");
    screen_expect(screen, "4 device");
    screen_expect(screen, " GiB ");
    person_quits(screen);
}
END_TEST

START_TEST(the_reduction_is_not_cut)
{
    const struct screen_options options = {.arguments = {"life3d", "-s", "300x300x300"}};
    struct screen *screen = person_starts(&options);

    screen_send(screen, "{{{hhhh");
    screen_expect(screen, "1:8 mean of all -");
    person_quits(screen);
}
END_TEST

START_TEST(units_are_whole_or_left_out)
{
    const struct screen_options options = {.arguments = {"fhp"}};
    struct screen *screen = person_starts(&options);

    screen_expect(screen, "momentum_y");
    screen_expect(screen, "rows/step");
    screen_expect_not(screen, "half cells/st");
    person_quits(screen);
}
END_TEST

/* --- pickers ---------------------------------------------------------------------------------- */

/* "clo" is in the description of anneal too, which stands above. */
START_TEST(names_come_before_descriptions)
{
    struct screen *screen = person_starts_plainly();

    person_chooses(screen, "m", "clo");
    expect_status(screen, "cloud");
    person_quits(screen);
}
END_TEST

START_TEST(golly_keys_have_their_own_defaults)
{
    struct screen *screen = person_starts_plainly();

    person_types(screen, ":", "set keys=golly");
    screen_expect_row(screen, -1, "enter run");
    screen_send(screen, "o/fullest\r");
    screen_expect(screen, "is not here");
    screen_send(screen, "/run  \r");
    screen_expect(screen, "default enter p");
    screen_send(screen, "q");
    person_quits(screen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workbench_room");
    TCase *tests = tcase_create("room");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, help_is_wrapped);
    tcase_add_test(tests, the_whole_command_is_shown);
    tcase_add_test(tests, log_lines_are_wrapped);
    tcase_add_test(tests, timing_fits);
    tcase_add_test(tests, ceilings_are_unknown);
    tcase_add_test(tests, device_has_its_memory_at_80x24);
    tcase_add_test(tests, the_reduction_is_not_cut);
    tcase_add_test(tests, units_are_whole_or_left_out);
    tcase_add_test(tests, names_come_before_descriptions);
    tcase_add_test(tests, golly_keys_have_their_own_defaults);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
