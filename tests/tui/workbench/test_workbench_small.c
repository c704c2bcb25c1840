/* SPDX-License-Identifier: MIT */
/* The workbench on small terminals: nothing important is cut off. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/user.h"
#include "tests/support/support.h"

static const struct screen_options smallest = {.rows = 12, .columns = 40};

/* --- texts to read ---------------------------------------------------------------------------- */

START_TEST(help_is_wrapped)
{
    struct screen *screen = user_starts(&smallest);

    screen_send(screen, "?");
    screen_expect(screen, "in the lattice");
    screen_expect(screen, "left h           pan, or move");
    screen_expect(screen, "                   the cursor,"); /* under "pan" */
    screen_send(screen, "/ctrl-z\r");
    screen_expect(screen, "suspend the");
    screen_send(screen, "\033OF"); /* End */
    screen_expect(screen, "(more above)");
    screen_expect(screen, "x reference  ");
    screen_send(screen, "\033OH");
    screen_expect(screen, "(more below)");
    screen_expect(screen, "in the lattice");
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

/* Whether line 1 ends at the last column but one, as it does in a screen of this width. */
static bool is_filled(struct screen *screen, const void *columns)
{
    int last = *(const int *)columns - 2;

    return screen_character(screen, 0, last) == 'E' &&
           screen_character(screen, 0, last - 1) == 'S' &&
           screen_character(screen, screen_rows(screen) - 3, *(const int *)columns - 1) != ' ';
}

START_TEST(the_whole_command_is_shown)
{
    struct screen *screen = user_starts(&smallest);

    screen_send(screen, "y");
    screen_expect(screen, "calab run anneal");
    screen_expect(screen, "--seed 1 -n 0");
    /* Its lines end behind words, wherever the edge is; line 1 is drawn up to it. */
    for (int columns = 50; columns < 62; columns += 1) {
        screen_resize(screen, 12, columns);
        screen_until(screen, is_filled, &columns, "line 1 up to the edge");
        ck_assert_msg(screen_shows(screen, "--seed"), "%d columns:\n%s", columns,
                      screen_text(screen));
    }
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

START_TEST(log_lines_are_wrapped)
{
    struct screen *screen = user_starts_default();

    user_types(screen, ":", "set fps=99");
    screen_expect(screen, "fps = '99' is out of range, allowed: 1 ... 60, whole");
    screen_send(screen, "5");
    screen_expect(screen, "5 log");
    screen_expect(screen, "            allowed: 1 ... 60, whole");
    user_quits(screen);
}
END_TEST

/* --- panels ----------------------------------------------------------------------------------- */

START_TEST(timing_fits)
{
    struct screen *screen = user_starts_default();
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
    user_quits(screen);
}
END_TEST

/* The home folder of the test has no probe result. */
START_TEST(ceilings_are_unknown)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, ".");
    expect_generation(screen, 1);
    screen_expect(screen, "ceiling  unknown: calab probe");
    user_quits(screen);
}
END_TEST

START_TEST(device_has_its_memory_at_80x24)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "4");
    screen_expect(screen, "4 device");
    screen_expect(screen, " GiB ");
    user_quits(screen);
}
END_TEST

/* The heading of the lattice leaves out whole parts, the least useful first. */
START_TEST(no_heading_is_cut)
{
    const struct screen_options options = {.arguments = {"life3d", "-s", "600x600x600"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "0{{{");
    screen_expect(screen, "XY z=300/599 4x8 a char mean 0,0");
    screen_send(screen, "lllllj");
    screen_expect(screen, "XY z=300/599 4x8 mean 120,24]");
    user_types(screen, ":", "set drawn=difference");
    screen_expect(screen, "XY z=300/599 4x8 mean difference]");
    screen_resize(screen, 40, 120);
    screen_expect(screen, "XY z=300/599 4x8 a char mean of all difference 120,24]");
    user_quits(screen);
}
END_TEST

/* The message of a search without a match covers its line. */
START_TEST(no_match_covers_the_line)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "?/zzzz\r");
    screen_expect(screen, "'zzzz' was not found          ");
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

/* In this view every cell has a glyph, so that a full row has no blanks. */
static bool row_is_full(struct screen *screen, const void *data)
{
    const char *row = screen_row(screen, 5);

    (void)data;
    return strlen(row) > 79 && !strchr(row, ' ');
}

START_TEST(a_wider_panel_is_filled)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "0");
    user_types(screen, ":", "set drawn=change");
    screen_expect(screen, " change 0,0");
    user_types(screen, ":", "set panels=");
    screen_expect_not(screen, "2 timing");
    screen_until(screen, row_is_full, NULL, "a full row of the lattice");
    user_quits(screen);
}
END_TEST

