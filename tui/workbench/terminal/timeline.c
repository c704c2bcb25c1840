/* SPDX-License-Identifier: MIT */
/* This file keeps values over time, and writes them as a line of text. */
#include "tui/workbench/terminal/timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
