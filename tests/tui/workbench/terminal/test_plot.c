/* SPDX-License-Identifier: MIT */
/* Plots of series: their ticks, and the characters that they become. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tui/workbench/terminal/plot.h"

/* --- ticks ------------------------------------------------------------------------------------ */

static const struct {
    enum plot_scale scale;
    double low, high;
    int most;
    const char *labels;
} ticks_cases[] = {
    {PLOT_LINEAR, 0, 10, 11, "0|1|2|3|4|5|6|7|8|9|10"},
    {PLOT_LINEAR, 0, 10, 6, "0|2|4|6|8|10"},
    {PLOT_LINEAR, 0, 10, 3, "0|5|10"},
    {PLOT_LINEAR, -7, 7, 3, "-5|0|5"},
    {PLOT_LINEAR, 0, 1e6, 3, "0|0.5 M|1.0 M"},
    {PLOT_LINEAR, 3.2e9, 7.1e9, 4, "4 G|5 G|6 G|7 G"},
    {PLOT_LINEAR, 0, 0.5, 6, "0|0.1|0.2|0.3|0.4|0.5"},
    {PLOT_LINEAR, 163839.5, 163841, 4, "163.8395 k|163.8400 k|163.8405 k|163.8410 k"},
    {PLOT_LINEAR, 9990, 10010, 3, "9.99 k|10.00 k|10.01 k"},
    {PLOT_LINEAR, 6, 9, 1, "6"},
    {PLOT_LINEAR, 136288, 136288, 5, "136.288 k"},
    {PLOT_LINEAR, 0, 0, 5, "0"},
    {PLOT_LINEAR, 0, INFINITY, 5, ""},
    {PLOT_LINEAR, NAN, 1, 5, ""},
    {PLOT_WHOLE, 0, 3, 12, "0|1|2|3"},
    {PLOT_WHOLE, 0, 4000, 5, "0|1000|2000|3000|4000"},
    {PLOT_LOG, 1, 4096, 6, "1|10|100|1000"},
    {PLOT_LOG, 1, 4096, 2, "1|100"},
    {PLOT_LOG, 3e8, 4e10, 9, "1 G|10 G"},
    {PLOT_LOG, 256, 4096, 9, "500|1000|2000"},
    {PLOT_LOG, 256, 4096, 2, "500|2000"},
    {PLOT_LOG, 3, 4.5, 4, "3.0|3.5|4.0|4.5"},
    {PLOT_LOG, 0.001, 1, 9, "0.001|0.01|0.1|1"},
};

START_TEST(ticks_are_round)
{
    char all[400] = "", text[PLOT_LABEL_TEXT];
    struct plot_ticks ticks;

    plot_ticks(&ticks, ticks_cases[_i].scale, ticks_cases[_i].low, ticks_cases[_i].high,
               ticks_cases[_i].most);
    for (int i = 0; i < ticks.count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "|" : "",
                 plot_label(text, &ticks, i));
    ck_assert_str_eq(all, ticks_cases[_i].labels);
}
END_TEST

