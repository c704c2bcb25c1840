/* SPDX-License-Identifier: MIT */
/* A sparkline keeps a short history of values and draws it in one line of text. */
#include "tui/workbench/terminal/sparkline.h"

#include <math.h>
#include <stdio.h>

#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/timeline.h"

void history_add(struct history *history, double value)
{
    history->value[history->next] = value;
    history->next = (history->next + 1) % HISTORY;
    history->count += history->count < HISTORY;
}

static double history_at(const struct history *history, int back)
{
    return history->value[(history->next - 1 - back + HISTORY) % HISTORY];
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
        value[i] = history_at(history, n - 1 - i);
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
