/* SPDX-License-Identifier: MIT */
/* The second slice of a three-dimensional lattice: where it stands, what it shows, when it goes. */
#include <stdio.h>
#include <string.h>

#include "tests/support/cells.h"
#include "tests/support/support.h"
#include "tests/support/script.h"
#include "tests/support/user.h"

static int count_of(struct screen *screen, char glyph)
{
    int count = 0;

    for (const char *text = screen_text(screen); *text; text++)
        count += *text == glyph;
    return count;
}

static bool has_live(struct screen *screen, const void *number)
{
    return count_of(screen, '@') == *(const int *)number;
}

static void expect_live(struct screen *screen, int number)
{
    screen_until(screen, has_live, &number, "live cells on the screen");
}

/* A single cell lives. It is in both slices where they go through it, and in one where only that
 * one does. */
START_TEST(both_go_through_the_cursor)
{
    const struct screen_options options = {
        .rows = 36,
        .columns = 120,
        .environment = {"CALAB_GLYPHS=ramp10", "CALAB_REDUCE=any"},
        .arguments = {"life3d", "-s", "40x40x40", "--set", "density=0"}};
    struct screen *screen = user_starts(&options);

    screen_expect(screen, "XY z=20/39 1x2 a char");
    screen_expect(screen, "XZ y=20/39 2-3x4-5");
    expect_live(screen, 1); /* in the legend */
    user_does(screen, STEPS(PRESS("E"), HIDES("XZ y="), PRESS(" "), SHOWS("live  1  min 0 max 1"),
                            SHOWS("[@@]"), PRESS("\x1b"), SHOWS("space run"), PRESS("f"),
                            SHOWS("XZ y=20/39 2-3x4-5")));
    expect_live(screen, 3);
    ck_assert_ptr_null(strstr(screen_text(screen), "@]")); /* no cursor */
    screen_send(screen, "\rjj");                           /* a character is two cells high */
    screen_expect(screen, "XZ y=24/39 2-3x4-5");
    expect_live(screen, 2);
    user_does(screen, STEPS(PRESS("kkJ"), SHOWS("XY z=21/39"), SHOWS("XZ y=20/39")));
    expect_live(screen, 2);
    user_does(screen, STEPS(PRESS("jj"), SHOWS("XZ y=24/39"), PRESS("\x1b"),
                            SHOWS("XZ y=20/39") /* the middle */));
    user_quits(screen);
}
END_TEST

START_TEST(a_setting_takes_it_away)
{
    const struct screen_options options = {
        .rows = 40, .columns = 120, .arguments = {"cloud", "-s", "48x48x20"}};
    struct screen *screen = user_starts(&options);

    user_does(screen, STEPS(SHOWS("XZ y=21/47"), COMMAND("set second_slice=off"), HIDES("XZ y=")));
    user_quits(screen);
    screen = user_starts(&options);
    screen_expect(screen, "XY z=2/19 1.42x0.708 a cell"); /* the slice with most cells */
    ck_assert(!screen_shows(screen, "XZ y="));
    user_quits(screen);
}
END_TEST

/* The cell under the cursor, which is in reverse, is on the screen at every zoom. */
static bool cursor_is_seen(struct screen *screen, const void *data)
{
    struct cells cells = cells_of(screen);
    bool seen = false;

    (void)data;
    for (int row = 2; row < cells.rows - 4; row++)
        for (int column = 1; column < 44; column++)
            seen |= cells.cell[row * cells.columns + column].reverse;
    cells_free(&cells);
    return seen;
}

START_TEST(zooms_about_the_cursor)
{
    const struct screen_options options = {
        .environment = {_i ? "CALAB_GLYPHS=half" : "CALAB_GLYPHS=states"},
        .arguments = {"anneal", "-s", "200x200"}};
    struct screen *screen = user_starts(&options);
    char wanted[32];

    screen_send(screen, "0\r");
    screen_expect(screen, "cell ");
    screen_send(screen, "lllllllllllllllllljjjjjjjj");
    snprintf(wanted, sizeof wanted, "cell %s ", _i ? "41,26" : "29,17");
    screen_expect(screen, wanted);
    for (const char *key = "]]]]]]]][[[[[[[[[[{{}}}}f]]]"; *key; key++) {
        screen_send(screen, (char[]){*key, 0});
        screen_listen(screen, 0.05);
        screen_until(screen, cursor_is_seen, NULL, "the cursor");
        screen_expect(screen, wanted);
    }
    screen_send(screen, "\x1b");
    screen_expect_not(screen, "cell ");
    user_quits(screen);
}
END_TEST

#define GLIDER "life3d", "-s", "20x20x20", "--init", "glider-4555", "--at", "3,4,12"

