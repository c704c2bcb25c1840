/* SPDX-License-Identifier: MIT */
/* The forms in which the report of a benchmark is written. */
#ifndef CALAB_TUI_BENCH_H
#define CALAB_TUI_BENCH_H

#include <stdio.h>

#include "core/bench/report.h"

enum bench_form { BENCH_TABLE, BENCH_CSV, BENCH_MARKDOWN };

/* All columns; of a table with `verbose`, and of CSV always, after lines of "# key: value"; in
 * Markdown these come last and folded. */
void bench_print(FILE *out, const struct ca_bench_report *report, enum bench_form form);
/* A table and a sentence for each lattice, within 80 columns or as Markdown, bench_short.c. */
void bench_print_short(FILE *out, const struct ca_bench_report *report, bool markdown);
/* The lines of "# key: value"; in Markdown folded. */
void bench_print_provenance(FILE *out, const struct ca_bench_report *report);
void bench_print_folded(FILE *out, const struct ca_bench_report *report);
/* Whether a plot can be written: CA_USAGE for a wrong ending, CA_NO_DEVICE without gnuplot. */
enum ca_status bench_plot_check(const char *path, struct ca_error *error);
/* CA_IO if gnuplot fails. */
enum ca_status bench_plot(const char *path, const struct ca_bench_report *report,
                          struct ca_error *error);

#endif
