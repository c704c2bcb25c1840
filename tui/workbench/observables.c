/* SPDX-License-Identifier: MIT */
/* Owns the observables panel: sums over the whole lattice, and an alarm for a violated invariant.
 */
#include "tui/workbench/app.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The width of the longest name, at most half of the panel. */
static int name_width(const struct ca_observable *table, int columns)
{
    int width = 4;

    for (int i = 0; table[i].name; i++) {
        int n = (int)strlen(table[i].name) + 2;

        width = n > width ? n : width;
    }
    return width > columns / 2 ? columns / 2 : width;
}

/* A unit that does not fit is left out, because a cut one could be read as another unit. */
static void value_format(char *text, size_t size, double value, const char *unit, int width)
{
    int used = snprintf(text, size, "%.9g", value);

    if (unit && used + 1 + (int)strlen(unit) <= width)
        snprintf(text + used, size - (size_t)used, " %s", unit);
}

/* Which generation the values are of, if it is not the one that is drawn, and what they cost. */
static void draw_cost(struct pane *pane, struct rect inner, int line)
{
    const struct observed *o = &pane->observed;
    char cost[64] = "", text[160];

    if (isfinite(o->seconds))
        snprintf(cost, sizeof cost, "%.3g ms %s", o->seconds * 1e3,
                 o->in_place ? "in place" : "by rows through the host");
    if (pane->frame.known && pane->frame.picture.generation != o->generation)
        snprintf(text, sizeof text, "of generation %llu%s%s", (unsigned long long)o->generation,
                 cost[0] ? ", " : "", cost);
    else
        snprintf(text, sizeof text, "%s", cost);
    put(&pane->wb->palette, inner.row + line, inner.column + 1, inner.columns - 2, STYLE_QUIET,
        text);
}

void observables_draw(struct pane *pane, struct rect inner)
{
    const struct ca_observable *table = pane->experiment.model->observables;
    const struct observed *o = &pane->observed;
    int width = name_width(table, inner.columns), count = 0, line = 0;
    bool two_lines;
    char text[1200];

    while (table[count].name)
        count++;
    two_lines = inner.rows >= 2 * count;
    for (int i = 0; i < count && line < inner.rows; i++) {
        bool broken = o->broken == i && o->known;
        int row = inner.row + line++, value_width = inner.columns - 1 - width, used;

        put(&pane->wb->palette, row, inner.column + 1, width, STYLE_QUIET, table[i].name);
        if (!o->known) {
            put(&pane->wb->palette, row, inner.column + 1 + width, 1, STYLE_QUIET, "-");
            continue;
        }
        value_format(text, sizeof text, o->value[i], broken ? "VIOLATED" : table[i].unit,
                     broken ? INT_MAX : value_width);
        used = put(&pane->wb->palette, row, inner.column + 1 + width, value_width,
                   broken ? STYLE_ALARM : STYLE_PLAIN, text);
        if (two_lines) {
            sparkline(pane->wb, &o->history[i], inner.columns - 2, text, sizeof text);
            put(&pane->wb->palette, inner.row + line++, inner.column + 1, inner.columns - 2,
                STYLE_GREEN, text);
        } else if (!broken && inner.columns - 2 - width - used > 4) {
            sparkline(pane->wb, &o->history[i], inner.columns - 3 - width - used, text,
                      sizeof text);
            put(&pane->wb->palette, row, inner.column + 2 + width + used,
                inner.columns - 3 - width - used, STYLE_GREEN, text);
        }
    }
    if (o->known && line < inner.rows)
        draw_cost(pane, inner, line);
}
