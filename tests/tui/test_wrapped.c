/* SPDX-License-Identifier: MIT */
/* Long lines on a terminal: where they are broken, and that no command cuts a word there. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/screen.h"
#include "tests/support/support.h"
#include "tui/wrapped.h"

/* --- lines ------------------------------------------------------------------------------------ */

static const struct {
    const char *line;
    int columns;
    const char *wrapped; /* NULL: it stays */
} lines[] = {
    {"short enough", 40, NULL},
    {"words that fill a line up to its last co lumn", 40,
     "words that fill a line up to its last co\n    lumn"},
    {"as many characters as there are columns,", 40, NULL},
    {"one character more than there are columns", 40,
     "one character more than there are\n    columns"},
    {"CPU          the words of the last column of a row", 40,
     "CPU          the words of the last\n             column of a row"},
    {"             the words of the last column of a row", 40,
     "             the words of the last\n             column of a row"},
    {"a row whose last column begins too far  on the right", 40,
     "a row whose last column begins too far\n    on the right"},
    {"/a/path/that/has/no/blank/and/is/longer/than/the/line and more", 40,
     "/a/path/that/has/no/blank/and/is/longer/than/the/line\n    and more"},
    {"    repeat: calab run anneal -s 64x64 -n 1000 --seed 7", 40,
     "    repeat:\n        calab run anneal -s 64x64 -n 1000 --seed 7"},
    {"    calab run anneal -s 64x64 -n 1000 --seed 7", 40,
     "    calab run anneal -s 64x64 -n 1000 --seed 7"},
    {"    calab run anneal -s 64x64  # a comment that is too long", 40,
     "    calab run anneal -s 64x64  # a\n        comment that is too long"},
    {"calab run anneal is a command, but this is a sentence", 40,
     "calab run anneal is a command, but this\n    is a sentence"},
    {"usage: calab run MODEL [options] and what may follow", 40,
     "usage: calab run MODEL [options] and\n    what may follow"},
    {"   12 |     int a = b + c; /* a line of a compiler */", 40, NULL},
    {"      |             ^~~~ which it points out ......", 40, NULL},
    {"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 is as wide as ascii "
     "letters, eh",
     40, NULL},
    {"a tiny terminal is better served by its own wrapping", 39, NULL},
};

START_TEST(line_is_wrapped)
{
    char *text = NULL;
    bool wrapped = wrapped_text(&text, lines[_i].line, lines[_i].columns);

    ck_assert_msg(wrapped == (lines[_i].wrapped != NULL), "%s:\n%s", lines[_i].line,
                  text ? text : "");
    if (wrapped)
        ck_assert_str_eq(text, lines[_i].wrapped);
    free(text);
}
END_TEST

/* --- commands --------------------------------------------------------------------------------- */

static const char *const commands[][5] = {
    {"list"},
    {"list", "fhp"},
    {"doctor"},
    {"verify", "fhp", "-b", "cuda-*"},
    {"probe", "-q"},
    {"config", "show"},
    {"list", "backends"},
    {"run", "--help"},
    {"lab", "--help"},
    {"--help"},
    {"list", "nonsense-that-cannot-be-listed"},
    {"run", "anneal", "--set", "density=2"},
};

/* The first line that the terminal would break within a word, NULL: there is none. A word that is
 * wider than the terminal is broken, and so is a command, which is copied as one line. */
static const char *cut_line(char *text, int columns)
{
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        const char *words = line + strspn(line, " ");
        int width = 0;

        for (const char *c = line; *c; c++)
            width += ((unsigned char)*c & 0xc0) != 0x80;
        if (width > columns && strchr(words, ' ') && strncmp(words, "calab ", 6) != 0)
            return line;
    }
    return NULL;
}

START_TEST(no_command_cuts_a_word)
{
    static const int widths[] = {80, 60};

    for (size_t w = 0; w < COUNT(widths); w++) {
        struct screen_options options = {.rows = 24, .columns = widths[w], .term = "vt100"};
        struct screen *screen;
        const char *cut;
        char *text;

        for (int i = 0; i < 5 && commands[_i][i]; i++)
            options.arguments[i] = commands[_i][i];
        screen = screen_start(&options);
        screen_end(screen);
        text = strdup(screen_bytes(screen, NULL));
        ck_assert_uint_gt(strlen(text), 0);
        cut = cut_line(text, widths[w]);
        ck_assert_msg(!cut, "%s at %d columns: '%s'", commands[_i][0], widths[w], cut);
        free(text);
        screen_close(screen);
    }
}
END_TEST

/* A pipe gets each line whole. */
START_TEST(a_pipe_is_not_wrapped)
{
    struct outcome o = calab("list backends");

    ck_assert_contains(o.out, "cuda     ",
                       "overlapped tiles in registers for several generations, rows of up to");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = test_hurry, .test = {a_pipe_is_not_wrapped},
                     .table = {{line_is_wrapped, COUNT(lines)},
                               {no_command_cuts_a_word, COUNT(commands)}});
}
