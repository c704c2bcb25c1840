/* SPDX-License-Identifier: MIT */
/* This file prints the table of a study of scaling, as text within 80 columns and as Markdown. */
#include <math.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/bench/scaling.h"
#include "tui/commands/bench.h"

#define CELL CA_BENCH_CUT_TEXT
#define CUT_WIDTH 8 /* "64 ranks", "all GPUs": then the table has 80 columns at most */

enum { CUT, RATE, ERROR, TIMES, EFFICIENCY, CEILING, HALO, HIDDEN, EXPOSED, COLUMNS };

static const char *const heads[COLUMNS] = {"cut",     "rate", "+-",     "x first", "effic.",
                                           "ceiling", "halo", "hidden", "exposed"};

typedef char row_text[COLUMNS][CELL];

static void fill_duration(char text[CELL], double seconds)
{
    char duration[CA_QUANTITY_TEXT];

    snprintf(text, CELL, "%s%s", seconds < 0 ? "-" : "",
             isnan(seconds) ? "-" : ca_duration(duration, fabs(seconds)));
}

static void bench_study_fill(row_text row, const struct ca_bench *bench,
                             const struct ca_bench_line *l)
{
    struct ca_bench_scaling s = ca_bench_scaling(bench, l);
    char text[CA_QUANTITY_TEXT];

    ca_bench_cut_text(row[CUT], l);
    snprintf(row[RATE], CELL, "%s",
             l->emulated    ? "emulated"
             : l->wrong > 0 ? "WRONG"
                            : ca_rate(text, ca_bench_mups(l) * 1e6));
    if (l->unsure)
        strcpy(row[ERROR], "unsure");
    else if (l->stats.n >= CA_BENCH_MEDIAN && ca_bench_good(l))
        snprintf(row[ERROR], CELL, "%.0f%%",
                 ceil(196 * ca_bench_repeat_error(&l->stats, l->unsure)));
    else
        strcpy(row[ERROR], "-");
    snprintf(row[TIMES], CELL, "%s",
             s.times.times > 0 ? ca_three_digits(text, s.times.times) : "-");
    if (s.efficiency > 0)
        snprintf(row[EFFICIENCY], CELL, "%.0f%%", 100 * s.efficiency);
    else
        strcpy(row[EFFICIENCY], "-");
    snprintf(row[CEILING], CELL, "%s", ca_rate(text, s.ceiling_mups * 1e6));
    fill_duration(row[HALO], s.predicted_s);
    fill_duration(row[HIDDEN], s.hidden_s);
    fill_duration(row[EXPOSED], s.exposed_s);
}

static bool bench_study_shown(const struct ca_bench *bench, int column)
{
    return column != CEILING || bench->scaling == CA_SCALING_STRONG;
}

static bool in_table(const struct ca_bench_line *l, int study)
{
    return l->study == study && !l->share && l->available;
}

/* In text a cut for which there is no room stands on a line of its own. */
static void bench_study_print_row(FILE *out, const struct ca_bench *bench, row_text row,
                                  const int width[COLUMNS], bool markdown)
{
    if (!markdown && (int)strlen(row[CUT]) > width[CUT])
        fprintf(out, "%s\n%*s", row[CUT], width[CUT], "");
    else
        fprintf(out, markdown ? "| %-*s |" : "%-*s", markdown ? 0 : width[CUT], row[CUT]);
    for (int c = RATE; c < COLUMNS; c++)
        if (bench_study_shown(bench, c))
            fprintf(out, markdown ? " %*s |" : "  %*s", markdown ? 0 : width[c], row[c]);
    putc('\n', out);
}

static void print_table(FILE *out, const struct ca_bench *bench, int study, bool markdown)
{
    int width[COLUMNS];
    row_text row;

    for (int c = 0; c < COLUMNS; c++) {
        snprintf(row[c], CELL, "%s", heads[c]);
        width[c] = (int)strlen(heads[c]);
    }
    for (int i = 0; i < bench->count; i++) {
        row_text cells;

        if (!in_table(&bench->line[i], study))
            continue;
        bench_study_fill(cells, bench, &bench->line[i]);
        for (int c = 0; c < COLUMNS; c++)
            width[c] = (int)strlen(cells[c]) > width[c] ? (int)strlen(cells[c]) : width[c];
    }
    if (width[CUT] > CUT_WIDTH)
        width[CUT] = CUT_WIDTH;
    bench_study_print_row(out, bench, row, width, markdown);
    for (int c = 0; c < COLUMNS; c++)
        strcpy(row[c], c == CUT ? "---" : "---:");
    if (markdown)
        bench_study_print_row(out, bench, row, width, true);
    for (int i = 0; i < bench->count; i++)
        if (in_table(&bench->line[i], study)) {
            bench_study_fill(row, bench, &bench->line[i]);
            bench_study_print_row(out, bench, row, width, markdown);
        }
    if (markdown)
        putc('\n', out);
}

/* --------------------------------------------------------------------------------------------- */

static bool in_study(const struct ca_bench_line *line, int study)
{
    return line->study == study && !line->share;
}

/* The study's first line, NULL: none is left of it. */
static const struct ca_bench_line *first_of(const struct ca_bench *bench, int study)
{
    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].study == study && !bench->line[i].share)
            return &bench->line[i];
    return NULL;
}

static bool any_in_table(const struct ca_bench *bench, int study)
{
    for (int i = 0; i < bench->count; i++)
        if (in_table(&bench->line[i], study))
            return true;
    return false;
}

/* "anneal bitslice, weak scaling from 4096x2048, seed 1, random"; the first cut's lattice. */
static void print_head(FILE *out, const struct ca_bench *bench, const struct ca_bench_line *line,
                       bool markdown)
{
    const struct ca_experiment *e = &line->experiment;
    char what[80];

    snprintf(what, sizeof what, " %.50s, %s scaling%s", e->backend->name,
             ca_scaling_names[bench->scaling], bench->scaling == CA_SCALING_WEAK ? " from" : " of");
    bench_print_head(out, e, what, markdown);
}

void bench_print_studies(FILE *out, const struct ca_bench_report *report, bool markdown)
{
    const struct ca_bench *bench = report->bench;
    char text[1500];

    for (int study = 0; study < bench->studies; study++) {
        const struct ca_bench_line *line = first_of(bench, study);

        if (!line)
            continue;
        print_head(out, bench, line, markdown);
        if (any_in_table(bench, study))
            print_table(out, bench, study, markdown);
        bench_print_absent(out, bench, in_study, study, markdown);
        bench_print_wrapped(out, ca_bench_scaling_sentence(text, sizeof text, bench, study),
                            markdown);
        if (markdown || study + 1 < bench->studies)
            putc('\n', out);
    }
    if (report->ended[0]) {
        snprintf(text, sizeof text, "incomplete: %s", report->ended);
        bench_print_wrapped(out, text, markdown);
    }
    if (markdown)
        bench_print_folded(out, report);
}
