/* SPDX-License-Identifier: MIT */
/* The forms in which the report of a benchmark is written. */
#ifndef CALAB_TUI_BENCH_H
#define CALAB_TUI_BENCH_H

#include <stdio.h>

#include "core/bench/report.h"

enum bench_form { BENCH_TABLE, BENCH_CSV, BENCH_MARKDOWN };

#define BENCH_CELL 128
#define BENCH_COLUMNS_MAX 64

/* A column of the full table, bench_columns.c. */
struct bench_column {
    const char *name; /* with the unit */
    void (*cell)(char text[BENCH_CELL], const struct ca_bench_report *report,
                 const struct ca_bench_line *line);
    bool (*shown)(const struct ca_bench_report *report); /* NULL: always */
    bool left;
    enum { BENCH_ANY_FORM, BENCH_ONLY_CSV, BENCH_NOT_CSV } form;
};

extern const struct bench_column bench_columns[];
extern const int bench_columns_count; /* at most BENCH_COLUMNS_MAX */

/* All columns; of a table with `verbose`, and of CSV always, after lines of "# key: value"; in
 * Markdown these come last and folded. */
void bench_print(FILE *out, const struct ca_bench_report *report, enum bench_form form);
/* A table and a sentence for each lattice, within 80 columns or as Markdown, bench_short.c. */
void bench_print_short(FILE *out, const struct ca_bench_report *report, bool markdown);
/* The lines of "# key: value"; in Markdown folded. */
void bench_print_provenance(FILE *out, const struct ca_bench_report *report);
void bench_print_folded(FILE *out, const struct ca_bench_report *report);
#define BENCH_FIGURE "rates" /* what a plot shows unless --figure names another */
/* The name of figure i, NULL after the last. */
const char *bench_figure(const void *none, int i);
/* Whether a plot of that figure can be written: CA_USAGE for a wrong name or ending, CA_NO_DEVICE
 * without gnuplot. */
enum ca_status bench_plot_check(const char *path, const char *figure, struct ca_error *error);
/* CA_USAGE where the figure needs what the planned lines do not have. */
enum ca_status bench_plot_needs(const char *figure, const struct ca_bench_report *report,
                                struct ca_error *error);
/* CA_IO if gnuplot fails, CA_WRONG where no line has the figure. */
enum ca_status bench_plot(const char *path, const char *figure,
                          const struct ca_bench_report *report, struct ca_error *error);

#endif
