/* SPDX-License-Identifier: MIT */
/* Owns short histories of values and their drawing in one line of text. */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

void sparkline(const struct workbench *wb, const struct history *history, int width, char *text,
               int size)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    const char *const *steps = wb->palette.utf8 && !wb->palette.ascii ? blocks : ascii;
    int n = history->count < width ? history->count : width;
    double low = INFINITY, high = -INFINITY;
    size_t used = 0;

    text[0] = 0;
    for (int i = 0; i < n; i++) {
        double value = history_at(history, i);

        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    for (int i = n - 1; i >= 0 && used + 4 < (size_t)size; i--) {
        double value = history_at(history, i);
        int step = high > low && isfinite(value) ? (int)((value - low) / (high - low) * 7.999) : 0;

        used += (size_t)snprintf(text + used, (size_t)size - used, "%s", steps[step & 7]);
    }
}
