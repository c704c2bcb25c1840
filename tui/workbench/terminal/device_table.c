/* SPDX-License-Identifier: MIT */
/* This file decides which figures of several GPUs are shown in how little space. Does not use
 * curses. */
#include "tui/workbench/terminal/device_table.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/terminal/quantity_fit.h"

#define LABEL 3           /* columns of "all", and of a GPU's number */
#define CELL 128          /* bytes */
#define FIGURE 64         /* bytes of one with its unit */
#define ENERGY_COLUMNS 64 /* from which on the energy has its long unit */

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

static void row_write(char line[DEVICE_LINE], const struct ca_device *device,
                      const int width[COLUMNS])
{
    size_t used = (size_t)snprintf(line, DEVICE_LINE, "%-*d", LABEL, device->index);

    for (enum column c = 0; c < COLUMNS; c++) {
        char text[CELL];

        if (width[c] == 0)
            continue;
        cell_write(text, device, c);
        if (c == HELD)
            reasons_fit(text, width[c]);
        used += (size_t)snprintf(line + used, DEVICE_LINE - used, " %*s", c == HELD ? 0 : width[c],
                                 text);
    }
}

/* "2 x NVIDIA H200, 1 x NVIDIA A100" */
static void names_write(char line[DEVICE_LINE], const struct ca_device device[], int count)
{
    size_t used = 0;

    for (int i = 0; i < count && used < DEVICE_LINE; i++) {
        int before = 0, same = 0;

        for (int j = 0; j < count; j++)
            if (strcmp(device[j].name, device[i].name) == 0) {
                before += j < i;
                same++;
            }
        if (before == 0)
            used += (size_t)snprintf(line + used, DEVICE_LINE - used, "%s%d x %s",
                                     used > 0 ? ", " : "", same, device[i].name);
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
                 columns < ENERGY_COLUMNS ? "nJ an update" : "J per 10^9 updates");
    if (unused.known && all.known)
        memory_write(memory, unused, all);
    snprintf(line, DEVICE_LINE, "%-*s %s%s%s%s", LABEL, "all", watts, energy, memory[0] ? ", " : "",
             memory);
}

/* As many GPUs as there are lines, or one less, and how many those are that have none. */
static int rows_write(char line[][DEVICE_LINE], int lines, const struct ca_device device[],
                      int count, int columns)
{
    int shown = count <= lines ? count : lines - 1, width[COLUMNS], left = columns - LABEL;

    for (enum column c = 0; c < COLUMNS; c++) {
        width[c] = column_width(device, shown, c, left - 1);
        left -= width[c] ? width[c] + 1 : 0;
    }
    for (int i = 0; i < shown; i++)
        row_write(line[i], &device[i], width);
    if (shown == count || lines == 0)
        return shown == count ? count : 0;
    snprintf(line[shown], DEVICE_LINE, shown > 0 ? "+%d more" : "%d GPUs", count - shown);
    return lines;
}

int device_table(const struct ca_device device[], int count, struct ca_fact joules, int rows,
                 int columns, char line[][DEVICE_LINE])
{
    bool named = rows >= count + 2;
    int n = 0;

    if (rows <= 0)
        return 0;
    if (named)
        names_write(line[n++], device, count);
    n += rows_write(line + n, rows - n - 1, device, count, columns);
    sums_write(line[n++], device, count, joules, columns);
    for (int i = 0; i < n; i++) {
        text_fit(line[i], columns);
        line[i][columns < DEVICE_LINE ? columns : DEVICE_LINE - 1] = '\0';
    }
    return n;
}
