/* SPDX-License-Identifier: MIT */
/* This panel shows the comparison below the lattices of a split, and the part of line 1 about
 * it. */
#include "tui/workbench/panels/panels.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/base/statistics.h"
#include "tui/table.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/terminal/timeline.h"

/* --- equality --------------------------------------------------------------------------------- */

char *compare_headline(const struct workbench *wb, char text[96])
{
    const struct split *s = split_of(wb);
    char at[CA_QUANTITY_TEXT], checks[CA_QUANTITY_TEXT];

    if (s->phase == SPLIT_SEND)
        state_progress(wb, text, 96);
    else if (s->phase < SPLIT_READY && s->checks == 0)
        snprintf(text, 96, "opening");
    else if (split_incomparable(wb))
        snprintf(text, 96, "not compared");
    else if (s->differs && s->find == FIND_DONE)
        ca_differ_headline(text, &s->differ.result, s->differ.start.model);
    else if (s->differs)
        snprintf(text, 96, "DIFFER at %s", ca_thousands(at, s->differs_at));
    else if (s->checks == 0)
        snprintf(text, 96, "comparing");
    else
        snprintf(text, 96, "= EQUAL at %s, %sx", ca_thousands(at, s->equal_at),
                 ca_thousands(checks, s->checks));
    return text;
}

static void difference(const struct workbench *wb, char *text, size_t size)
{
    const struct split *s = split_of(wb);
    char at[CA_QUANTITY_TEXT], checks[CA_QUANTITY_TEXT], before[CA_QUANTITY_TEXT], progress[64];

    if (s->find == FIND_DONE) {
        ca_differ_sentence(text, size, &s->differ.result, s->differ.start.model,
                           wb->panes[0].experiment.backend->name,
                           wb->panes[1].experiment.backend->name);
        return;
    }
    if (s->checks > 1)
        snprintf(text, size, "DIFFER at %s, equal at %s, %s checks before",
                 ca_thousands(at, s->differs_at), ca_thousands(before, s->equal_at),
                 ca_thousands(checks, s->checks - 1));
    else
        snprintf(text, size, "DIFFER at %s, at the first check", ca_thousands(at, s->differs_at));
    if (s->find == FIND_UNDER_WAY)
        ca_text_add(text, size, "; searching: %s", ca_differ_progress(progress, &s->differ));
    else if (s->find == FIND_STOPPED)
        ca_text_add(text, size, "; the search was stopped");
    else if (s->no_mark[0])
        ca_text_add(text, size, "; no state was kept to go back to: %.300s", s->no_mark);
}

static enum style equality(const struct workbench *wb, char *text, size_t size)
{
    const struct split *s = split_of(wb);
    char at[CA_QUANTITY_TEXT], checks[CA_QUANTITY_TEXT], call[CA_QUANTITY_TEXT];
    const char *why = split_incomparable(wb);

    if (s->trouble[0])
        snprintf(text, size, "%s", s->trouble);
    else if (why)
        snprintf(text, size, "not compared: %s", why);
    else if (s->differs)
        difference(wb, text, size);
    else if (s->checks == 0)
        snprintf(text, size, "not compared yet");
    else if (s->checks == 1)
        snprintf(text, size, "equal: the hashes agree at %s; checked once",
                 ca_thousands(at, s->equal_at));
    else
        snprintf(text, size, "equal: the hashes agree at %s; checked %s times, now every %s%s",
                 ca_thousands(at, s->equal_at), ca_thousands(checks, s->checks),
                 s->call == 1 ? "generation" : ca_thousands(call, s->call),
                 s->call == 1 ? "" : " generations");
    return s->differs || s->trouble[0] ? STYLE_ALARM : STYLE_PLAIN;
}

/* --- the row of a side ------------------------------------------------------------------------ */

struct row {
    double rate, p50, p99; /* NAN: unknown */
    double copy, logic;    /* shares of what the device can do at most */
};

/* All from the calls of the bursts that nobody disturbed. */
static struct row compare_panel_row_of(const struct workbench *wb, int side)
{
    const struct split_samples *samples = &split_of(wb)->samples[side];
    const struct ca_wire_timing *timing = figures_timing(&wb->panes[side]);
    double sorted[SPLIT_SAMPLES], scale;
    int n = samples->count < SPLIT_SAMPLES ? samples->count : SPLIT_SAMPLES;
    struct row row = {NAN, NAN, NAN, NAN, NAN};

    if (n == 0)
        return row;
    memcpy(sorted, samples->step_s, (size_t)n * sizeof *sorted);
    ca_sort(sorted, n);
    row.p50 = ca_median(sorted, n);
    row.p99 = sorted[(int)ceil(0.99 * n) - 1];
    row.rate = (double)ca_cells(wb->panes[side].experiment.size) / row.p50;
    if (timing->figures.count == 0 || timing->figures.cells_per_s <= 0)
        return row;
    scale = row.rate / timing->figures.cells_per_s;
    row.copy = timing->copy_share * scale;
    row.logic = timing->logic_share * scale;
    return row;
}

