/* SPDX-License-Identifier: MIT */
/* Patterns in the workbench: the picker's section, `:open`, `:init`, `:at`, and files with rules.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

START_TEST(a_section_of_the_picker)
{
    const struct screen_options options = {.rows = 60, .columns = 100};
    struct screen *screen;

    ck_assert_int_eq(chdir(test_source(".")), 0);
    screen = user_starts(&options);
    user_does(screen,
              STEPS(PRESS("m"), SHOWS("patterns    ") /* the heading */,
                    SHOWS("glider-4555    life3d glider of 10 cells in Bays' rule 4555"),
                    PRESS("pattern") /* finds them all, and not their heading */,
                    HIDES("fhp-cylinder"), SHOWS("dam-break"), PRESS("\r"), STATUS("24x24x24"),
                    PRESS("mairf"), SHOWS("from: the formula of NACA Report 460"), PRESS("\r"),
                    STATUS("512x256"), SHOWS("look for: The gas is fast above the airfoil"),
                    PRESS("\033"), CHOOSE("m", "glider-5766"), STATUS("24x24x24")));
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
    user_does(screen,
              STEPS(ENTER("m", "mine"), SHOWS("patterns.cfg:2: pace = '-1' is out of range"),
                    PRESS("\033"), STATUS("anneal  512x512")));
    user_quits(screen);
}
END_TEST

START_TEST(by_the_command_line)
{
    const struct screen_options options = {.rows = 30, .columns = 200};
    struct screen *screen;

    ck_assert_int_eq(chdir(test_source(".")), 0);
    screen = user_starts(&options);
    user_does(screen,
              STEPS(COMMAND("open no-such-pattern"),
                    SHOWS("there is no file 'no-such-pattern', and nothing that ships"),
                    COMMAND("open glider-5766"), STATUS("life3d  24x24x24"),
                    PRESS("\033:open wate\t"), SHOWS(":open water-"), PRESS("\003"),
                    COMMAND("open water-dam"), STATUS("water  256x256"), COMMAND("model life3d"),
                    STATUS("life3d"),
                    COMMAND("init pulsator-4555") /* the rule of the pattern before goes */,
                    SHOWS("live  8 "), SHOWS("OO") /* in its fullest slice */, COMMAND("at 1,2,3"),
                    SHOWS("XY z=3/23"), PRESS("y"), SHOWS(".rle3 --at 1,2,3"), PRESS("q"),
                    COMMAND("at 1,2,99"), SHOWS("at 1,2,99: z = 99 is outside the lattice"),
                    PRESS("\033"), COMMAND("init random"), HIDES("live  8 ")));
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

    test_put("g.rle3", glider);
    screen = user_starts(&options);
    user_does(screen, STEPS(COMMAND(test_text("open %s", test_path("g.rle3"))), SHOWS("live  10"),
                            PRESS("e"), SHOWS("3D4,5/5"), PRESS("q"), COMMAND("set boundary=dead"),
                            COMMAND("step 4"), GENERATION(4), SHOWS("live  10")));
    user_quits(screen);
}
END_TEST

/* The command that `y` writes names a rule that goes over the file's, also the model's own; the
 * next file brings its rule. */
START_TEST(a_rule_over_a_file)
{
    const struct screen_options options = {
        .rows = 30,
        .columns = 200,
        .arguments = {"life", "--init", test_path("h.rle"), "--set", "rule=B3/S12"}};
    struct screen *screen;

    test_put("h.rle", "x = 3, y = 3, rule = B36/S23\nbo$2bo$3o!\n");
    screen = user_starts(&options);
    user_does(screen, STEPS(SHOWS("is a pattern of B36/S23: it runs by B3/S12, which was set"),
                            COMMAND("set rule=B3/S23"), SHOWS("rule changed"), PRESS("y"),
                            SHOWS("--set rule=B3/S23"), PRESS("q"),
                            COMMAND(test_text("open %s", test_path("h.rle"))), PRESS("e"),
                            SHOWS("B36/S23"), PRESS("q")));
    user_quits(screen);
}
END_TEST

/* A file imposes its size where nobody has set one: on the command line, and by :init one after the
 * other; an experiment has its own. */
/* The size of the experiment that a model opens as gives way to that of a pattern, and of a state;
 * it stays where the start has none, or where it was typed. */
START_TEST(a_start_brings_its_size)
{
    const struct screen_options options = {.arguments = {"fhp"}, .rows = 30, .columns = 200};
    const char *state = test_path("small.npy");
    struct screen *screen;

    calab_good("run fhp -s 40x20 -n 1 -o %s", state);
    ck_assert_int_eq(chdir(test_source(".")), 0);
    screen = user_starts(&options);
    user_does(screen, STEPS(STATUS("fhp  512x256"), COMMAND("init porous"), STATUS("fhp  256x296"),
                            SHOWS("the size is 256x296 now, as the start says"),
                            COMMAND("init random"), STATUS("fhp  256x296")));
    user_does(screen, STEPS(COMMAND("open fhp-cylinder"), STATUS("fhp  512x256")));
    user_types(screen, ":", test_text("init %s", state));
    user_does(screen, STEPS(STATUS("fhp  40x20"), COMMAND("size 64x64"),
                            SHOWS("size is 64x64, but"), PRESS("\033")));
    user_quits(screen);
}
END_TEST

START_TEST(sizes_of_files)
{
    const struct screen_options options = {.arguments = {"anneal", "--init", "ring"}},
                                gas = {.arguments = {"fhp", "--init", "porous"}};
    struct screen *screen;

    ck_assert_int_eq(chdir(test_source(".")), 0);
    screen = user_starts(&options);
    user_does(screen,
              STEPS(STATUS("anneal  128x128"), COMMAND("init random"), STATUS("anneal  512x512"),
                    COMMAND("open valley"), STATUS("water  129x129"), COMMAND("open dam-break"),
                    STATUS("water  160x64"), COMMAND("model anneal"), STATUS("anneal  512x512"),
                    COMMAND("size 64x64"), STATUS("anneal  64x64"), COMMAND("init disc"),
                    SHOWS("size is 64x64, but"), PRESS("\033")));
    user_quits(screen);
    screen = user_starts(&gas);
    user_does(screen,
              STEPS(STATUS("fhp  256x296"), COMMAND("init airfoil"), STATUS("fhp  512x256")));
    user_quits(screen);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_section_of_the_picker, a_wrong_pattern, by_the_command_line,
                              a_rule_from_a_file, a_rule_over_a_file, a_start_brings_its_size,
                              sizes_of_files});
}
