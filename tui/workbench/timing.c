/* SPDX-License-Identifier: MIT */
/* Owns the timing panel: the duration of a step, its recent history, and the resulting rates. */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"

#define DURATION 32 /* bytes of a formatted duration */

/* Four digits and a unit, as in "12.34 ms", so that two durations fit into a row. */
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

struct row_writer {
    const struct pane *pane;
    struct rect rect;
    int line;
};

static void row(struct row_writer *at, const char *name, const char *value)
{
    if (at->line >= at->rect.rows)
        return;
    put(&at->pane->wb->palette, at->rect.row + at->line, at->rect.column + 1, 8, STYLE_QUIET, name);
    put(&at->pane->wb->palette, at->rect.row + at->line, at->rect.column + 10,
        at->rect.columns - 10, STYLE_PLAIN, value);
    at->line++;
}

/* Appends a share of a ceiling in percent, if it is known. */
static void share(char *text, size_t size, const char *name, double part)
{
    size_t used = strlen(text);

    if (!isnan(part) && used < size)
        snprintf(text + used, size - used, "%s%s %.*f%%", used ? " " : "", name, part < 0.0995,
                 100 * part);
}

/* The shares of the two ceilings. The larger one comes first: it is the bottleneck. */
static void ceiling_shares(char *text, size_t size, const struct ca_wire_timing *timing)
{
    bool logic_first = timing->logic_share > timing->copy_share;

    text[0] = '\0';
    if (logic_first)
        share(text, size, "logic", timing->logic_share);
    share(text, size, "copy", timing->copy_share);
    if (!logic_first)
        share(text, size, "logic", timing->logic_share);
    if (!text[0])
        snprintf(text, size, "unknown: run calab probe");
}

void timing_draw(struct pane *pane, struct rect inner)
{
    const struct ca_wire_timing *timing = &pane->figures.timing;
    const struct ca_timing_figures *f = &timing->figures;
    struct row_writer at = {pane, inner, 0};
    char text[1200], a[DURATION], b[DURATION];

    if (f->count == 0) {
        put(&pane->wb->palette, inner.row, inner.column + 1, inner.columns - 1, STYLE_QUIET,
            "no step has been timed yet");
        return;
    }
    row(&at, "step p50", duration(text, f->step_p50_s));
    sparkline(pane->wb, &pane->figures.step_s, inner.columns - 11, text, sizeof text);
    row(&at, "recent", text);
    row(&at, "rate", ca_rate(text, f->cells_per_s));
    snprintf(text, sizeof text, "%.4g GB/s", f->gb_per_s);
    row(&at, "memory", text);
    ceiling_shares(text, sizeof text, timing);
    row(&at, "ceiling", text);
    if (pane->report[0])
        row(&at, "runs", pane->report);
    snprintf(text, sizeof text, "%s / %s", duration(a, f->step_min_s), duration(b, f->step_p99_s));
    row(&at, "best/p99", text);
    snprintf(text, sizeof text, "%s / %s", duration(a, timing->device_s),
             duration(b, timing->wall_s));
    row(&at, "dev/wall", text);
    if (timing->transfer_s > 0)
        row(&at, "transfer", duration(text, timing->transfer_s));
    snprintf(text, sizeof text, "%llu", (unsigned long long)timing->generations);
    row(&at, "steps", text);
}