#define FIGURES 33 /* columns of letter, rate, p50 and p99 */
#define SHARES 14  /* of the shares of the ceilings */
#define BAR_MIN 9  /* the width of their heading */
#define BAR_MAX 60

struct sides {
    struct row row[2];
    int columns; /* of the panel */
};

static bool has_shares(const void *sides)
{
    return ((const struct sides *)sides)->columns >= FIGURES + SHARES;
}

static bool has_bars(const void *sides)
{
    return ((const struct sides *)sides)->columns >= FIGURES + SHARES + BAR_MIN + 4;
}

static void c_side(char text[TABLE_CELL], const void *sides, int side)
{
    (void)sides;
    snprintf(text, TABLE_CELL, " %c", 'A' + side);
}

static void c_bar(char text[TABLE_CELL], const void *sides, int side)
{
    (void)sides, (void)side;
    text[0] = '\0'; /* is drawn in a colour of its own */
}

/* A side that has no rate yet has no shares. */
static int shares_remark(char text[TABLE_CELL], const void *sides, int side)
{
    text[0] = '\0';
    return isnan(((const struct sides *)sides)->row[side].rate) ? 4 : -1;
}

static char *side_line(char text[128], const struct sides *sides, int side)
{
    static const struct table_column columns[] = {
        {"", .cell = c_side, .width = 2, .left = true},
        {"rate", .offset = offsetof(struct row, rate), .kind = TABLE_RATE, .width = 11, .gap = 1},
        {"step p50", .offset = offsetof(struct row, p50), .kind = TABLE_DURATION, .width = 8},
        {"p99", .offset = offsetof(struct row, p99), .kind = TABLE_DURATION, .width = 8},
        {"%copy", .offset = offsetof(struct row, copy), .kind = TABLE_FIXED, .scale = 100,
         .digits = 1, .width = 6, .gap = 1, .shown = has_shares},
        {"%logic", .offset = offsetof(struct row, logic), .kind = TABLE_FIXED, .scale = 100,
         .digits = 1, .width = 6, .gap = 1, .shown = has_shares},
        {"one scale", .cell = c_bar, .width = 1, .gap = 3, .left = true, .shown = has_bars},
    };
    const struct table table = {columns,
                                sizeof columns / sizeof columns[0],
                                .records = sides->row,
                                .record_bytes = sizeof sides->row[0],
                                .context = sides,
                                .remark = shares_remark};

    return table_line(text, 128, &table, side);
}

char *compare_heading(int columns, char text[128])
{
    return side_line(text, &(struct sides){.columns = columns}, TABLE_HEADING);
}

void compare_row(const struct workbench *wb, int side, int columns, char text[128], char rates[512])
{
    const struct sides sides = {{compare_panel_row_of(wb, 0), compare_panel_row_of(wb, 1)},
                                columns};
    double rate = sides.row[side].rate;
    int width = columns - FIGURES - SHARES - 4;

    side_line(text, &sides, side);
    rates[0] = '\0';
    if (!isnan(rate) && width >= BAR_MIN)
        bar(&wb->palette, rates, 512, rate / fmax(sides.row[0].rate, sides.row[1].rate),
            width < BAR_MAX ? width : BAR_MAX);
}

/* --- the ratio -------------------------------------------------------------------------------- */

static const char *ratio_text(const struct workbench *wb, char *text, size_t size,
                              char verdict[CA_RATIO_VERDICT])
{
    const struct split *s = split_of(wb);
    struct ca_ratio_result result = ca_ratio_result(&s->ratio);

    if (s->no_ratio[0])
        snprintf(text, size, "no ratio: %s", s->no_ratio);
    else if (result.made > 0 && !s->measured && result.unsure)
        snprintf(text, size, "measuring the ratio: %d of %d pairs of bursts count", result.pairs,
                 result.made);
    else if (result.made > 0)
        ca_ratio_sentence(text, size, &result, "A", "B");
    else
        snprintf(text, size, "%s",
                 s->phase == SPLIT_BURST ? "measuring the ratio"
                 : split_busy(wb)        ? "the ratio is measured while both pause"
                                         : "the ratio is not measured yet");
    return result.made == 0 ? "" : s->measured ? ca_ratio_verdict(verdict, &result) : "measuring";
}

/* --- the neighbourhood of the first difference ------------------------------------------------ */

#define GAP 4 /* columns between two of its parts */

static char *value_text(char text[16], double value)
{
    snprintf(text, 16, "%.6g", value);
    return text;
}