START_TEST(a_fitted_slice_stays_fitted)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "f");
    screen_expect(screen, " 15x30 mean");
    user_types(screen, "s", "64x32");
    screen_expect(screen, " 2x4 a char");
    screen_resize(screen, 60, 280);
    screen_expect(screen, "2x1 a cell 0,0");
    screen_resize(screen, 24, 80);
    screen_expect(screen, " 2x4 a char");
    screen_send(screen, "]");
    screen_expect(screen, " 1x2 a char");
    screen_resize(screen, 12, 40);
    screen_resize(screen, 24, 80);
    screen_listen(screen, 0.2);
    screen_expect(screen, " 1x2 a char");
    user_quits(screen);
}
END_TEST

/* The ends of the legend are those that :range sets, and follow the picture again after auto. */
START_TEST(range_is_set)
{
    const struct screen_options options = {
        .arguments = {"anneal", "-s", "512x512"}, .lang = "C", .term = "vt100"};
    struct screen *screen = user_starts(&options);

    screen_expect(screen, " live");
    user_types(screen, ":", "range 0.25 0.75");
    screen_expect(screen, "0.25  .:-=+*#%@ 0.75 live");
    user_types(screen, ":", "range 2 1");
    screen_expect(screen, "range 2 1: allowed are auto, and two numbers");
    user_types(screen, ":", "range 1 x");
    screen_expect(screen, "range 1 x: allowed are auto");
    user_types(screen, ":", "range 0x0 0x1");
    screen_expect(screen, "range 0x0 0x1: allowed are auto");
    user_types(screen, ":", "range auto");
    screen_expect_not(screen, "0.75 live");
    user_types(screen, ":", "set glyphs=braille");
    screen_expect(screen, " live");
    screen_send(screen, "c"); /* the first of the sets again */
    screen_send(screen, "cc");
    screen_expect(screen, "glyphs: half needs a locale with UTF-8; states are drawn");
    user_quits(screen);
}
END_TEST

/* Without colours a legend of blocks would be four equal ones. */
START_TEST(states_take_the_place_of_blocks)
{
    const struct screen_options options = {
        .arguments = {"cloud", "-s", "32x32x8"},
        .term = _i == 2 ? "xterm" : NULL, /* of 8 colours */
        .environment = {_i == 0 ? "NO_COLOR=1" : NULL, "CALAB_GLYPHS=braille"}};
    struct screen *screen = user_starts(&options);

    if (_i == 1)
        user_types(screen, ":", "set colours=mono");
    screen_expect(screen, "@ active  o cloud  . humid    dry");
    user_types(screen, ":", "set glyphs=ramp10");
    screen_send(screen, "c");
    screen_expect(screen,
                  "glyphs: half needs 256 colours to draw more than on and off; states are");
    user_chooses(screen, "m", "life3d");
    screen_expect(screen, " life3d "); /* whose two states need none */
    screen_send(screen, "0");
    screen_expect(screen, "\xe2\x96\x88 live    empty");
    user_quits(screen);
}
END_TEST

