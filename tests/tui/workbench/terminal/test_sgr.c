/* SPDX-License-Identifier: MIT */
/* Colours in fewer bytes: the screen looks the same, and what is not known stays as it is. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/cells.h"
#include "tests/support/support.h"
#include "tui/workbench/terminal/sgr.h"

enum { ROWS = 6, COLUMNS = 20, STREAM = 4096, COLOURS = 256 };

static const char *shortened(const char *bytes)
{
    static char out[STREAM];
    struct sgr sgr;
    size_t count;

    sgr_begin(&sgr, COLOURS);
    sgr.unknown = false;
    count = sgr_shorten(&sgr, bytes, strlen(bytes), true, out);
    out[count] = 0;
    return out;
}

static const struct {
    const char *bytes, *shorter;
} streams[] = {
    /* one of two colours changes */
    {"\033[38;5;20m\033[48;5;30mab\033[38;5;20m\033[48;5;31mc",
     "\033[38;5;20;48;5;30mab\033[48;5;31mc"},
    /* a blank shows the colour behind, a full block the one in front */
    {"\033[38;5;20m\033[48;5;30m \033[39;49m\033[38;5;20m\u2588\033[39;49m",
     "\033[48;5;30m \033[38;5;20m\u2588\033[39;49m"},
    {"\033[31m\033[44m\u2580", "\033[31;44m\u2580"},
    {"\033[91m\033[104mx", "\033[91;104mx"},
    /* back and forth without a character is nothing */
    {"\033[31mx\033[39;49m\033[3;4H\033[31my", "\033[31mx\033[3;4Hy"},
    /* a blank in reverse shows both; an attribute goes by a reset */
    {"\033[7m\033[31m ", "\033[7;31m "},
    {"\033[0;1;7mx\033[m\033[31my", "\033[1;7mx\033[0;31my"},
    {"\033[1mx\033[22my", "\033[1mx\033[0my"},
    /* what erases, scrolls or repeats needs the colours, what moves does not */
    {"\033[44m\033[K\033[49m", "\033[44m\033[K\033[49m"},
    {"\033[44m\n\033[49m", "\033[44m\n\033[49m"},
    {"\033[44m \033[5b\033[49m", "\033[44m \033[5b\033[49m"},
    {"\033[31m\033[44m \033[5b\033[39;49m", "\033[44m \033[5b\033[49m"},
    {"\033[44m\033[2;3H\r\b\033[49m", "\033[2;3H\r\b"},
    /* sets of characters */
    {"\033(B\033[m\033(0q\033(B\033[mx", "\033(0q\033(Bx"},
    {"\033(B\033[m \033(B\033[m ", "\033(B  "},
    /* of another kind: all from there on stays */
    {"\033[31mx\033[38:2::1:2:3my\033[39m\033[31mz",
     "\033[31mx\033[38:2::1:2:3my\033[39m\033[31mz"},
    {"\033[31m\033[53mx", "\033[31m\033[53mx"},
    {"\033[38;2;1;2;3mx\033[0m\033[0m", "\033[38;2;1;2;3mx\033[0m\033[0m"},
};

START_TEST(fewer_bytes) { ck_assert_str_eq(shortened(streams[_i].bytes), streams[_i].shorter); }
END_TEST

/* --- random frames ---------------------------------------------------------------------------- */

/* A piece of a frame as curses writes it. */
static int piece(char *to)
{
    static const char *const pieces[] = {
        " ",      "x",       "\u2588",  "\u2580",  "\u2584",      "\u00e9",       "  ",
        "\033[m", "\033[K",  "\033[3X", "\033[2b", "\033[3;5H",   "\033[2C",      "\r",
        "\n",     "\033[7m", "\033[1m", "\033[4m", "\033[39;49m", "\033(0q\033(B"};
    const int n = rand() % 40;

    if (n < (int)COUNT(pieces))
        return sprintf(to, "%s", pieces[n]);
    return sprintf(to, "\033[38;5;%dm\033[48;5;%dm%s", 16 + rand() % 3, 16 + rand() % 3,
                   pieces[rand() % 6]);
}