static bool alike(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* The state before the first difference, and what each side made of it; columns around the cell,
 * as many as fit. */
static void neighbourhood_draw(const struct workbench *wb, struct rect at,
                               const struct ca_differ_result *r)
{
    const double *parts[] = {r->before[r->plane], r->after[0][r->plane], r->after[1][r->plane]};
    static const char *const names[] = {"before", "A", "B"};
    int width = 2, part_width, columns, first;
    char text[16];

    /* The columns that the longest value takes, with a blank. */
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < r->columns * r->rows; c++) {
            int n = (int)strlen(value_text(text, parts[i][c])) + 1;

            width = n > width ? n : width;
        }
    columns = (at.columns - 1 - 2 * GAP) / 3 / width;
    first = (int)(r->cell.x - r->corner.x) - columns / 2;
    columns = columns < r->columns ? columns : r->columns;
    first = first < 0 ? 0 : first > r->columns - columns ? r->columns - columns : first;
    part_width = columns * width + GAP > 12 ? columns * width + GAP : 12;
    for (int i = 0; i < 3; i++)
        putf(&wb->palette, at.row, at.column + 1 + i * part_width, part_width, STYLE_QUIET, "%s",
             names[i]);
    for (int row = 0; row < r->rows && row + 1 < at.rows; row++)
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < columns; c++) {
                int cell = row * r->columns + first + c;
                bool differs = i > 0 && !alike(parts[1][cell], parts[2][cell]);

                put(&wb->palette, at.row + 1 + row, at.column + 1 + i * part_width + c * width,
                    width - 1, differs ? STYLE_ALARM : STYLE_PLAIN,
                    value_text(text, parts[i][cell]));
            }
}

/* --- the panel -------------------------------------------------------------------------------- */

#define BURSTS " pairs of bursts" /* as core/compare/ratio.h words it, before their lengths */

/* Shortens the sentence where it and the verdict do not fit: the verdict is worth more than how
 * long the bursts are, and why nothing is sure more than how many count. */
static void ratio_shorten(char *text, const char *verdict, int columns)
{
    static const char unsure[] = "unsure";
    char *lengths = strstr(text, BURSTS " of "), *counts = strstr(text, " (");

    if (lengths && text_width(text) + 4 + text_width(verdict) > columns)
        memcpy(lengths, BURSTS ")", sizeof BURSTS ")");
    if (strncmp(verdict, unsure, sizeof unsure - 1) != 0 || text_width(text) + 2 <= columns)
        return;
    if (counts)
        *counts = '\0';
    if (text_width(text) + 2 > columns)
        memmove(text, verdict, strlen(verdict) + 1);
}

char *compare_line(const struct workbench *wb, char text[160])
{
    struct ca_ratio_result result = ca_ratio_result(&split_of(wb)->ratio);
    char headline[96], number[CA_QUANTITY_TEXT];
    bool a = result.median >= 1;

    compare_headline(wb, headline);
    if (result.made == 0 || (result.unsure && !split_of(wb)->measured))
        snprintf(text, 160, "%s", headline);
    else if (result.unsure)
        snprintf(text, 160, "A and B: unsure  %s", headline);
    else if (result.same)
        snprintf(text, 160, "A and B: same speed  %s", headline);
    else
        snprintf(text, 160, "%c is %s x %c  %s", a ? 'A' : 'B',
                 ca_three_digits(number, a ? result.median : 1 / result.median), a ? 'B' : 'A',
                 headline);
    return text;
}

void compare_draw(struct workbench *wb, struct rect area)
{
    struct rect inner = {area.row + 1, area.column + 1, area.rows - 2, area.columns - 2};
    char text[CA_TEXT_MAX + 16], rates[512], verdict_text[CA_RATIO_VERDICT];
    const char *verdict;
    enum style style;
    int used;

    if (area.rows == 1) {
        put(&wb->palette, area.row, area.column + 1, area.columns - 1,
            split_of(wb)->differs ? STYLE_ALARM : STYLE_PLAIN, compare_line(wb, text));
        return;
    }
    if (split_placed(wb)) {
        put_box(&wb->palette, area, "where A and B begin to differ", false);
        equality(wb, text, sizeof text);
        put_wrapped(
            &wb->palette,
            (struct rect){inner.row, inner.column + 1, SPLIT_SENTENCE_LINES, inner.columns - 2},
            STYLE_ALARM, text);
        inner.row += SPLIT_SENTENCE_LINES;
        inner.rows -= SPLIT_SENTENCE_LINES;
        neighbourhood_draw(wb, inner, split_placed(wb));
        return;
    }
    put_box(&wb->palette, area, "A against B: alternating bursts", false);
    put(&wb->palette, inner.row, inner.column, inner.columns, STYLE_QUIET,
        compare_heading(inner.columns, text));
    for (int i = 0; i < 2; i++) {
        compare_row(wb, i, inner.columns, text, rates);
        put(&wb->palette, inner.row + 1 + i, inner.column, inner.columns, STYLE_PLAIN, text);
        put(&wb->palette, inner.row + 1 + i, inner.column + FIGURES + SHARES + 3,
            inner.columns - FIGURES - SHARES - 4, STYLE_GREEN, rates);
    }
    verdict = ratio_text(wb, text, sizeof text, verdict_text);
    ratio_shorten(text, verdict, inner.columns);
    used =
        put(&wb->palette, inner.row + 3, inner.column + 1, inner.columns - 2, STYLE_STRONG, text);
    if (used + 4 + text_width(verdict) <= inner.columns)
        put(&wb->palette, inner.row + 3, inner.column + inner.columns - 1 - text_width(verdict),
            text_width(verdict), STYLE_PLAIN, verdict);
    style = equality(wb, text, sizeof text);
    put_wrapped(&wb->palette,
                (struct rect){inner.row + 4, inner.column + 1, inner.rows - 4, inner.columns - 2},
                style, text);
}