static const struct script scripts[] = {
    {"it goes where there is no room",
     OPTIONS(.rows = 40, .columns = 120, .arguments = {"cloud", "-s", "48x48x20"}),
     STEPS(SHOWS("XY z=2/19 1x2 a char"), SHOWS("XZ y=21/47"), PRESS("a"),
           SHOWS("XZ y=21/47 2x1 a cell"), SHOWS("XY z=2/19 2-3x4-5"), PRESS("]"), HIDES("XY z="),
           PRESS("f"), SHOWS("XY z=2/19 2-3x4-5"), PRESS("x"), HIDES("XY z=2/19 2-3x4-5"))},
    /* A field of whole columns names all slices, and the other side of them beside it. */
    {"columns of all slices",
     OPTIONS(.rows = 40, .columns = 120, .arguments = {"cloud", "-s", "48x48x20"}),
     STEPS(PRESS("vvvv"), SHOWS("drawn: columns"),
           SHOWS("XY z=0-19 1x2 a char mean of all columns"), SHOWS("XZ y=0-47"))},
    /* The slice that opens has most cells, and * goes to those with any, round the end. */
    {"slices with cells", OPTIONS(.rows = 30, .columns = 100, .arguments = {GLIDER}),
     STEPS(SHOWS("XY z=13/19"), PRESS("*"), SHOWS("XY z=14/19"), PRESS("*"), SHOWS("XY z=15/19"),
           PRESS("*"), SHOWS("XY z=12/19"), PRESS("a"), SHOWS("XZ y=4/19"), PRESS("*"),
           SHOWS("XZ y=5/19"))},
    /* Keys that come before the answer count, too. */
    {"quick keys", OPTIONS(.rows = 30, .columns = 100, .arguments = {GLIDER}),
     STEPS(SHOWS("XY z=13/19"), PRESS("***"), SHOWS("XY z=12/19"), PRESS("**"),
           SHOWS("XY z=14/19"))},
    /* The cell that is seen is named, in the nearest layer, and else the cells along the line. */
    {"the cursor looks through",
     OPTIONS(.rows = 30, .columns = 100,
             .arguments = {"life3d", "-s", "20x20x20", "--set", "density=0"}),
     STEPS(SHOWS("XY z=10/19"), PRESS("JJE"), SHOWS("cell 10,10,12"), PRESS(" "),
           SHOWS("cell 10,10,12 cell=1 (live)"), PRESS("J "), SHOWS("cell 10,10,13 cell=1 (live)"),
           PRESS("\x1b"), HIDES("cell 10"), PRESS("K"), SHOWS("XY z=12"), PRESS("0A"),
           SHOWS("XY depth"), PRESS("\r"), SHOWS("cell 10,10,12 cell=1 (live)"), PRESS("l"),
           SHOWS("cell x 11, y 10: nothing along z"), PRESS("hA"), SHOWS("XY count"),
           SHOWS("cell x 10, y 10: 2 live cells along z"), PRESS("A"), SHOWS("XY maximum"),
           SHOWS("cell x 10, y 10: 2 live cells along z"), PRESS("\x1b"), HIDES("cell x"))},
    {"no slice with cells",
     OPTIONS(.rows = 30, .columns = 100,
             .arguments = {"life3d", "-s", "20x20x20", "--set", "density=0"}),
     STEPS(SHOWS("XY z=10/19"), PRESS("*"), SHOWS("no slice has a cell that lives"),
           SHOWS("XY z=10/19"))},
    {"what is seen along the axis", OPTIONS(.rows = 30, .columns = 100, .arguments = {GLIDER}),
     STEPS(SHOWS("XY z=13/19"), PRESS("A"), SHOWS("XY depth z=0-19"),
           SHOWS("seen: depth, the first cell that is met"), SHOWS("cells deep along z"),
           PRESS("a"), SHOWS("XZ depth y=0-19"), PRESS("A"), SHOWS("XZ count y=0-19"),
           SHOWS("live cells along y"), PRESS("A"), SHOWS("XZ maximum y=0-19"), SHOWS("O live"),
           PRESS("A"), SHOWS("XZ y=4/19"), PRESS("AJ"), SHOWS("XZ y=5/19"))},
    /* A change is of slices, and so are cells that are edited. */
    {"what has no projection", OPTIONS(.rows = 30, .columns = 100, .arguments = {GLIDER}),
     STEPS(PRESS("Av"), SHOWS("XY depth z=0-19 2.4x1.2 density"), PRESS("v"),
           SHOWS("XY z=13/19 2.4x1.2 change"), PRESS("A"),
           SHOWS("a change is drawn of a slice alone"), PRESS("v"), SHOWS("drawn: density"),
           PRESS("A"), SHOWS("XY depth z=0-19 2.4x1.2 density"), PRESS("E"), SHOWS("XY z=13/19"),
           PRESS("E"))},
    {"a flat lattice has none", OPTIONS(.rows = 24, .columns = 80, .arguments = {"anneal"}),
     STEPS(PRESS("A"), SHOWS("model anneal is two-dimensional: there is nothing to look through"),
           PRESS("*"), SHOWS("model anneal is two-dimensional: it has a single slice"))},
    /* From above first, where layers are heights. */
    {"clouds from above",
     OPTIONS(.rows = 40, .columns = 120, .arguments = {"cloud", "-s", "48x48x20"}),
     STEPS(PRESS("A"), SHOWS("XY depth z=19-0 "), PRESS("A"), SHOWS("XY count z=19-0 "))},
    {"a projection in the second's place",
     OPTIONS(.rows = 30, .columns = 140, .arguments = {GLIDER}),
     STEPS(SHOWS("XZ y=4/19 1.3x0.65"), COMMAND("set second_slice=count"),
           SHOWS("XZ count y=0-19 1.3x0.65"), PRESS("A"), SHOWS("XY depth z=0-19"),
           SHOWS("XZ y=4/19 1.3x0.65"), PRESS("AAA"), SHOWS("XZ count y=0-19 1.3x0.65"),
           PRESS("\r"), SHOWS("XZ y="), HIDES("XZ count"), PRESS("\x1b"), SHOWS("XZ count"))},
};

int main(void)
{
    return RUN_TESTS(.test = {both_go_through_the_cursor, a_setting_takes_it_away},
                     .table = {{scripts_test(scripts), COUNT(scripts)},
                               {zooms_about_the_cursor, 2}});
}
