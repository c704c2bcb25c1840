/* SPDX-License-Identifier: MIT */
/* The timing panel shows the duration of a step, its recent history, and the resulting rates. */
#include "tui/workbench/panels/panels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/workbench/engine/figures_inside.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session_requests.h"

struct writer {
    struct timing_line *lines;
    int count;
};

static char *timing_panel_row(struct writer *at, const char *name)
{
    at->lines[at->count].name = name;
    return at->lines[at->count++].value;
}

/* The shares of the two ceilings. The larger one comes first: it is the bottleneck. */
static void ceiling_shares(char *text, size_t size, const struct ca_wire_timing *timing)
{
    const double part[] = {timing->copy_share, timing->logic_share};
    int first = timing->logic_share > timing->copy_share;

    text[0] = 0;
    for (int i = 0; i < 2; i++) {
        int which = i ^ first;

        if (!isnan(part[which]))
            ca_text_add(text, size, "%s%s %.*f%%", text[0] ? " " : "", which ? "logic" : "copy",
                        part[which] < 0.0995, 100 * part[which]);
    }
    if (!text[0])
        snprintf(text, size, "unknown: calab probe");
}

/* Writes what made the calls that the figures are of, and their length, unless it is the pace. */
static void pace_of(const struct pane *pane, char *text, size_t size)
{
    const struct ca_wire_timing *timing = &figures_of(pane)->timing;
    unsigned long long call = timing->figures.call;
    double pace = session_pace(pane);
    char speed[32];

    if (timing->mode == CA_MODE_PACED && (double)call == fmax(pace, 1))
        snprintf(text, size, "paced, %s", pace_format(pace, speed));
    else
        snprintf(text, size, "%s, calls of %llu", ca_mode_names[timing->mode], call);
}

static void others_line(const struct ca_wire_timing *timing, char *text, size_t size)
{
    if (!isnan(timing->gpu_others))
        snprintf(text, size, "%.0f%% of the GPU", 100 * timing->gpu_others);
    else if (isnan(timing->others))
        snprintf(text, size, "unknown");
    else
        snprintf(text, size, "%.1f of %.0f cores", timing->others, timing->cores);
}

/* They use so much that the figures are not the backend's own. */
static bool others_matter(const struct ca_wire_timing *timing)
{
    return timing->gpu_others > 0.05 || timing->others >= 0.25;
}

int timing_lines(const struct pane *pane, int columns, struct timing_line lines[TIMING_LINES])
{
    const struct ca_wire_timing *timing = &figures_of(pane)->timing;
    const struct ca_timing_figures *f = &timing->figures;
    const size_t size = sizeof lines[0].value;
    struct writer at = {lines, 0};
    char a[CA_QUANTITY_TEXT], b[CA_QUANTITY_TEXT], others[CA_DISTURBANCE_TEXT];

    if (f->count > 0) {
        snprintf(timing_panel_row(&at, "step p50"), size, "%s, %s", ca_duration(a, f->step_p50_s),
                 timing_rate(b, timing, f));
        pace_of(pane, timing_panel_row(&at, "pace"), size);
    }
    if (timing->able.count > 0 && (f->count == 0 || (timing->mode != CA_MODE_FREE &&
                                                     timing->able.cells_per_s >= f->cells_per_s)))
        figures_able(timing, &timing->able, ca_duration(a, timing->able.step_p50_s),
                     timing_panel_row(&at, "burst rate"), size);
    else if (timing->able.count == 0 && figures_of(pane)->others.disturbed > 0)
        snprintf(timing_panel_row(&at, "burst rate"), size, "unsure: %s",
                 ca_disturbance_text(others, &figures_of(pane)->others));
    if (others_matter(timing) && !timing->emulated)
        others_line(timing, timing_panel_row(&at, "others"), size);
    if (figures_of(pane)->before[0])
        snprintf(timing_panel_row(&at, "before"), size, "%s", figures_of(pane)->before);
    if (f->count == 0)
        return at.count;
    sparkline(&pane->wb->palette, &figures_of(pane)->step_s, columns,
              timing_panel_row(&at, "recent"), (int)size);
    if (!timing->emulated)
        ceiling_shares(timing_panel_row(&at, "ceiling"), size, timing);
    if (!timing->emulated && device_others(pane)[0])
        snprintf(timing_panel_row(&at, "measured"), size, "when %s", device_others(pane));
    snprintf(timing_panel_row(&at, "best/p99"), size, "%s / %s", ca_duration(a, f->step_min_s),
             ca_duration(b, f->step_p99_s));
    snprintf(timing_panel_row(&at, "kernel"), size, "%s / %s wall",
             ca_duration(a, timing->device_s), ca_duration(b, timing->wall_s));
    if (!timing->emulated)
        snprintf(timing_panel_row(&at, "memory"), size, "%.4g GB/s", f->gb_per_s);
    if (pane->report[0])
        snprintf(timing_panel_row(&at, "shape"), size, "%s", pane->report);
    if (timing->transfer_s > 0)
        snprintf(timing_panel_row(&at, "transfer"), size, "%s", ca_duration(a, timing->transfer_s));
    if (!others_matter(timing) && !timing->emulated)
        others_line(timing, timing_panel_row(&at, "others"), size);
    snprintf(timing_panel_row(&at, "steps"), size, "%llu", (unsigned long long)timing->generations);
    if (pane->experiment.choice && pane->experiment.why[0])
        snprintf(timing_panel_row(&at, pane->experiment.choice->name), size, "%s",
                 pane->experiment.why);
    return at.count;
}

/* The column of the values: behind whole names where a panel is wide, else behind their first
 * words. */
#define VALUE_NARROW 10
#define VALUE_WIDE 12
#define WIDE_COLUMNS 40

static void timing_draw(struct pane *pane, struct rect inner)
{
    const struct palette *palette = &pane->wb->palette;
    struct timing_line lines[TIMING_LINES];
    const int value = inner.columns >= WIDE_COLUMNS ? VALUE_WIDE : VALUE_NARROW;
    int count = timing_lines(pane, inner.columns - value - 1, lines), row = 0;

    if (figures_of(pane)->timing.figures.count == 0)
        put(palette, inner.row + row++, inner.column + 1, inner.columns - 1, STYLE_QUIET,
            "no step has been timed yet");
    for (int i = 0; i < count && row < inner.rows; i++, row++) {
        char name[32];

        snprintf(name, sizeof name, "%s", lines[i].name);
        text_shorten(name, sizeof name, value - 2, "");
        put(palette, inner.row + row, inner.column + 1, value - 2, STYLE_QUIET, name);
        text_fit(lines[i].value, inner.columns - value);
        put(palette, inner.row + row, inner.column + value, inner.columns - value, STYLE_PLAIN,
            lines[i].value);
    }
}

const struct part timing_panel = {
    .name = "timing",
    .scene = SCENE_TIMING,
    .place =
        {.at = PLACE_BESIDE, .always = true, .narrow = true, .least = 5, .most = 11, .grows = 2},
    .draw = timing_draw};
