/* SPDX-License-Identifier: MIT */
/* The device panel shows the figures of a GPU or CPU. An unknown value is never shown as a
 * number. */
#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/device_inside.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/terminal/device_table.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/quantity_fit.h"

extern const struct part device_panel;

#define ENERGY_COLUMNS 28 /* of "1.234e-05 J per 10^9 updates" */

static void device_panel_row(const struct pane *pane, struct rect inner, int *line,
                             const char *name, const char *value)
{
    char text[CA_TEXT_MAX];

    if (*line >= inner.rows)
        return;
    put(&pane->wb->palette, inner.row + *line, inner.column + 1, 8, STYLE_QUIET, name);
    snprintf(text, sizeof text, "%s", value);
    text_fit(text, inner.columns - 10);
    put(&pane->wb->palette, inner.row + *line, inner.column + 10, inner.columns - 10, STYLE_PLAIN,
        text);
    ++*line;
}

static void optional(const struct pane *pane, struct rect inner, int *line, const char *name,
                     const char *format, struct ca_fact fact)
{
    char text[64] = "unknown";

    if (fact.known)
        snprintf(text, sizeof text, format, fact.value);
    device_panel_row(pane, inner, line, name, text);
}

/* The known values of clock, power and temperature share a row, because the panel has few rows. */
static void live_write(char *text, size_t size, const struct ca_device *d, int digits)
{
    const struct {
        struct ca_fact fact;
        const char *unit;
    } parts[] = {{d->clock_mhz, "MHz"}, {d->power_w, "W"}, {d->temperature_c, "C"}};
    size_t used = 0;

    snprintf(text, size, "unknown");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].fact.known && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%.*g %s", used ? " " : "",
                                     i == 0 ? 4 : digits, parts[i].fact.value, parts[i].unit);
}

/* Power and temperature give digits away before a unit has to go. */
static void live_format(char *text, size_t size, const struct ca_device *d, int columns)
{
    live_write(text, size, d, 4);
    if ((int)strlen(text) > columns)
        live_write(text, size, d, 3);
}

static void memory_format(char *text, size_t size, const struct ca_device *d)
{
    const double gib = 1 << 30;

    if (d->memory_bytes.known && d->memory_free_bytes.known)
        snprintf(text, size, "%.4g of %.4g GiB%s", d->memory_free_bytes.value / gib,
                 d->memory_bytes.value / gib, ca_device_ecc(d));
    else
        snprintf(text, size, "unknown");
}

static void draw_several(struct pane *pane, struct rect inner)
{
    static char line[CA_RANKS_MAX + 2][DEVICE_LINE];
    int rows = inner.rows < CA_RANKS_MAX + 2 ? inner.rows : CA_RANKS_MAX + 2;

    rows = device_table(device_of(pane)->facts, device_of(pane)->count, device_of(pane)->joules,
                        rows, inner.columns - 1, line);
    for (int i = 0; i < rows; i++)
        put(&pane->wb->palette, inner.row + i, inner.column + 1, inner.columns - 1, STYLE_PLAIN,
            line[i]);
}

static void device_draw(struct pane *pane, struct rect inner)
{
    const struct ca_device *d = device_of(pane)->facts;
    const bool gpu = d->kind == CA_CUDA;
    const struct ca_fact percent = {d->utilisation.known, 100 * d->utilisation.value};
    char text[160];
    int line = 0;

    if (!device_of(pane)->known) {
        put(&pane->wb->palette, inner.row, inner.column + 1, inner.columns - 1, STYLE_QUIET, "-");
        return;
    }
    if (device_of(pane)->count > 1) {
        draw_several(pane, inner);
        return;
    }
    snprintf(text, sizeof text, "%s", d->name[0] ? d->name : "unknown device");
    text_fit(text, inner.columns - 1);
    put(&pane->wb->palette, inner.row + line++, inner.column + 1, inner.columns - 1, STYLE_PLAIN,
        text);
    live_format(text, sizeof text, d, inner.columns - 10);
    device_panel_row(pane, inner, &line, "now", text);
    memory_format(text, sizeof text, d);
    device_panel_row(pane, inner, &line, "free", text);
    /* The same number has a shorter unit. */
    optional(pane, inner, &line, "energy",
             inner.columns >= 10 + ENERGY_COLUMNS ? "%.4g J per 10^9 updates" : "%.4g nJ an update",
             device_of(pane)->joules);
    snprintf(text, sizeof text, "%d%s%s", d->cores, d->governor[0] ? ", governor " : "",
             d->governor);
    device_panel_row(pane, inner, &line, gpu ? "SMs" : "cores", text);
    if (!gpu)
        return;
    device_panel_row(pane, inner, &line, "throttle", d->held_by[0] ? d->held_by : "unknown");
    optional(pane, inner, &line, "limit", "%.4g W", d->power_limit_w);
    optional(pane, inner, &line, "mem clk", "%.4g MHz", d->memory_clock_mhz);
    optional(pane, inner, &line, "busy", "%.3g%%", percent);
}

static void device_heading(const struct pane *pane, char *text, int size)
{
    const struct ca_experiment *e = &pane->experiment;
    char label[CA_DEVICE_LABEL];

    if (e->backend->device == CA_CUDA)
        snprintf(text, (size_t)size, "%s", ca_device_label(label, &e->options));
    else
        snprintf(text, (size_t)size, "CPU");
}

/* The facts are asked for while it is shown. */
static double device_panel_tick(struct pane *pane, double now)
{
    return panel_rect(pane->wb, &device_panel).rows > 0 ? device_tick(pane, now) : -1;
}

const struct part device_panel = {
    .name = "device",
    .place = {.at = PLACE_BESIDE, .narrow = true, .least = 5, .most = 11, .grows = 1},
    .tick_pane = device_panel_tick,
    .draw = device_draw,
    .heading = device_heading};
