/* SPDX-License-Identifier: MIT */
/* Owns the timing panel: how long a step takes, lately and over time, and the rates that follow. */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdio.h>

/* Seconds in a unit that reads well, in four digits: "12.34 ms". Two of them fit into a row. */
#define DURATION 32

static char *duration(char *text, double seconds)
{
    static const struct {
        double below, scale;
        const char *unit;
    } units[] = {{1e-6, 1e9, "ns"}, {1e-3, 1e6, "us"}, {1, 1e3, "ms"}, {INFINITY, 1, "s"}};
    double value;
    int i = 0;

    if (!isfinite(seconds)) {
        snprintf(text, DURATION, "-");
        return text;
    }
    while (seconds >= units[i].below)
        i++;
    value = seconds * units[i].scale;
    snprintf(text, DURATION, "%.*f %s",
             value < 10     ? 3
             : value < 100  ? 2
             : value < 1000 ? 1
                            : 0,
             value, units[i].unit);
    return text;
}

struct place {
    const struct workbench *wb;
    struct rect rect;
    int line;
};

static void row(struct place *at, const char *name, const char *value)
{
    if (at->line >= at->rect.rows)
        return;
    put(&at->wb->palette, at->rect.row + at->line, at->rect.column + 1, 8, STYLE_QUIET, name);
    put(&at->wb->palette, at->rect.row + at->line, at->rect.column + 10, at->rect.columns - 10,
        STYLE_PLAIN, value);
    at->line++;
}

void timing_draw(struct workbench *wb, struct rect inner)
{
    const struct figures *f = &wb->figures;
    struct place at = {wb, inner, 0};
    char text[1200], a[DURATION], b[DURATION];

    if (f->count == 0) {
        put(&wb->palette, inner.row, inner.column + 1, inner.columns - 1, STYLE_QUIET,
            "nothing is timed: step or run");
        return;
    }
    row(&at, "step p50", duration(text, f->p50_s));
    sparkline(wb, &f->step_s, inner.columns - 11, text, sizeof text);
    row(&at, "lately", text);
    snprintf(text, sizeof text, "%.5g Mups", f->cells_per_s / 1e6);
    row(&at, "rate", text);
    snprintf(text, sizeof text, "%.4g GB/s", f->gb_per_s);
    row(&at, "memory", text);
    row(&at, "p99", duration(text, f->p99_s));
    row(&at, "best", duration(text, f->min_s));
    snprintf(text, sizeof text, "%s / %s", duration(a, f->device_s), duration(b, f->wall_s));
    row(&at, "dev/wall", text);
    snprintf(text, sizeof text, "%llu", (unsigned long long)f->generations);
    row(&at, "steps", text);
}
