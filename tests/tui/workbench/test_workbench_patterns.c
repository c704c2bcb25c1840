/* SPDX-License-Identifier: MIT */
/* Patterns in the workbench: the picker's section, `:open`, `:init`, `:at`, and files with rules.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/support.h"
#include "tests/support/user.h"

START_TEST(a_section_of_the_picker)
{
    const struct screen_options options = {.rows = 60, .columns = 100};
    struct screen *screen;

    ck_assert_int_eq(chdir(test_source(".")), 0);
    screen = user_starts(&options);
    screen_send(screen, "m");
    screen_expect(screen, "patterns    "); /* the heading */
    screen_expect(screen, "glider-4555    life3d glider of 10 cells in Bays' rule 4555");
    screen_send(screen, "pattern"); /* finds them all, and not their heading */
    screen_expect_not(screen, "fhp-cylinder");
    screen_expect(screen, "dam-break");
    screen_send(screen, "\r");
    expect_status(screen, "24x24x24");
    screen_send(screen, "mairf");
    screen_expect(screen, "from: the formula of NACA Report 460");
    screen_send(screen, "\r");
    expect_status(screen, "512x256");
    screen_expect(screen, "look for: The gas is fast above the airfoil");
    screen_send(screen, "\033");
    user_chooses(screen, "m", "glider-5766");
    expect_status(screen, "24x24x24");
    user_quits(screen);
}
END_TEST

/* A list that is wrong stands there, says why, and opens nothing. */
START_TEST(a_wrong_pattern)
{
    static const char list[] = "patterns = ({ name = \"mine\"; title = \"My disc.\";\n"
                               "origin = \"me\"; model = \"anneal\"; pace = -1; });\n";
    struct screen *screen;

    ck_assert_int_eq(chdir(test_folder()), 0);
    ck_assert_int_eq(mkdir("configs", 0700), 0);
    ck_assert_int_eq(mkdir("configs/patterns", 0700), 0);
    test_write("configs/patterns/patterns.cfg", list, strlen(list));
    screen = user_starts_default();
    user_types(screen, "m", "mine");
    screen_expect(screen, "patterns.cfg:2: pace = '-1' is out of range");
    screen_send(screen, "\033");
    expect_status(screen, "anneal  512x512");
    user_quits(screen);
}
END_TEST

START_TEST(by_the_command_line)
{
    const struct screen_options options = {.rows = 30, .columns = 200};
    struct screen *screen;

    ck_assert_int_eq(chdir(test_source(".")), 0);
    screen = user_starts(&options);
    user_types(screen, ":", "open no-such-pattern");
    screen_expect(screen, "there is no file 'no-such-pattern', and nothing that ships");
    user_types(screen, ":", "open glider-5766");
    expect_status(screen, "life3d  24x24x24");
    screen_send(screen, "\033:open wate\t");
    screen_expect(screen, ":open water-");
    screen_send(screen, "\003");
    user_types(screen, ":", "open water-dam");
    expect_status(screen, "water  256x256");
    user_types(screen, ":", "model life3d");
    expect_status(screen, "life3d");
    user_types(screen, ":", "init pulsator-4555"); /* the rule of the pattern before goes */
    screen_expect(screen, "live  8 ");
    screen_expect(screen, "OO"); /* in the middle slice */
    user_types(screen, ":", "at 1,2,3");
    screen_expect_not(screen, "OO");
    screen_send(screen, "y");
    screen_expect(screen, ".rle3 --at 1,2,3");
    screen_send(screen, "q");
    user_types(screen, ":", "at 1,2,99");
    screen_expect(screen, "at 1,2,99: z = 99 is outside the lattice");
    screen_send(screen, "\033");
    user_types(screen, ":", "init random");
    screen_expect_not(screen, "live  8 ");
    user_quits(screen);
}
END_TEST

/* The rule of a file is the run's from then on, though nobody has set it here. */
START_TEST(a_rule_from_a_file)
{
    static const char glider[] = "3D version=1\nx=2 y=3 z=4 rule=3D4,5/5\n"
                                 "o$o/bo$bo$o/bo$bo$o/o$o!\n";
    const struct screen_options options = {.arguments = {"life3d", "-s", "16x16x16"}};
    struct screen *screen;
    char line[600];

    test_write(test_path("g.rle3"), glider, strlen(glider));
    screen = user_starts(&options);
    snprintf(line, sizeof line, "open %s", test_path("g.rle3"));
    user_types(screen, ":", line);
    screen_expect(screen, "live  10");
    screen_send(screen, "e");
    screen_expect(screen, "3D4,5/5");
    screen_send(screen, "q");
    user_types(screen, ":", "set boundary=dead");
    user_types(screen, ":", "step 4");
    expect_generation(screen, 4);
    screen_expect(screen, "live  10");
    user_quits(screen);
}
END_TEST

/* A file imposes its size where nobody has set one: on the command line, and by :init one after the
 * other; an experiment has its own. */
START_TEST(sizes_of_files)
{
    const struct screen_options options = {.arguments = {"anneal", "--init", "ring"}};
    struct screen *screen;

    ck_assert_int_eq(chdir(test_source(".")), 0);
    screen = user_starts(&options);
    expect_status(screen, "anneal  128x128");
    user_types(screen, ":", "init random");
    expect_status(screen, "anneal  512x512");
    user_types(screen, ":", "model fhp");
    expect_status(screen, "fhp  ");
    user_types(screen, ":", "init porous");
    expect_status(screen, "fhp  256x296");
    user_types(screen, ":", "init airfoil");
    expect_status(screen, "fhp  512x256");
    user_types(screen, ":", "open valley");
    expect_status(screen, "water  129x129");
    user_types(screen, ":", "open dam-break");
    expect_status(screen, "water  160x64");
    user_types(screen, ":", "model anneal");
    expect_status(screen, "anneal  512x512");
    user_types(screen, ":", "size 64x64");
    expect_status(screen, "anneal  64x64");
    user_types(screen, ":", "init disc");
    screen_expect(screen, "size is 64x64, but");
    screen_send(screen, "\033");
    user_quits(screen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workbench patterns");
    TCase *tests = tcase_create("workbench patterns");

    tcase_set_timeout(tests, SANITIZED ? 200 : 60);
    tcase_add_test(tests, a_section_of_the_picker);
    tcase_add_test(tests, a_wrong_pattern);
    tcase_add_test(tests, by_the_command_line);
    tcase_add_test(tests, a_rule_from_a_file);
    tcase_add_test(tests, sizes_of_files);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
