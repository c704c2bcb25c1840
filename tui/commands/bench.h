/* SPDX-License-Identifier: MIT */
/* The forms in which the report of a benchmark is written. */
#ifndef CALAB_TUI_BENCH_H
#define CALAB_TUI_BENCH_H

#include <stdio.h>

#include "core/bench/report.h"
#include "tui/table.h"
#include "tui/options.h"

#define BENCH_CELL 128 /* bytes of the texts of options and of what a backend runs */
#define BENCH_SHORT_COLUMNS 7
#define BENCH_STUDY_COLUMNS 9

/* The columns of the full table, of the short one and of a study of scaling, bench_columns.c. */
extern const struct table_column bench_columns[], bench_short_columns[BENCH_SHORT_COLUMNS],
    bench_study_columns[BENCH_STUDY_COLUMNS];
extern const int bench_columns_count; /* at most TABLE_COLUMNS_MAX */

/* The JSON of the lines, a list. CA_NO_MEMORY. */
enum ca_status bench_lines(json_t **lines, const struct ca_bench_report *report,
                           struct ca_error *error);
/* All columns; of a table with `verbose`, and of CSV always, after lines of "# key: value"; in
 * Markdown these come last and folded. CA_NO_MEMORY. */
enum ca_status bench_print(FILE *out, const struct ca_bench_report *report, enum table_form form,
                           struct ca_error *error);
/* A table and a sentence for each lattice, or each study of scaling, within 80 columns or as
 * Markdown. CA_NO_MEMORY. */
enum ca_status bench_print_short(FILE *out, const struct ca_bench_report *report, bool markdown,
                                 struct ca_error *error);

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
