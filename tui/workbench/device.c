/* SPDX-License-Identifier: MIT */
/* Owns the device panel. What is not known is not shown as a number. */
#include "tui/workbench/app.h"

#include <stdio.h>
#include <string.h>

static void row(const struct workbench *wb, struct rect inner, int *line, const char *name,
                const char *value)
{
    if (*line >= inner.rows)
        return;
    put(&wb->palette, inner.row + *line, inner.column + 1, 12, STYLE_QUIET, name);
    put(&wb->palette, inner.row + *line, inner.column + 13, inner.columns - 13, STYLE_PLAIN, value);
    ++*line;
}

static const char *fact(char text[64], struct fact fact, double scale, const char *unit)
{
    if (!fact.known)
        return "unknown";
    snprintf(text, 64, "%.4g %s", fact.value * scale, unit);
    return text;
}

void device_draw(struct workbench *wb, struct rect inner)
{
    const struct device_facts *d = &wb->device;
    char text[160], a[64], b[64];
    int line = 0;

    if (!d->known) {
        put(&wb->palette, inner.row, inner.column + 1, inner.columns - 1, STYLE_QUIET, "-");
        return;
    }
    put(&wb->palette, inner.row + line++, inner.column + 1, inner.columns - 1, STYLE_PLAIN,
        d->name[0] ? d->name : "unknown device");
    snprintf(text, sizeof text, "%d%s%s", d->cores, d->governor[0] ? ", governor " : "",
             d->governor);
    row(wb, inner, &line, "cores", text);
    row(wb, inner, &line, "clock", fact(text, d->clock_mhz, 1, "MHz"));
    if (d->memory_bytes.known && d->memory_free_bytes.known) {
        snprintf(text, sizeof text, "%s of %s free",
                 fact(a, d->memory_free_bytes, 1.0 / (1 << 30), "GiB"),
                 fact(b, d->memory_bytes, 1.0 / (1 << 30), "GiB"));
        row(wb, inner, &line, "memory", text);
    } else {
        row(wb, inner, &line, "memory", "unknown");
    }
    row(wb, inner, &line, "power", fact(text, d->power_w, 1, "W"));
    row(wb, inner, &line, "temperature", fact(text, d->temperature_c, 1, "C"));
}

void device_heading(const struct workbench *wb, char *text, int size)
{
    snprintf(text, (size_t)size, "%s", wb->experiment.backend->device == CA_CUDA ? "CUDA" : "CPU");
}