static double drawn(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Of whatever range there are some ticks, not too many, in it, in their order, told apart. */
START_TEST(ticks_of_any_range)
{
    uint64_t state = test_seed();

    for (int n = 0; n < 20000; n++) {
        double size = pow(10, 24 * drawn(&state) - 9), low = size * (drawn(&state) - 0.5);
        double high = low + size * pow(10, -4 * drawn(&state)) * (drawn(&state) + 0.01);
        enum plot_scale scale = n % 2 && low > 0 ? PLOT_LOG : PLOT_LINEAR;
        int most = 1 + n % PLOT_TICKS_MAX;
        char last[PLOT_LABEL_TEXT] = "", text[PLOT_LABEL_TEXT];
        struct plot_ticks ticks;

        plot_ticks(&ticks, scale, low, high, most);
        ck_assert_msg(ticks.count >= 1 && ticks.count <= most, "%d ticks of %d from %.17g to %.17g",
                      ticks.count, most, low, high);
        for (int i = 0; i < ticks.count; i++) {
            double at = ticks.at[i], tolerance = (high - low) * 1e-6;

            ck_assert_msg(at >= low - tolerance && at <= high + tolerance,
                          "%.17g lies outside %.17g to %.17g", at, low, high);
            ck_assert(i == 0 || at > ticks.at[i - 1]);
            plot_label(text, &ticks, i);
            ck_assert_msg(strcmp(text, last) != 0, "'%s' twice, from %.17g to %.17g", text, low,
                          high);
            memcpy(last, text, sizeof last);
        }
    }
}
END_TEST

/* --- characters ------------------------------------------------------------------------------- */

#define ROWS 12
#define COLUMNS 64

static struct plot_cell cell[ROWS * COLUMNS];
static const struct plot_point rising[] = {{0, 0, 0, 0}, {10, 10, 10, 10}};
static const struct plot_point falling[] = {{0, 10, 10, 10}, {10, 0, 0, 0}};

/* A plot as text, a line for each row, without what is blank at their ends. */
static const char *text_of(const struct plot *plot, int rows, int columns)
{
    static char text[ROWS * (3 * COLUMNS + 2)];
    size_t used = 0;

    plot_cells(plot, rows, columns, cell);
    for (int row = 0; row < rows; row++) {
        size_t end = used;

        for (int column = 0; column < columns; column++) {
            const char *at = cell[row * columns + column].text;

            strcpy(text + used, at);
            used += strlen(at);
            end = at[0] == ' ' ? end : used;
        }
        used = end;
        text[used++] = '\n';
    }
    text[used] = '\0';
    return text;
}

static struct plot plot_with(int count)
{
    return (struct plot){
        .count = count,
        .series = {{"one", 'A', STYLE_GREEN, 2, rising}, {"two", 'B', STYLE_WARM, 2, falling}},
        .unit = "ups",
        .axis = true,
        .across_unit = "cells",
        .cursor = NAN};
}

/* Two lines that cross, with the axes of both. */
START_TEST(two_lines_in_ascii)
{
    struct plot plot = plot_with(2);

    plot.caption = "said";
    ck_assert_str_eq(text_of(&plot, 10, 30), "ups  A one  B two  said\n"
                                             "10+BBB                     AAA\n"
                                             "  |   BBBB             AAAA\n"
                                             "  |       BBBB     AAAA\n"
                                             " 5+           &&&&&\n"
                                             "  |       AAAA     BBBB\n"
                                             "  |   AAAA             BBBB\n"
                                             " 0+AAA                     BBB\n"
                                             "  ++------------+------cells-+\n"
                                             "   0            5           10\n");
    ck_assert_int_eq(cell[1 * 30 + 3].style, STYLE_WARM);
    ck_assert_int_eq(cell[7 * 30 + 3].style, STYLE_GREEN);
    ck_assert_int_eq(cell[4 * 30 + 15].style, STYLE_STRONG);
}
END_TEST

/* In braille the signs stand on the lines, at each of few points, so that colour is not needed. */
START_TEST(two_lines_in_braille)
{
    struct plot plot = plot_with(2);

    plot.fine = true;
    ck_assert_str_eq(text_of(&plot, 6, 30), "ups  A one  B two\n"
                                            "10┤B⠑⠒⠒⠤⠤⢄⣀⡀         ⢀⣀⡠⠤⠤⠒⠒⠊A\n"
                                            "  │        ⢈⣉⣉⠶⠶⠶⠶⠶⣉⣉⡁\n"
                                            " 0┤A⡠⠤⠤⠒⠒⠊⠉⠁         ⠈⠉⠑⠒⠒⠤⠤⢄B\n"
                                            "  └┬────────────┬──────cells─┬\n"
                                            "   0            5           10\n");
}
END_TEST

/* On a line of many points there is a sign now and then, and not in the columns of the other. */
START_TEST(signs_of_long_lines)
{
    struct plot_point point[2][100];
    struct plot plot = plot_with(2);
    const char *text;

    for (int i = 0; i < 100; i++)
        for (int k = 0; k < 2; k++)
            point[k][i] = (struct plot_point){i, 7 + k, 7 + k, 7 + k};
    for (int k = 0; k < 2; k++) {
        plot.series[k].count = 100;
        plot.series[k].point = point[k];
    }
    plot.fine = true;
    plot.unit = NULL;
    plot.axis = false;
    text = text_of(&plot, 2, 42);
    ck_assert_ptr_nonnull(strstr(text, "B⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉B"));
    ck_assert_ptr_nonnull(strstr(text, "A⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀A"));
    ck_assert_ptr_null(strstr(text, "&"));
}
END_TEST

/* A series alone, whose points stand for several values; and one without a value, where the line
 * is broken. */
START_TEST(ranges_and_gaps)
{
    const struct plot_point ranges[] = {{0, 0, 2, 4}, {1, 2, 2, 2}, {2, 1, 2, 4}};
    const struct plot_point gap[] = {
        {0, 0, 0, 0}, {1, 0, 0, 0}, {2, NAN, NAN, NAN}, {3, 4, 4, 4}, {4, 4, 4, 4}};
    struct plot plot = {.count = 1, .series = {{NULL, '*', STYLE_GREEN, 3, ranges}}, .cursor = NAN};

    ck_assert_str_eq(text_of(&plot, 5, 5), "4+: :\n"
                                           " |: :\n"
                                           "2+***\n"
                                           " |: :\n"
                                           "0+:\n");
    plot.series[0].count = 5;
    plot.series[0].point = gap;
    ck_assert_str_eq(text_of(&plot, 3, 7), " |   **\n"
                                           " |\n"
                                           "0+**\n");
}
END_TEST

/* A constant lies in the middle; nothing has no axis with labels. */
START_TEST(constant_and_nothing)
{
    const struct plot_point same[] = {{0, 3, 3, 3}, {9, 3, 3 + 1e-12, 3}};
    struct plot plot = {.count = 1, .series = {{NULL, '*', STYLE_GREEN, 2, same}}, .cursor = NAN};

    ck_assert_str_eq(text_of(&plot, 3, 6), " |\n"
                                           "3+****\n"
                                           " |\n");
    plot.series[0].count = 0;
    plot.left = 3;
    ck_assert_str_eq(text_of(&plot, 2, 6), "  |\n"
                                           "  |\n");
}
END_TEST

/* Each series by a scale of its own, the second one's at the right. */
START_TEST(scales_apart)
{
    const struct plot_point large[] = {{0, 1e6, 1e6, 1e6}, {10, 3e6, 3e6, 3e6}};
    struct plot plot = plot_with(2);

    plot.series[0].point = large;
    plot.apart = true;
    plot.unit = NULL;
    ck_assert_str_eq(text_of(&plot, 8, 20), "3 M+BB         AA+10\n"
                                            "   |  BB     AA  |\n"
                                            "2 M+    BB AA    +5\n"
                                            "   |    AA&BB    |\n"
                                            "   |  AA     BB  |\n"
                                            "1 M+AA         BB+0\n"
                                            "   ++-----cells--+\n"
                                            "    0\n");
}
END_TEST

/* Points that have names; the one under the cursor is named in any case. */
START_TEST(names_and_cursor)
{
    static const char *const names[] = {"reference", "threads", "bitslice"};
    const struct plot_point points[] = {{0, 1, 1, 1}, {1, 10, 10, 10}, {2, 100, 100, 100}};
    struct plot plot = {.count = 1,
                        .series = {{NULL, '*', STYLE_GREEN, 3, points}},
                        .up = PLOT_LOG,
                        .axis = true,
                        .across_unit = "",
                        .names = names,
                        .named = 3,
                        .cursor = 1};

    ck_assert_str_eq(text_of(&plot, 7, 40), "100+                  |        ***\n"
                                            "   |                  |  ******\n"
                                            " 10+                *****\n"
                                            "   |          ******  |\n"
                                            "  1+      ****        |\n"
                                            "   +------+-----------+----------+------\n"
                                            "      reference    threads   bitslice\n");
    plot.cursor = 2;
    ck_assert_str_eq(text_of(&plot, 3, 24), " |        ***********\n"
                                            "1+    ****          |\n"
                                            "  reference     bitslice\n");
    plot.cursor = 2.5; /* no point is there */
    ck_assert_ptr_nonnull(strstr(text_of(&plot, 3, 24), "reference"));
}
END_TEST

/* Whatever the size is, each cell has a character of one column, and none beyond is touched. */
START_TEST(any_size)
{
    static struct plot_cell all[20 * 90 + 1];
    struct plot plot = plot_with(2);

    for (int n = 0; n < 16; n++)
        for (int rows = 1; rows <= 20; rows++)
            for (int columns = 1; columns <= 90; columns += 1 + columns / 20) {
                plot.fine = n & 1;
                plot.apart = n & 2;
                plot.axis = n & 4;
                plot.unit = n & 8 ? "ups" : NULL;
                plot.cursor = columns % 12;
                strcpy(all[rows * columns].text, "E");
                plot_cells(&plot, rows, columns, all);
                ck_assert_str_eq(all[rows * columns].text, "E");
                for (int i = 0; i < rows * columns; i++) {
                    size_t bytes = strlen(all[i].text);

                    must_hold(bytes == 1 || (bytes == 3 && plot.fine), "'%s'", all[i].text);
                }
            }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {ticks_of_any_range, two_lines_in_ascii, two_lines_in_braille,
                              signs_of_long_lines, ranges_and_gaps, constant_and_nothing,
                              scales_apart, names_and_cursor, any_size},
                     .table = {{ticks_are_round, COUNT(ticks_cases)}});
}
