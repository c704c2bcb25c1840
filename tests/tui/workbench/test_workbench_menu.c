/* SPDX-License-Identifier: MIT */
/* What can be done is found: the line of hints, the help, the menu, keys without a meaning. */
#include <stdio.h>
#include <string.h>

#include "tests/support/script.h"
#include "tests/support/support.h"

#define F3 "\033OR"

static const struct screen_options smallest = {.rows = 12, .columns = 40};
static const struct screen_options largest = {.rows = 60, .columns = 200};

static const struct script scripts[] = {
    {"the hints are those of the panel in focus", NULL,
     STEPS(ROW(-1, "space run  ? help  f3 menu  q quit  m model  x split  arrows pan"), PRESS("\t"),
           ROW(-1, "x split  b backend  V check all"), PRESS("\t"),
           ROW(-1, "x split  w write a table"), PRESS("5\t"),
           ROW(-1, "x split  up down scroll  / search"))},
    {"a narrow line has few of them", &smallest,
     STEPS(ROW(-1, "space run  ? help  f3 menu  q quit"))},
    {"a wide line has many", &largest,
     STEPS(ROW(-1, "v what is drawn  enter look at a cell  f fit"), ROW(-1, ". step"),
           ROW(-1, "b backend"))},
    {"the line follows the keys of the settings", OPTIONS(.environment = {"CALAB_KEYS=golly"}),
     STEPS(ROW(-1, "enter run  ? help"))},
    {"nothing repeats the hints at the start", NULL,
     STEPS(ROW(-1, "space run"), LACKS_ROW(-2, "run"), LACKS_ROW(-2, "help"))},
    {"the help begins with few keys, then the panel's, then all", NULL,
     STEPS(PRESS("?"), ROW(2, "the keys that matter most"), ROW(3, "space p          run or pause"),
           ROW(14, "in the panel lattice"), PRESS("/all keys: everywhere\r"),
           SHOWS("all keys: everywhere"), PRESS("q"), HIDES("[help"), PRESS("\t?"),
           SHOWS("in the panel timing"), PRESS("q"))},
    {"the menu does what is chosen", NULL,
     STEPS(PRESS(F3), SHOWS("[what can be done here"), SHOWS("in the panel lattice"),
           PRESS("step\r"), HIDES("[what can"), GENERATION(1), PRESS(";"), SHOWS("type to filter"),
           PRESS("model\r"), SHOWS("[model or experiment"), PRESS("\033"), HIDES("[model or"))},
    {"the menu has what can be done, and no more", &largest,
     STEPS(PRESS(F3), SHOWS("type to filter"), PRESS("crossing"), SHOWS("no match"), PRESS("\033"),
           PRESS("x"), SHOWS("x unsplit"), PRESS(F3), SHOWS("in a split"), PRESS("crossing"),
           SHOWS("> crossing"), PRESS("\033"), HIDES("type to filter"), PRESS(F3),
           PRESS("full-screen"), SHOWS("no match"), PRESS("\033"), HIDES("type to filter"))},
    {"a key without a meaning says so", NULL,
     STEPS(PRESS("G"), ROW(-2, "G has no meaning here, ? lists the keys"), PRESS("."),
           GENERATION(1), LACKS_ROW(-2, "no meaning"), PRESS("\007"),
           ROW(-2, "ctrl-g has no meaning here"), PRESS("\xc3\xa4"),
           ROW(-2, "\u00e4 has no meaning here"))},
    {"it fits the smallest screen", &smallest,
     STEPS(PRESS("G"), ROW(-2, "G has no meaning here"), PRESS("\007"),
           ROW(-2, "ctrl-g has no meaning here"), LACKS("? lists"))},
    {"a list says so as well", NULL,
     STEPS(PRESS("?"), SHOWS("[help"), PRESS("G"), SHOWS("G has no meaning here"), PRESS("j"),
           HIDES("no meaning"), PRESS("q"))},
};

/* Held down it adds one line to the log; another one in between makes it two. */
START_TEST(once_while_it_is_held)
{
    struct screen *screen = user_starts_default();
    int said = 0;

    user_does(screen, STEPS(PRESS("GGGGG.GG"), GENERATION(1), SHOWS("G has no meaning"),
                            COMMAND("set panels=log"), SHOWS("5 log"), PRESS("?q")));
    screen_expect_not(screen, "[help");
    for (int row = 1; row < 22; row++)
        said += strstr(screen_row(screen, row), "G has no meaning") != NULL;
    ck_assert_int_eq(said, 2);
    user_quits(screen);
}
END_TEST

/* What is chosen finds the screen without the menu over it. */
START_TEST(a_file_of_the_screen_lacks_the_menu)
{
    struct screen *screen = user_starts_default();
    const char *file = test_path("shot.txt");

    user_does(screen, STEPS(PRESS(F3), SHOWS("type to filter"), PRESS("snapshot\r"),
                            SHOWS("write:"), LACKS("[what can"), PRESS("\025")));
    screen_send(screen, test_text("%s\r", file));
    screen_expect_words(screen, "the screen of 80x24");
    ck_assert_contains(test_read(file, NULL), "[1 lattice");
    ck_assert_ptr_null(strstr(test_read(file, NULL), "what can be done"));
    user_quits(screen);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {once_while_it_is_held, a_file_of_the_screen_lacks_the_menu},
                     .table = {{scripts_test(scripts), COUNT(scripts)}});
}
