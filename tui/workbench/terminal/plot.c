/* SPDX-License-Identifier: MIT */
/* This file plots observables: it sets dots, and finds the characters that show them. */
#include "tui/workbench/terminal/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"

#define WIDE_MAX 1024 /* dots of a plot */
#define HIGH_MAX 512

/* The row of a value; in the middle where all values are one. */
static int plot_lines_row_of(double value, const struct timeline_span *all, int high)
{
    double share = all->max > all->min ? (all->max - value) / (all->max - all->min) : 0.5;
    int row = (int)(share * (high - 1) + 0.5);

    return row < 0 ? 0 : row >= high ? high - 1 : row;
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
        for (int at = last + 1; last >= 0 && at < x; at++) {
            double part = (double)(at - last) / (x - last);

            dot[(int)lround(last_row + part * (row - last_row)) * wide + at] = PLOT_MEAN;
        }
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

/* --- values in a line ------------------------------------------------------------------------- */

void history_add(struct history *history, double value)
{
    history->value[history->next] = value;
    history->next = (history->next + 1) % HISTORY;
    history->count += history->count < HISTORY;
}

/* Values as steps between their least and their greatest; one that is not finite as the lowest. */
static void steps_write(const struct palette *palette, const double value[], int n, char *text,
                        int size)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    const char *const *steps = palette->utf8 && !palette->ascii ? blocks : ascii;
    double low = INFINITY, high = -INFINITY;
    size_t used = 0;

    text[0] = 0;
    for (int i = 0; i < n; i++) {
        low = value[i] < low ? value[i] : low;
        high = value[i] > high ? value[i] : high;
    }
    for (int i = 0; i < n && used + 4 < (size_t)size; i++) {
        int step =
            high > low && isfinite(value[i]) ? (int)((value[i] - low) / (high - low) * 7.999) : 0;

        used += (size_t)snprintf(text + used, (size_t)size - used, "%s", steps[step & 7]);
    }
}

void sparkline(const struct palette *palette, const struct history *history, int width, char *text,
               int size)
{
    int n = history->count < width ? history->count : width;
    double value[HISTORY];

    for (int i = 0; i < n; i++)
        value[i] = history->value[(history->next - n + i + HISTORY) % HISTORY];
    steps_write(palette, value, n, text, size);
}

void sparkline_run(const struct palette *palette, const struct timeline *timeline, int value,
                   int width, char *text, int size)
{
    double mean[TIMELINE_POINTS];
    int n = timeline->points < width ? timeline->points : width;

    for (int i = 0; i < n; i++) {
        struct timeline_span span = timeline_column(timeline, value, i, n);

        /* The value before is held if nothing was observed. */
        mean[i] = span.count ? timeline_mean(span) : i ? mean[i - 1] : NAN;
    }
    steps_write(palette, mean, n, text, size);
}

void bar(const struct palette *palette, char *text, size_t size, double part, int width)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int least = palette->utf8 ? 1 : 8;
    int units = isnan(part) ? 0 : (int)lround(part * width * 8);
    size_t used = 0;

    text[0] = 0;
    units = units < least && part > 0 ? least : units;
    for (int i = 0; i < (palette->utf8 ? units / 8 : (units + 4) / 8) && used + 4 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s", palette->utf8 ? "█" : "#");
    if (palette->utf8 && used + 4 < size)
        snprintf(text + used, size - used, "%s", eighths[units % 8]);
}

/* --- timelines -------------------------------------------------------------------------------- */

static struct timeline_span merged(struct timeline_span a, struct timeline_span b)
{
    if (a.count == 0 || b.count == 0)
        return a.count ? a : b;
    return (struct timeline_span){fmin(a.min, b.min), fmax(a.max, b.max), a.sum + b.sum,
                                  a.count + b.count};
}

static void merge(struct timeline_point *to, const struct timeline_point *from)
{
    if (!from->known)
        return;
    if (!to->known) {
        *to = *from;
        return;
    }
    to->last = from->last;
    for (int i = 0; i < CA_OBSERVABLES_MAX; i++)
        to->value[i] = merged(to->value[i], from->value[i]);
}

uint64_t timeline_last(const struct timeline *t)
{
    return t->points > 0 ? t->point[t->points - 1].last : t->base;
}

void timeline_rewind(struct timeline *t, uint64_t generation)
{
    while (t->points > 0 &&
           (!t->point[t->points - 1].known || t->point[t->points - 1].last > generation))
        memset(&t->point[--t->points], 0, sizeof *t->point);
}

void timeline_add(struct timeline *t, uint64_t generation, const double value[], int values)
{
    struct timeline_point seen = {.first = generation, .last = generation, .known = true};
    uint64_t at;

    timeline_rewind(t, generation);
    if (t->points == 0) {
        t->base = generation;
        t->stride = 1;
    } else if (timeline_last(t) == generation &&
               memcmp(t->latest, value, (size_t)values * sizeof *value) == 0) {
        return;
    }
    memcpy(t->latest, value, (size_t)values * sizeof *value);
    for (int i = 0; i < values; i++)
        if (isfinite(value[i]))
            seen.value[i] = (struct timeline_span){value[i], value[i], value[i], 1};
    while ((at = (generation - t->base) / t->stride) >= TIMELINE_POINTS) { /* in pairs */
        for (int i = 0; i < TIMELINE_POINTS; i++) {
            struct timeline_point point = t->point[i];

            memset(&t->point[i], 0, sizeof point);
            merge(&t->point[i / 2], &point);
        }
        t->points = (t->points + 1) / 2;
        t->stride *= 2;
    }
    merge(&t->point[at], &seen);
    t->points = (int)at + 1;
}

struct timeline_span timeline_span(const struct timeline *t, int value, int from, int to)
{
    struct timeline_span span = {0};

    for (int i = from; i < to; i++)
        span = merged(span, t->point[i].value[value]);
    return span;
}

struct timeline_span timeline_column(const struct timeline *t, int value, int column, int columns)
{
    int from = (int)((int64_t)column * t->points / columns);
    int to = (int)((int64_t)(column + 1) * t->points / columns);

    return timeline_span(t, value, from, to > from || t->points == 0 ? to : from + 1);
}