/* The look of a cell, but for what it does not show. */
static struct cells shown(struct fed *fed)
{
    struct cells cells = fed_cells(fed);

    for (int i = 0; i < cells.rows * cells.columns; i++) {
        struct cell *cell = &cells.cell[i];
        bool both = cell->reverse || cell->underline;

        cell->bold = cell->bold && cell->character != ' ';
        if (cell->character == ' ' && !both)
            cell->front = -1;
        if (cell->character == 0x2588 && !both)
            cell->back = -1;
    }
    return cells;
}

static void expect_same_screen(struct fed *fed, struct fed *other)
{
    struct cells cells = shown(fed), others = shown(other);

    cells_expect_equal(&others, &cells);
    cells_free(&cells);
    cells_free(&others);
}

/* Curses writes nothing behind the last column of the last row, which would scroll; and repeats
 * no character before there is one. */
static const char start[] = "\033[?7lx";

/* Frames come in parts that end anywhere, and after each both terminals show the same. */
START_TEST(the_screen_looks_the_same)
{
    struct fed *plain = fed_new(ROWS, COLUMNS, true), *shorter = fed_new(ROWS, COLUMNS, true);
    static char bytes[STREAM], out[2 * STREAM];
    size_t all = 0, sent = 0;
    struct sgr sgr;

    fed_bytes(plain, start, strlen(start));
    fed_bytes(shorter, start, strlen(start));
    srand((unsigned)test_seed() + (unsigned)_i);
    sgr_begin(&sgr, COLOURS);
    for (int frame = 0; frame < 40; frame++) {
        size_t count = 0, part, written;

        for (int i = 0; i < 60; i++)
            count += (size_t)piece(bytes + count);
        fed_bytes(plain, bytes, count);
        for (size_t at = 0; at < count; at += part) {
            struct sgr before = sgr;

            part = 1 + (size_t)rand() % 50;
            part = part < count - at ? part : count - at;
            written = sgr_shorten(&before, bytes + at, part, at + part == count, NULL);
            ck_assert_uint_eq(sgr_shorten(&sgr, bytes + at, part, at + part == count, out),
                              written);
            fed_bytes(shorter, out, written);
            sent += written;
        }
        all += count;
        expect_same_screen(plain, shorter);
        ck_assert_mem_eq(&sgr.wanted, &sgr.there, sizeof sgr.wanted);
    }
    ck_assert_uint_lt(sent, all * 3 / 4);
    fed_free(plain);
    fed_free(shorter);
}
END_TEST

/* Bytes are lost, and with them what the terminal has. */
START_TEST(forgets_what_is_lost)
{
    struct sgr sgr;
    char out[64];
    size_t count;

    sgr_begin(&sgr, COLOURS);
    sgr_shorten(&sgr, "\033[31mx", 6, true, NULL);
    sgr_forget(&sgr);
    count = sgr_shorten(&sgr, "y", 1, true, out);
    out[count] = 0;
    ck_assert_str_eq(out, "\033[0;31my");
}
END_TEST

START_TEST(few_colours_stay_as_they_are)
{
    static const char bytes[] = "\033[31m\033[42m \033[39;49m";
    struct sgr sgr;
    char out[64];
    size_t count;

    sgr_begin(&sgr, 8);
    count = sgr_shorten(&sgr, bytes, strlen(bytes), true, out);
    out[count] = 0;
    ck_assert_str_eq(out, bytes);
}
END_TEST

/* A sequence without an end is no sequence. */
START_TEST(long_sequences_stay_as_they_are)
{
    static char bytes[STREAM / 2];
    const char *out;

    strcpy(bytes, "\033[31m\033[");
    memset(bytes + 7, '1', 100);
    strcpy(bytes + 107, "\033[32mx");
    out = shortened(bytes);
    ck_assert_str_eq(out, bytes);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {forgets_what_is_lost, few_colours_stay_as_they_are,
                              long_sequences_stay_as_they_are},
                     .table = {{fewer_bytes, COUNT(streams)}, {the_screen_looks_the_same, 20}});
}
