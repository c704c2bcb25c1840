/* SPDX-License-Identifier: MIT */
/* The workbench on small terminals: nothing important is cut off. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/script.h"
#include "tests/support/user.h"
#include "tests/support/support.h"

static const struct screen_options smallest = {.rows = 12, .columns = 40};

/* --- texts to read ---------------------------------------------------------------------------- */

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
    struct screen_options options = {.rows = 12, .columns = 40, .arguments = {"-b", "bitslice"}};
    struct screen *screen = user_starts(&options);

    user_does(screen, STEPS(PRESS("y"), SHOWS("calab run anneal"), SHOWS("--seed 1 -n 0")));
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

/* --- panels ----------------------------------------------------------------------------------- */

START_TEST(timing_fits)
{
    struct screen *screen = user_starts_default();
    const char *at;
    char device[16], wall[16], units[2][8];

    user_does(screen, STEPS(PRESS("."), GENERATION(1), SHOWS("kernel   ")));
    at = strstr(screen_text(screen), "kernel   ");
    ck_assert_int_eq(sscanf(at, "kernel   %15s %7s / %15s %7s", device, units[0], wall, units[1]),
                     4);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(strcmp(units[i], "ns") == 0 || strcmp(units[i], "us") == 0 ||
                          strcmp(units[i], "ms") == 0 || strcmp(units[i], "s") == 0,
                      "unit '%s' of '%.40s'", units[i], at);
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

    user_does(screen, STEPS(PRESS("0"), COMMAND("set drawn=change"), SHOWS(" change 0,0"),
                            COMMAND("set panels="), HIDES("2 timing")));
    screen_until(screen, row_is_full, NULL, "a full row of the lattice");
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
    user_does(screen, STEPS(SHOWS("@ active  o cloud  . humid    dry"),
                            COMMAND("set glyphs=ramp10"), PRESS("c")));
    screen_expect(screen,
                  "glyphs: half needs 256 colours to draw more than on and off; states are");
    user_does(screen,
              STEPS(CHOOSE("m", "life3d"), SHOWS(" life3d ") /* whose two states need none */,
                    PRESS("0"), SHOWS("\xe2\x96\x88 live    empty")));
    user_quits(screen);
}
END_TEST

/* Without any panel the screen says how to get one back. */
START_TEST(a_blank_screen_says_how)
{
    struct screen *screen = user_starts(_i ? &smallest : &(struct screen_options){.rows = 0});

    user_does(screen,
              STEPS(COMMAND("set panels="), HIDES("2 timing"), HIDES("All panels are hidden"),
                    PRESS("1"), SHOWS("All panels are hidden"), SHOWS(" 1  lattice"),
                    SHOWS(" 3  observables"), SHOWS(" 5  log"), PRESS("3"), SHOWS("3 observables]"),
                    HIDES("All panels are hidden")));
    user_quits(screen);
}
END_TEST

/* Rate and model stay on the line; the reason for no CUDA gives way, and on the smallest the pace.
 */
START_TEST(the_status_has_a_rate)
{
    struct screen *screen = user_starts(_i ? &smallest : &(struct screen_options){.rows = 0});

    user_does(screen, STEPS(PRESS("."), GENERATION(1), STATUS("ups "),
                            STATUS(_i ? " PAUSE" : "/frame PAUSE"), STATUS(" anneal ")));
    user_quits(screen);
}
END_TEST

/* The words on the screen are in the help, and found there. */
START_TEST(words_are_explained)
{
    static const char *const words[][2] = {
        {"mups", "updates a second"},  {"p99", "median"},        {"burst rate,", "without a pace"},
        {"ceiling", "calab probe"},    {"bound", "bottleneck:"}, {"paced  ", "makes so many"},
        {"lock step  ", "same calls"},
    };
    struct screen *screen = user_starts_default();

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        user_does(screen, STEPS(PRESS(test_text("?/%s\r", words[i][0])), SHOWS(words[i][1]),
                                PRESS("q"), HIDES(words[i][1])));
    }
    user_quits(screen);
}
END_TEST

