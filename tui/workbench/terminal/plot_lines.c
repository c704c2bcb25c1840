/* SPDX-License-Identifier: MIT */
/* This file plots observables: it sets dots, and finds the characters that show them. */
#include "tui/workbench/terminal/plot_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/quantity_fit.h"
#include "tui/workbench/terminal/timeline.h"

#define WIDE_MAX 1024 /* dots of a plot */
#define HIGH_MAX 512

/* The row of a value; in the middle where all values are one. */
static int plot_lines_row_of(double value, const struct timeline_span *all, int high)
{
    double share = all->max > all->min ? (all->max - value) / (all->max - all->min) : 0.5;
    int row = (int)(share * (high - 1) + 0.5);

    return row < 0 ? 0 : row >= high ? high - 1 : row;
}

static void bridge(uint8_t *dot, int wide, int from, int from_row, int to, int to_row)
{
    for (int x = from + 1; x < to; x++) {
        double part = (double)(x - from) / (to - from);

        dot[(int)lround(from_row + part * (to_row - from_row)) * wide + x] = PLOT_MEAN;
    }
}

struct timeline_span plot_raster(uint8_t *dot, int wide, int high, const struct timeline *timeline,
                                 int value)
{
    struct timeline_span all = timeline_span(timeline, value, 0, timeline->points);
    int last = -1, last_row = 0;

    memset(dot, PLOT_NONE, (size_t)wide * (size_t)high);
    for (int x = 0; x < wide && all.count > 0; x++) {
        struct timeline_span span = timeline_column(timeline, value, x, wide);
        int row;

        if (span.count == 0)
            continue;
        for (row = plot_lines_row_of(span.max, &all, high);
             row <= plot_lines_row_of(span.min, &all, high); row++)
            dot[row * wide + x] = PLOT_RANGE;
        row = plot_lines_row_of(timeline_mean(span), &all, high);
        dot[row * wide + x] = PLOT_MEAN;
        if (last >= 0)
            bridge(dot, wide, last, last_row, x, row);
        last = x;
        last_row = row;
    }
    return all;
}

/* A character of braille in UTF-8. */
static int braille(char *text, const uint8_t *dot, int wide)
{
    static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    unsigned bits = 0;

    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 2; x++)
            bits |= dot[y * wide + x] ? bit[y][x] : 0;
    text[0] = (char)0xe2;
    text[1] = (char)(0xa0 | bits >> 6);
    text[2] = (char)(0x80 | (bits & 0x3f));
    return 3;
}

static void label(const struct palette *palette, struct rect area, int row, double value)
{
    char text[QUANTITY_FIT_TEXT];

    quantity_fit(text, value, NULL, PLOT_LABEL - 2);
    putf(palette, area.row + row, area.column, PLOT_LABEL, STYLE_QUIET, "%*s", PLOT_LABEL - 2,
         text);
}

void plot_draw_lines(const struct palette *palette, struct rect area,
                     const struct timeline *timeline, int value)
{
    static uint8_t dot[WIDE_MAX * HIGH_MAX];
    bool fine = palette->utf8 && !palette->ascii;
    int across = fine ? 2 : 1, down = fine ? 4 : 1, columns = area.columns - PLOT_LABEL;
    int rows = area.rows < HIGH_MAX / down ? area.rows : HIGH_MAX / down;
    struct timeline_span all;

    columns = columns < WIDE_MAX / across ? columns : WIDE_MAX / across;
    if (columns < 1 || rows < 1)
        return;
    all = plot_raster(dot, columns * across, rows * down, timeline, value);
    if (all.count == 0)
        return;
    label(palette, area, all.min < all.max ? 0 : (rows - 1) / 2, all.max);
    if (rows > 1 && all.min < all.max)
        label(palette, area, rows - 1, all.min);
    for (int row = 0; row < rows; row++) {
        char text[3 * WIDE_MAX + 1];
        int used = 0;

        for (int column = 0; column < columns; column++) {
            const uint8_t *at = &dot[row * down * columns * across + column * across];

            if (fine)
                used += braille(text + used, at, columns * across);
            else
                text[used++] = " :*"[*at];
        }
        text[used] = '\0';
        put(palette, area.row + row, area.column + PLOT_LABEL - 1, 1, STYLE_QUIET, "|");
        put(palette, area.row + row, area.column + PLOT_LABEL, columns, STYLE_GREEN, text);
    }
}

void plot_draw_axis(const struct palette *palette, struct rect line,
                    const struct timeline *timeline)
{
    char first[CA_QUANTITY_TEXT], last[CA_QUANTITY_TEXT], every[80] = "";
    int columns = line.columns - PLOT_LABEL, width;

    if (timeline->points == 0)
        return;
    ca_thousands(first, timeline->base);
    ca_thousands(last, timeline_last(timeline));
    if (timeline->stride > 1)
        snprintf(every, sizeof every, "  a point: %" PRIu64 " generations, mean and range",
                 timeline->stride);
    width = (int)strlen(last);
    if ((int)strlen(first) + 4 + (int)strlen(every) + 1 + width > columns)
        every[0] = '\0';
    putf(palette, line.row, line.column + PLOT_LABEL, columns, STYLE_QUIET, "gen %s%s", first,
         every);
    if ((int)strlen(first) + 5 + width <= columns)
        put(palette, line.row, line.column + PLOT_LABEL + columns - width, width, STYLE_QUIET,
            last);
}
