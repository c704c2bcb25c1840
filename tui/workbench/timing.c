/* SPDX-License-Identifier: MIT */
/* Owns the timing panel: the duration of a step, its recent history, and the resulting rates. */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"

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

/* What made the calls that the figures are of; their length, unless it is the pace. */
static void pace_of(const struct pane *pane, char *text, size_t size)
{
    const struct ca_wire_timing *timing = &pane->figures.timing;
    unsigned long long call = timing->figures.call;
    double pace = pane->session.pace;
    char speed[32];

    if (timing->mode == CA_MODE_PACED && (double)call == fmax(pace, 1))
        snprintf(text, size, "paced, %s", pace_format(pace, speed));
    else
        snprintf(text, size, "%s, calls of %llu", ca_mode_names[timing->mode], call);
}

void timing_draw(struct pane *pane, struct rect inner)
{
    const struct ca_wire_timing *timing = &pane->figures.timing;
    const struct ca_timing_figures *f = &timing->figures;
    struct row_writer at = {pane, inner, 0};
    char text[1200], a[CA_QUANTITY_TEXT], b[CA_QUANTITY_TEXT];

    if (f->count == 0) {
        put(&pane->wb->palette, inner.row, inner.column + 1, inner.columns - 1, STYLE_QUIET,
            "no step has been timed yet");
        at.line++;
    } else {
        snprintf(text, sizeof text, "%s, %s", ca_duration(a, f->step_p50_s),
                 ca_rate(b, f->cells_per_s));
        row(&at, "step p50", text);
        pace_of(pane, text, sizeof text);
        row(&at, "pace", text);
    }
    if (timing->able.count > 0 && (f->count == 0 || timing->mode != CA_MODE_FREE)) {
        snprintf(text, sizeof text, "%s, %s", ca_rate(a, timing->able.cells_per_s),
                 ca_duration(b, timing->able.step_p50_s));
        row(&at, "able to", text);
    }
    if (pane->figures.before[0])
        row(&at, "before", pane->figures.before);
    if (f->count == 0)
        return;
    sparkline(pane->wb, &pane->figures.step_s, inner.columns - 11, text, sizeof text);
    row(&at, "recent", text);
    ceiling_shares(text, sizeof text, timing);
    row(&at, "ceiling", text);
    snprintf(text, sizeof text, "%s / %s", ca_duration(a, f->step_min_s),
             ca_duration(b, f->step_p99_s));
    row(&at, "best/p99", text);
    snprintf(text, sizeof text, "%s / %s", ca_duration(a, timing->device_s),
             ca_duration(b, timing->wall_s));
    row(&at, "dev/wall", text);
    snprintf(text, sizeof text, "%.4g GB/s", f->gb_per_s);
    row(&at, "memory", text);
    if (pane->report[0])
        row(&at, "runs", pane->report);
    if (timing->transfer_s > 0)
        row(&at, "transfer", ca_duration(a, timing->transfer_s));
    snprintf(text, sizeof text, "%llu", (unsigned long long)timing->generations);
    row(&at, "steps", text);
}
