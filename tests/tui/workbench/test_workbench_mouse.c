/* SPDX-License-Identifier: MIT */
/* The mouse in lists, on hints and on titles, and its wheel. */
#include <stdio.h>
#include <string.h>

#include "tests/support/script.h"
#include "tests/support/support.h"
#include "tui/workbench/lists/lists.h"

static void mouse_event(struct screen *screen, int button, int row, int column)
{
    screen_send(screen, test_text("\033[<%d;%d;%dM\033[<%d;%d;%dm", button, column + 1, row + 1,
                                  button, column + 1, row + 1));
}

/* Finds a text on the screen, which must be there. */
static void find(struct screen *screen, const char *text, int *row, int *column)
{
    screen_expect(screen, text);
    for (*row = 0; *row < screen_rows(screen); (*row)++) {
        const char *line = screen_row(screen, *row), *at = strstr(line, text);

        if (!at)
            continue;
        *column = 0;
        for (; line < at; line++)
            *column += ((unsigned char)*line & 0xc0) != 0x80;
        return;
    }
    ck_abort_msg("'%s' is on no row", text);
}

static void click(struct screen *screen, const char *text)
{
    int row, column;

    find(screen, text, &row, &column);
    mouse_event(screen, 0, row, column + 1);
}

static void wheel(struct screen *screen, const char *over, int by)
{
    int row, column;

    find(screen, over, &row, &column);
    mouse_event(screen, by < 0 ? 64 : 65, row, column);
}

START_TEST(a_hint_is_its_key)
{
    struct screen *screen = user_starts_default();

    click(screen, ". step");
    expect_generation(screen, 1);
    click(screen, "f3 menu");
    screen_expect(screen, "[what can be done here");
    click(screen, "esc close");
    screen_expect_not(screen, "[what can be done here");
    screen_send(screen, "g");
    screen_expect(screen, "go to:");
    click(screen, "esc cancel");
    screen_expect_not(screen, "go to:");
    click(screen, "arrows pan"); /* several keys, of which none is meant */
    click(screen, ". step");
    expect_generation(screen, 2);
    user_quits(screen);
}
END_TEST

START_TEST(a_row_of_a_list)
{
    struct screen *screen = user_starts_default();

    screen_send(screen, "m");
    click(screen, "  cloud "); /* selects */
    screen_expect(screen, "> cloud ");
    expect_status(screen, " anneal ");
    click(screen, "> cloud "); /* chooses */
    expect_status(screen, " cloud ");
    screen_expect_not(screen, "[model or experiment");
    user_quits(screen);
}
END_TEST

/* Headings, borders, the filter and what is outside choose nothing. */
START_TEST(beside_the_rows)
{
    struct screen *screen = user_starts_default();

    user_does(screen, STEPS(PRESS("e"), SHOWS("> init"), SHOWS("options of the backend")));
    click(screen, "parameters of the model");
    click(screen, "[parameters");
    mouse_event(screen, 0, 0, 0);
    mouse_event(screen, 0, 5, 79);
    click(screen, "  density ");
    screen_expect(screen, "> density ");
    ck_assert_int_eq(shown_generation(screen), 0);
    screen_send(screen, "q");
    user_quits(screen);
}
END_TEST

START_TEST(the_wheel_scrolls)
{
    struct screen *screen = user_starts_default();

    user_does(screen, STEPS(PRESS("?"), SHOWS("the keys that matter most")));
    wheel(screen, "run or pause", 1);
    screen_expect_not(screen, "the keys that matter most");
    wheel(screen, "[help", -1);
    screen_expect(screen, "the keys that matter most");
    user_does(screen, STEPS(PRESS("q"), HIDES("[help"), PRESS("b"), SHOWS(">*")));
    wheel(screen, ">*", -1);
    wheel(screen, "type to filter", -1);
    wheel(screen, "type to filter", -1);
    wheel(screen, "type to filter", -1);
    wheel(screen, "type to filter", -1);
    screen_expect(screen, "> reference");
    user_does(screen, STEPS(PRESS("\033"), HIDES("type to filter")));
    user_quits(screen);
}
END_TEST

