/* SPDX-License-Identifier: MIT */
/* The device panel shows the figures of a GPU or CPU. An unknown value is never shown as a
 * number. */
#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/panels.h"
#include "tui/workbench/engine/figures_inside.h"
#include "tui/workbench/panels/panels.h"

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

    text[0] = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].fact.known)
            ca_text_add(text, size, "%s%.*g %s", text[0] ? " " : "", i == 0 ? 4 : digits,
                        parts[i].fact.value, parts[i].unit);
    if (!text[0])
        snprintf(text, size, "unknown");
}

static void device_draw(struct pane *pane, struct rect inner)
{
    const struct ca_device *d = device_of(pane)->facts;
    const bool gpu = d->kind == CA_CUDA;
    const struct ca_fact percent = {d->utilisation.known, 100 * d->utilisation.value};
    const double gib = 1 << 30;
    static char several[CA_RANKS_MAX + 2][DEVICE_LINE];
    char text[160];
    int line = 0, rows;

    if (!device_of(pane)->known) {
        put(&pane->wb->palette, inner.row, inner.column + 1, inner.columns - 1, STYLE_QUIET, "-");
        return;
    }
    if (device_of(pane)->count > 1) {
        rows = device_table(d, device_of(pane)->count, device_of(pane)->joules,
                            inner.rows < CA_RANKS_MAX + 2 ? inner.rows : CA_RANKS_MAX + 2,
                            inner.columns - 1, several);
        for (int i = 0; i < rows; i++)
            put(&pane->wb->palette, inner.row + i, inner.column + 1, inner.columns - 1, STYLE_PLAIN,
                several[i]);
        return;
    }
    snprintf(text, sizeof text, "%s", d->name[0] ? d->name : "unknown device");
    text_fit(text, inner.columns - 1);
    put(&pane->wb->palette, inner.row + line++, inner.column + 1, inner.columns - 1, STYLE_PLAIN,
        text);
    /* Power and temperature give digits away before a unit has to go. */
    live_write(text, sizeof text, d, 4);
    if ((int)strlen(text) > inner.columns - 10)
        live_write(text, sizeof text, d, 3);
    device_panel_row(pane, inner, &line, "now", text);
    if (d->memory_bytes.known && d->memory_free_bytes.known)
        snprintf(text, sizeof text, "%.4g of %.4g GiB%s", d->memory_free_bytes.value / gib,
                 d->memory_bytes.value / gib, ca_device_ecc(d));
    else
        snprintf(text, sizeof text, "unknown");
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

static double device_panel_tick(struct pane *pane, double now)
{
    return panel_rect(pane->wb, &device_panel).rows > 0 ? device_tick(pane, now) : -1;
}

const struct part device_panel = {
    .name = "device",
    .scene = SCENE_DEVICE,
    .place = {.at = PLACE_BESIDE, .narrow = true, .least = 5, .most = 11, .grows = 1},
    .tick_pane = device_panel_tick,
    .draw = device_draw,
    .heading = device_heading};

/* --- several GPUs ----------------------------------------------------------------------------- */

#define LABEL 3                 /* columns of "all", and of a GPU's number */
#define CELL 128                /* bytes */
#define FIGURE 64               /* bytes of one with its unit */
#define TABLE_ENERGY_COLUMNS 64 /* from which on the energy has its long unit */

/* In the order of importance: what does not fit is left out, and the next ones are tried. */
enum column { BUSY, POWER, TEMPERATURE, CLOCK, MEMORY, HELD, COLUMNS };

static void memory_write(char *text, struct ca_fact unused, struct ca_fact all)
{
    snprintf(text, FIGURE, "%.4g of %.4g GiB free", unused.value / 0x1p30, all.value / 0x1p30);
}

/* Whether the figure is known. */
static bool cell_write(char text[CELL], const struct ca_device *d, enum column column)
{
    const struct {
        struct ca_fact fact;
        double scale;
        const char *unit;
    } plain[] = {[BUSY] = {d->utilisation, 100, "%"},
                 [POWER] = {d->power_w, 1, " W"},
                 [TEMPERATURE] = {d->temperature_c, 1, " C"},
                 [CLOCK] = {d->clock_mhz, 1, " MHz"}};

    snprintf(text, CELL, "-");
    if (column == MEMORY && d->memory_free_bytes.known && d->memory_bytes.known)
        memory_write(text, d->memory_free_bytes, d->memory_bytes);
    else if (column == HELD && d->held_by[0])
        snprintf(text, CELL, "%s", d->held_by);
    else if (column < MEMORY && plain[column].fact.known)
        snprintf(text, CELL, "%.0f%s", plain[column].fact.value * plain[column].scale,
                 plain[column].unit);
    return strcmp(text, "-") != 0;
}

/* Leaves out the last of several reasons until they fit. */
static void reasons_fit(char *text, int width)
{
    char *comma;

    while ((int)strlen(text) > width && (comma = strrchr(text, ',')))
        *comma = '\0';
}

/* The width of a column of at most `most`; 0: nothing is known, or it is wider. */
static int column_width(const struct ca_device device[], int count, enum column column, int most)
{
    bool known = false;
    int width = 0;

    for (int i = 0; i < count; i++) {
        char text[CELL];
        int length;

        known |= cell_write(text, &device[i], column);
        if (column == HELD)
            reasons_fit(text, most);
        length = (int)strlen(text);
        width = length > width ? length : width;
    }
    return known && width <= most ? width : 0;
}

/* "2 x NVIDIA H200, 1 x NVIDIA A100" */
static void names_write(char line[DEVICE_LINE], const struct ca_device device[], int count)
{
    line[0] = 0;
    for (int i = 0; i < count; i++) {
        int before = 0, same = 0;

        for (int j = 0; j < count; j++)
            if (strcmp(device[j].name, device[i].name) == 0) {
                before += j < i;
                same++;
            }
        if (before == 0)
            ca_text_add(line, DEVICE_LINE, "%s%d x %s", line[0] ? ", " : "", same, device[i].name);
    }
}

static void sums_write(char line[DEVICE_LINE], const struct ca_device device[], int count,
                       struct ca_fact joules, int columns)
{
    struct ca_fact power = {.known = true}, unused = power, all = power;
    char energy[FIGURE] = "", memory[FIGURE] = "", watts[FIGURE] = "power unknown";

    for (int i = 0; i < count; i++) {
        power = ca_fact_plus(power, device[i].power_w);
        unused = ca_fact_plus(unused, device[i].memory_free_bytes);
        all = ca_fact_plus(all, device[i].memory_bytes);
    }
    if (power.known)
        snprintf(watts, sizeof watts, "%.0f W", power.value);
    if (joules.known) /* the same number has a shorter unit */
        snprintf(energy, sizeof energy, ", %.4g %s", joules.value,
                 columns < TABLE_ENERGY_COLUMNS ? "nJ an update" : "J per 10^9 updates");
    if (unused.known && all.known)
        memory_write(memory, unused, all);
    snprintf(line, DEVICE_LINE, "%-*s %s%s%s%s", LABEL, "all", watts, energy, memory[0] ? ", " : "",
             memory);
}

int device_table(const struct ca_device device[], int count, struct ca_fact joules, int rows,
                 int columns, char line[][DEVICE_LINE])
{
    int n = 0, lines = rows - 1, shown, width[COLUMNS], left = columns - LABEL;

    if (rows <= 0)
        return 0;
    if (rows >= count + 2) {
        names_write(line[n++], device, count);
        lines--;
    }
    /* As many GPUs as there are lines, or one less, and how many those are that have none. */
    shown = count <= lines ? count : lines - 1;
    for (enum column c = 0; c < COLUMNS; c++) {
        width[c] = column_width(device, shown, c, left - 1);
        left -= width[c] ? width[c] + 1 : 0;
    }
    for (int i = 0; i < shown; i++) {
        snprintf(line[n], DEVICE_LINE, "%-*d", LABEL, device[i].index);
        for (enum column c = 0; c < COLUMNS; c++) {
            char text[CELL];

            if (width[c] == 0)
                continue;
            cell_write(text, &device[i], c);
            if (c == HELD)
                reasons_fit(text, width[c]);
            ca_text_add(line[n], DEVICE_LINE, " %*s", c == HELD ? 0 : width[c], text);
        }
        n++;
    }
    if (shown < count && lines > 0)
        snprintf(line[n++], DEVICE_LINE, shown > 0 ? "+%d more" : "%d GPUs", count - shown);
    sums_write(line[n++], device, count, joules, columns);
    for (int i = 0; i < n; i++) {
        text_fit(line[i], columns);
        line[i][columns < DEVICE_LINE ? columns : DEVICE_LINE - 1] = '\0';
    }
    return n;
}