/* --- pickers ---------------------------------------------------------------------------------- */

/* A description is shown completely or ends in " ...". */
START_TEST(descriptions_are_not_cut)
{
    struct screen *screen = user_starts(_i ? &smallest : &(struct screen_options){.rows = 0});

    user_does(screen, STEPS(PRESS("mwater"), SHOWS("> water"),
                            SHOWS(_i ? " ..." : "the same bits."), PRESS("\033")));
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
            char *wide;

            screen_send(screen, walk[w].keys);
            screen_expect(screen, walk[w].shows);
            wide = strdup(screen_text(screen));
            user_does(screen, STEPS(RESIZE(sizes[s][0], sizes[s][1]),
                                    ROW(0, "PAUSE") /* line 1 is drawn anew */, WAIT_MS(100)));
            no_cut_words(screen, wide,
                         test_text("%.8s at %dx%d", walk[w].keys, sizes[s][1], sizes[s][0]));
            free(wide);
            user_does(screen, STEPS(PRESS(walk[w].close), RESIZE(60, 200), WAIT_MS(100)));
        }
    user_quits(screen);
}
END_TEST

/* A large screen shows all panels by itself, until the user has hidden one. */
START_TEST(a_large_screen_has_all_panels)
{
    const struct screen_options options = {.rows = 60, .columns = 200};
    struct screen *screen = user_starts(&options);

    user_does(screen,
              STEPS(SHOWS(" 4 device "), SHOWS(" 5 log "), RESIZE(24, 80), HIDES(" 4 device "),
                    SHOWS(" 2 timing "), RESIZE(60, 200), SHOWS(" 5 log "), PRESS("5"),
                    SHOWS("panel log hidden"), HIDES(" 5 log ")));
    user_quits(screen);
    screen = user_starts(&options);
    screen_expect(screen, " 4 device ");
    ck_assert(!screen_shows(screen, " 5 log "));
    user_quits(screen);
}
END_TEST