/* The view stays inside the slice, and zooming out and in returns to the same view. */
START_TEST(zoom_stays_inside)
{
    const struct screen_options options = {.arguments = {"cloud", "-s", "256x256x20"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "0{{{{[");
    screen_expect(screen, "9x18 mean of samples");
    screen_send(screen, "hk");
    screen_listen(screen, 0.2);
    screen_expect(screen, "9x18 mean of samples");
    screen_send(screen, "0{{{{[]}}}}");
    screen_listen(screen, 0.2);
    screen_expect(screen, "2x1 a cell 0,0");
    screen_send(screen,
                "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll");
    screen_expect(screen, "2x1 a cell 233,0");
    user_quits(screen);
}
END_TEST

START_TEST(units_are_whole_or_left_out)
{
    const struct screen_options options = {.arguments = {"fhp"}};
    struct screen *screen = user_starts(&options);

    screen_expect(screen, "momentum_y");
    screen_expect(screen, "rows/step");
    screen_expect_not(screen, "half cells/st");
    user_quits(screen);
}
END_TEST

START_TEST(the_speed_is_rounded)
{
    const struct screen_options options = {.rows = 24, .columns = 200};
    struct screen *screen = user_starts(&options);

    user_types(screen, ":", "speed 3");
    expect_status(screen, " 3/frame");
    screen_send(screen, "--");
    expect_status(screen, " 1/1.33 frames");
    user_types(screen, ":", "speed 1048576");
    expect_status(screen, " 1048576/frame");
    user_quits(screen);
}
END_TEST

/* Without any panel the screen says how to get one back. */
START_TEST(a_blank_screen_says_how)
{
    struct screen *screen = user_starts(_i ? &smallest : &(struct screen_options){.rows = 0});

    user_types(screen, ":", "set panels=");
    screen_expect_not(screen, "2 timing");
    screen_expect_not(screen, "All panels are hidden");
    screen_send(screen, "1");
    screen_expect(screen, "All panels are hidden");
    screen_expect(screen, " 1  lattice");
    screen_expect(screen, " 3  observables");
    screen_expect(screen, " 5  log");
    screen_send(screen, "3");
    screen_expect(screen, "3 observables]");
    screen_expect_not(screen, "All panels are hidden");
    user_quits(screen);
}
END_TEST

/* Rate and pace stay on the line; the reason for no CUDA gives way. */
START_TEST(the_status_has_a_rate)
{
    struct screen *screen = user_starts(_i ? &smallest : &(struct screen_options){.rows = 0});

    screen_send(screen, ".");
    expect_generation(screen, 1);
    expect_status(screen, "ups ");
    expect_status(screen, "/frame PAUSE");
    user_quits(screen);
}
END_TEST

/* The words on the screen are in the help, and found there. */
START_TEST(words_are_explained)
{
    static const char *const words[][2] = {
        {"mups", "updates a second"},  {"p99", "median"},        {"able to", "a burst of calls"},
        {"ceiling", "calab probe"},    {"bound", "bottleneck:"}, {"paced  ", "makes so many"},
        {"lock step  ", "same calls"},
    };
    struct screen *screen = user_starts_default();
    char keys[40];

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(keys, sizeof keys, "?/%s\r", words[i][0]);
        screen_send(screen, keys);
        screen_expect(screen, words[i][1]);
        screen_send(screen, "q");
        screen_expect_not(screen, words[i][1]);
    }
    user_quits(screen);
}
END_TEST

/* --- pickers ---------------------------------------------------------------------------------- */

/* A description is shown completely or ends in " ...". */
START_TEST(descriptions_are_not_cut)
{
    struct screen *screen = user_starts(_i ? &smallest : &(struct screen_options){.rows = 0});

    screen_send(screen, "mwater");
    screen_expect(screen, "> water");
    screen_expect(screen, _i ? " ..." : "the same bits.");
    screen_send(screen, "\033");
    user_quits(screen);
}
END_TEST

