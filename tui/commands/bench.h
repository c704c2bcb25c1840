/* SPDX-License-Identifier: MIT */
/* The report of a benchmark, which bench, its output formats, and compare share. */
#ifndef CALAB_TUI_BENCH_H
#define CALAB_TUI_BENCH_H

#include <stdio.h>

#include "core/bench/bench.h"
#include "core/probe/probe.h"
#include "core/machine/provenance.h"

#define BENCH_SCHEMA "calab-bench/2"
/* Saved by earlier versions, with hashes of another kind: XXH3 over the canonical planes. */
#define BENCH_SCHEMA_XXH3 "calab-bench/1"

struct bench_report {
    const struct ca_bench *bench;
    struct ca_provenance provenance;
    struct ca_probe probe;
    bool probed;
    char unprobed[768]; /* why the ceilings are unknown */
    double price;       /* of the machine; 0: not given */
    double watts;       /* of the machine; 0: not given */
    bool verbose;       /* print where the figures come from, and the predictions too */
    char ended[1400];   /* why lines are missing, and which; "" if none is */
};

enum bench_form { BENCH_TABLE, BENCH_CSV, BENCH_MARKDOWN };

/* All columns; of a table with `verbose`, and of CSV always, after lines of "# key: value"; in
 * Markdown these come last and folded. */
void bench_print(FILE *out, const struct bench_report *report, enum bench_form form);
/* A table and a sentence for each lattice, within 80 columns or as Markdown, bench_short.c. */
void bench_print_short(FILE *out, const struct bench_report *report, bool markdown);
/* The lines of "# key: value"; in Markdown folded. */
void bench_print_provenance(FILE *out, const struct bench_report *report);
void bench_print_folded(FILE *out, const struct bench_report *report);
enum ca_status bench_print_json(FILE *out, const struct bench_report *report,
                                struct ca_error *error);

/* Percent of the machine's ceilings, and watts; 0: unknown. */
double bench_copy_percent(const struct bench_report *report, const struct ca_bench_line *line);
double bench_logic_percent(const struct bench_report *report, const struct ca_bench_line *line);
double bench_watts(const struct bench_report *report, const struct ca_bench_line *line);

/* Whether a plot can be written: CA_USAGE for a wrong ending, CA_NO_DEVICE without gnuplot. */
enum ca_status bench_plot_check(const char *path, struct ca_error *error);
/* CA_IO if gnuplot fails. */
enum ca_status bench_plot(const char *path, const struct bench_report *report,
                          struct ca_error *error);

#endif