static const struct script scripts[] = {
    {"help is wrapped", &smallest,
     STEPS(PRESS("?"), SHOWS("the keys that matter most"), PRESS("/left h\r"),
           SHOWS("left h           pan, or move"),
           SHOWS("                   the cursor,") /* under "pan" */, PRESS("/ctrl-z\r"),
           SHOWS("suspend the"), PRESS("\033OF") /* End */, SHOWS("(more above)"),
           SHOWS("x reference  "), PRESS("\033OH"), SHOWS("(more below)"),
           SHOWS("the keys that matter most"), PRESS("q"))},
    {"log lines are wrapped", NULL,
     STEPS(COMMAND("set fps=99"), SHOWS("fps = '99' is out of range, allowed: 1 ... 60, whole"),
           PRESS("5"), SHOWS("5 log"), SHOWS("            60, whole"))},
    /* The home folder of the test has no probe result. */
    {"ceilings are unknown", NULL,
     STEPS(PRESS("."), GENERATION(1), SHOWS("ceiling  unknown: calab probe"))},
    {"device has its memory at 80x24", NULL, STEPS(PRESS("4"), SHOWS("4 device"), SHOWS(" GiB "))},
    /* The heading of the lattice leaves out whole parts, the least useful first. */
    {"no heading is cut",
     OPTIONS(.arguments = {"life3d", "-s", "600x600x600", "--set", "density=0"}),
     STEPS(PRESS("0{{{"), SHOWS("XY z=300/599 4x8 a char mean 0,0"), PRESS("lllllj"),
           SHOWS("XY z=300/599 4x8 mean 120,24]"), COMMAND("set drawn=difference"),
           SHOWS("XY z=300/599 4x8 mean difference]"), RESIZE(40, 120),
           SHOWS("XY z=300/599 4x8 a char mean of all difference 120,24]"))},
    /* The message of a search without a match covers its line. */
    {"no match covers the line", NULL,
     STEPS(PRESS("?/zzzz\r"), SHOWS("'zzzz' was not found          "), PRESS("q"))},
    {"a fitted slice stays fitted", NULL,
     STEPS(PRESS("f"), SHOWS(" 14-15x28-29 mean"), ENTER("s", "64x32"), SHOWS(" 1-2x2-3 a char"),
           RESIZE(60, 280), SHOWS("3.38x1.69 a cell 0,0"), RESIZE(24, 80), SHOWS(" 1-2x2-3 a char"),
           PRESS("]"), SHOWS(" 1x2 a char"), RESIZE(12, 40), RESIZE(24, 80), WAIT_MS(200),
           SHOWS(" 1x2 a char"))},
    /* The ends of the legend are those that :range sets, and follow the picture again after auto.
     */
    {"range is set",
     OPTIONS(.arguments = {"anneal", "-s", "512x512"}, .lang = "C", .term = "vt100"),
     STEPS(SHOWS(" live"), COMMAND("range 0.25 0.75"), SHOWS("0.25  .:-=+*#%@ 0.75 live"),
           COMMAND("range 2 1"), SHOWS("range 2 1: allowed are auto, and two numbers"),
           COMMAND("range 1 x"), SHOWS("range 1 x: allowed are auto"), COMMAND("range 0x0 0x1"),
           SHOWS("range 0x0 0x1: allowed are auto"), COMMAND("range auto"), HIDES("0.75 live"),
           COMMAND("set glyphs=braille"), SHOWS(" live"),
           PRESS("c") /* the first of the sets again */,
           SHOWS("glyphs: auto, which draws states on this terminal"), PRESS("ccc"),
           SHOWS("glyphs: half needs a locale with UTF-8; states are drawn"))},
    /* The view stays inside the slice, and zooming out and in returns to the same view. */
    {"zoom stays inside", OPTIONS(.arguments = {"cloud", "-s", "256x256x20"}),
     STEPS(
         PRESS("0{{{{["), SHOWS("9x18 mean of samples"), PRESS("hk"), WAIT_MS(200),
         SHOWS("9x18 mean of samples"), PRESS("0{{{{[]}}}}"), WAIT_MS(200), SHOWS("2x1 a cell 0,0"),
         PRESS("llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll"),
         SHOWS("2x1 a cell 233,0"))},
    {"units are whole or left out", OPTIONS(.arguments = {"fhp", "-s", "256x256"}),
     STEPS(SHOWS("momentum_y"), SHOWS("rows/step"), HIDES("half cells/st"))},
    {"the speed is rounded", OPTIONS(.rows = 24, .columns = 200),
     STEPS(COMMAND("speed 3"), STATUS(" 3/frame"), PRESS("--"), STATUS(" every 1.33 frames"),
           COMMAND("speed 1048576"), STATUS(" 1048576/frame"))},
    /* Rows and titles that are too long end with a whole word. */
    {"no word is cut", OPTIONS(.arguments = {"cloud", "-s", "16x16x8"}),
     STEPS(PRESS("b"), SHOWS("256 cells a vector, bands of rows in ... "), RESIZE(12, 40),
           PRESS("\033m"), SHOWS("[model or experiment (more)]"), PRESS("\033y"),
           SHOWS("[command that reproduces this]"), PRESS("q"))},
    /* The description of anneal, which is listed above cloud, contains "clo" too. */
    {"names come before descriptions", NULL, STEPS(CHOOSE("m", "clo"), STATUS("cloud"))},
    {"golly keys have their own defaults", NULL,
     STEPS(COMMAND("set keys=golly"), ROW(-1, "enter run"), PRESS("o/fullest\r"),
           SHOWS("was not found"), PRESS("/run  \r"), SHOWS("default enter p"), PRESS("q"))},
};

int main(void)
{
    return RUN_TESTS(.test = {the_whole_command_is_shown, timing_fits, a_wider_panel_is_filled,
                              words_are_explained, a_large_screen_has_all_panels},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {states_take_the_place_of_blocks, 3},
                               {a_blank_screen_says_how, 2},
                               {the_status_has_a_rate, 2},
                               {descriptions_are_not_cut, 2},
                               {no_screen_cuts_a_word, 2}});
}