/* Rows and titles that are too long end with a whole word. */
START_TEST(no_word_is_cut)
{
    const struct screen_options options = {.arguments = {"cloud", "-s", "16x16x8"}};
    struct screen *screen = user_starts(&options);

    screen_send(screen, "b");
    screen_expect(screen, "256 cells a vector, bands of rows in ... ");
    screen_resize(screen, 12, 40);
    screen_send(screen, "\033m");
    screen_expect(screen, "[model or experiment (more)]");
    screen_send(screen, "\033y");
    screen_expect(screen, "[command that reproduces this]");
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

/* --- a walk through the screens ----------------------------------------------------------------
 */

static const struct {
    const char *keys, *shows, *close;
} walk[] = {
    {"?", "[help", "q"},
    {"m", "[model or exp", "\033"},
    {"b", "[backend", "\033"},
    {"d", "[device", "\033"},
    {"C", "[colours", "\033"},
    {"e", "[parameters", "q"},
    {"o", "[settings", "q"},
    {"y", "[command that", "q"},
    {"v", "drawn: ", "v"},
    {":nonsense of a kind that nobody has ever heard of\r", "nonsense", "\033"},
    {":set density=2\r", "density", "\033"},
    {"Rseventeen\r", "seventeen", "\033"},
    {"P\003", "stopped", "q"},
};

static bool is_letter(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Whether a text has the letters as a word, or as the beginning of a longer one. */
static void find_word(const char *text, const char *word, bool *whole, bool *part)
{
    size_t n = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if (at == text || !is_letter((unsigned char)at[-1]))
            *(is_letter((unsigned char)at[n]) ? part : whole) = true;
}

/* The word that ends at a column, where letters stand up to there; "" else. */
static const char *word_at(struct screen *screen, int row, int column)
{
    static char word[64];
    int from = column, n = 0;

    while (from > 0 && is_letter(screen_character(screen, row, from - 1)))
        from--;
    if (from > 0 && screen_character(screen, row, from - 1) != ' ') /* a part of a name */
        from = column;
    for (int i = from; i < column && n < 63; i++)
        word[n++] = (char)screen_character(screen, row, i);
    word[n] = '\0';
    return word;
}

/* No word that the wide screen has whole ends at a border, or at the edge, without its end. */
static void no_cut_words(struct screen *screen, const char *wide, const char *where)
{
    for (int row = 0; row < screen_rows(screen); row++)
        for (int column = 2; column <= screen_columns(screen); column++) {
            bool whole = false, part = false;
            const char *word;

            if (column < screen_columns(screen) &&
                screen_character(screen, row, column) != 0x2502) /* a border */
                continue;
            word = word_at(screen, row, column);
            if (strlen(word) < 2)
                continue;
            find_word(wide, word, &whole, &part);
            ck_assert_msg(whole || !part, "%s: '%s' is cut in row %d:\n%s", where, word, row,
                          screen_text(screen));
        }
}

START_TEST(no_screen_cuts_a_word)
{
    static const int sizes[][2] = {{24, 80}, {12, 40}, {30, 72}};
    const struct screen_options options = {
        .rows = 60, .columns = 200, .arguments = {_i ? "fhp" : "water", "-s", "64x48"}};
    struct screen *screen = user_starts(&options);

    for (size_t w = 0; w < COUNT(walk); w++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            char *wide, where[64];

            screen_send(screen, walk[w].keys);
            screen_expect(screen, walk[w].shows);
            wide = strdup(screen_text(screen));
            screen_resize(screen, sizes[s][0], sizes[s][1]);
            screen_expect_row(screen, 0, "PAUSE"); /* line 1 is drawn anew */
            screen_listen(screen, 0.1);
            snprintf(where, sizeof where, "%.8s at %dx%d", walk[w].keys, sizes[s][1], sizes[s][0]);
            no_cut_words(screen, wide, where);
            free(wide);
            screen_send(screen, walk[w].close);
            screen_resize(screen, 60, 200);
            screen_listen(screen, 0.1);
        }
    user_quits(screen);
}
END_TEST

/* The description of anneal, which is listed above cloud, contains "clo" too. */
START_TEST(names_come_before_descriptions)
{
    struct screen *screen = user_starts_default();

    user_chooses(screen, "m", "clo");
    expect_status(screen, "cloud");
    user_quits(screen);
}
END_TEST

START_TEST(golly_keys_have_their_own_defaults)
{
    struct screen *screen = user_starts_default();

    user_types(screen, ":", "set keys=golly");
    screen_expect_row(screen, -1, "enter run");
    screen_send(screen, "o/fullest\r");
    screen_expect(screen, "was not found");
    screen_send(screen, "/run  \r");
    screen_expect(screen, "default enter p");
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

/* A large screen shows all panels by itself, until the user has hidden one. */
START_TEST(a_large_screen_has_all_panels)
{
    const struct screen_options options = {.rows = 60, .columns = 200};
    struct screen *screen = user_starts(&options);

    screen_expect(screen, " 4 device ");
    screen_expect(screen, " 5 log ");
    screen_resize(screen, 24, 80);
    screen_expect_not(screen, " 4 device ");
    screen_expect(screen, " 2 timing ");
    screen_resize(screen, 60, 200);
    screen_expect(screen, " 5 log ");
    screen_send(screen, "5");
    screen_expect(screen, "panel log hidden");
    screen_expect_not(screen, " 5 log ");
    user_quits(screen);
    screen = user_starts(&options);
    screen_expect(screen, " 4 device ");
    ck_assert(!screen_shows(screen, " 5 log "));
    user_quits(screen);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workbench_small");
    TCase *tests = tcase_create("small");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, help_is_wrapped);
    tcase_add_test(tests, the_whole_command_is_shown);
    tcase_add_test(tests, log_lines_are_wrapped);
    tcase_add_test(tests, timing_fits);
    tcase_add_test(tests, ceilings_are_unknown);
    tcase_add_test(tests, device_has_its_memory_at_80x24);
    tcase_add_test(tests, no_heading_is_cut);
    tcase_add_test(tests, no_match_covers_the_line);
    tcase_add_test(tests, a_wider_panel_is_filled);
    tcase_add_test(tests, a_fitted_slice_stays_fitted);
    tcase_add_test(tests, zoom_stays_inside);
    tcase_add_test(tests, range_is_set);
    tcase_add_loop_test(tests, states_take_the_place_of_blocks, 0, 3);
    tcase_add_test(tests, the_speed_is_rounded);
    tcase_add_test(tests, units_are_whole_or_left_out);
    tcase_add_loop_test(tests, a_blank_screen_says_how, 0, 2);
    tcase_add_loop_test(tests, the_status_has_a_rate, 0, 2);
    tcase_add_test(tests, words_are_explained);
    tcase_add_loop_test(tests, descriptions_are_not_cut, 0, 2);
    tcase_add_test(tests, no_word_is_cut);
    tcase_add_loop_test(tests, no_screen_cuts_a_word, 0, 2);
    tcase_add_test(tests, names_come_before_descriptions);
    tcase_add_test(tests, golly_keys_have_their_own_defaults);
    tcase_add_test(tests, a_large_screen_has_all_panels);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