/* A click on the title focuses the panel, another one shows it alone, a third all again. */
START_TEST(the_title_of_a_panel)
{
    struct screen *screen = user_starts_default();

    click(screen, "2 timing");
    screen_expect(screen, "[2 timing]");
    ck_assert(screen_shows(screen, "1 lattice"));
    click(screen, "2 timing");
    screen_expect_not(screen, "1 lattice");
    click(screen, "2 timing");
    screen_expect(screen, "1 lattice");
    ck_assert(screen_shows(screen, "[2 timing]"));
    user_quits(screen);
}
END_TEST

START_TEST(the_log_is_scrolled)
{
    struct screen *screen = user_starts_default();

    for (int i = 0; i < 12; i++)
        user_does(screen, STEPS(COMMAND(test_text("set fps=%d", 100 + i)),
                                ROW(-2, test_text("fps = '%d'", 100 + i))));
    user_does(screen, STEPS(PRESS("5"), SHOWS("5 log"), SHOWS("panel log shown"), PRESS("."),
                            GENERATION(1)));
    wheel(screen, "panel log shown", -1);
    screen_expect_not(screen, "panel log shown");
    wheel(screen, "5 log", 1);
    screen_expect(screen, "panel log shown");
    user_quits(screen);
}
END_TEST

START_TEST(a_split_has_no_single_panel)
{
    struct screen *screen = user_starts_default();

    user_does(screen, STEPS(PRESS("x"), SHOWS("[A "), SHOWS("view follows A")));
    click(screen, "[A ");
    ck_assert(screen_shows(screen, "view follows A"));
    click(screen, "x unsplit");
    screen_expect(screen, "2 timing");
    ck_assert(screen_shows(screen, "1 lattice"));
    user_quits(screen);
}
END_TEST

/* A word that the help explains is explained where it is clicked. */
START_TEST(a_word_is_explained)
{
    struct screen *screen = user_starts_default();

    user_does(screen, STEPS(PRESS("."), GENERATION(1), SHOWS("step p50")));
    click(screen, "best/p99");
    screen_expect_words(screen, "best: the shortest time of a generation among the last calls");
    click(screen, "ceiling ");
    screen_expect_words(screen, "ceiling: the rate as a share of what this machine could do");
    click(screen, "gen 1");
    screen_expect_words(screen, "gen: generations since the initial state");
    user_quits(screen);
}
END_TEST

static const struct {
    const char *line;
    int column;
    const char *name; /* "": none */
} terms[] = {
    {" step p50 159 us, 1.65 Gups", 6, "p50"},
    {" step p50 159 us, 1.65 Gups", 9, ""},
    {" step p50 159 us, 1.65 Gups", 24, "Gups"},
    {" best/p99 1 / 2", 2, "best"},
    {" best/p99 1 / 2", 7, "p99"},
    {" burst    1 Gups", 3, "burst"},
    {" burst rate  1 Gups", 3, "burst rate"},
    {" 128/frame PAUSE", 6, "64/frame"},
    {" 128/frame PAUSE", 1, "64/frame"},
    {" anneal  gen 1", 10, "gen"},
    {" generation", 3, ""},
    {"", 0, ""},
};

START_TEST(terms_under_a_column)
{
    char name[TERM_NAME];
    const char *help = term_at(terms[_i].line, terms[_i].column, name);

    ck_assert_str_eq(name, terms[_i].name);
    ck_assert_int_eq(help != NULL, terms[_i].name[0] != 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_hint_is_its_key, a_row_of_a_list, beside_the_rows,
                              the_wheel_scrolls, the_title_of_a_panel, the_log_is_scrolled,
                              a_split_has_no_single_panel, a_word_is_explained},
                     .table = {{terms_under_a_column, COUNT(terms)}});
}
