/* SPDX-License-Identifier: MIT */
/* The forms in which the report of a benchmark is written. */
#ifndef CALAB_TUI_BENCH_H
#define CALAB_TUI_BENCH_H

#include <jansson.h>
#include <stdio.h>

#include "core/bench/report.h"
#include "tui/options.h"

enum bench_form { BENCH_TABLE, BENCH_CSV, BENCH_MARKDOWN };

#define BENCH_CELL 128
#define BENCH_COLUMNS_MAX 64

typedef void bench_cell(char text[BENCH_CELL], const struct ca_bench_report *report,
                        const struct ca_bench_line *line);

/* A column of the full table, bench_columns.c. */
struct bench_column {
    const char *name; /* with the unit */
    const char *key;  /* of the line's figures (core/engine/bench_json.h), "-" where it has none */
    double scale;     /* times which a number is shown, 0: 1 */
    int digits;       /* of it */
    bench_cell *cell; /* in place of a key; or NULL */
    bool (*shown)(const struct ca_bench_report *report); /* NULL: always */
    bool left;
    enum { BENCH_ANY_FORM, BENCH_ONLY_CSV, BENCH_NOT_CSV } form;
};

extern const struct bench_column bench_columns[];
extern const int bench_columns_count; /* at most BENCH_COLUMNS_MAX */

/* `figures` are those of the line. */
void bench_column_text(char text[BENCH_CELL], const struct bench_column *column,
                       const struct ca_bench_report *report, const struct ca_bench_line *line,
                       const json_t *figures);

/* All columns; of a table with `verbose`, and of CSV always, after lines of "# key: value"; in
 * Markdown these come last and folded. CA_NO_MEMORY. */
enum ca_status bench_print(FILE *out, const struct ca_bench_report *report, enum bench_form form,
                           struct ca_error *error);
/* A table and a sentence for each lattice, within 80 columns or as Markdown, bench_short.c. */
void bench_print_short(FILE *out, const struct ca_bench_report *report, bool markdown);
/* The lines of "# key: value"; in Markdown folded. */
void bench_print_provenance(FILE *out, const struct ca_bench_report *report);
void bench_print_folded(FILE *out, const struct ca_bench_report *report);
/* Both short forms share this: words in lines of at most 80 columns, further ones indented, in
 * Markdown in one line; the setup of an experiment, `what` behind the model's name; and "cannot
 * run: a, b: reason", once for each reason, of the lines that are not available among those for
 * which `among` is true. */
void bench_print_wrapped(FILE *out, const char *text, bool markdown);
void bench_print_head(FILE *out, const struct ca_experiment *e, const char *what, bool markdown);
typedef bool bench_among(const struct ca_bench_line *line, int number);
void bench_print_absent(FILE *out, const struct ca_bench *bench, bench_among *among, int number,
                        bool markdown);
/* A table and a sentence for each study of scaling, bench_study.c. */
void bench_print_studies(FILE *out, const struct ca_bench_report *report, bool markdown);

/* --ranks and --devices as cuts; --weak and --strong in the benchmark; and CA_USAGE for a spec none
 * of whose backends has the options of the cuts, choose_many.c. */
enum ca_status bench_cuts(struct ca_bench_cuts *cuts, const struct options *options,
                          struct ca_error *error);
enum ca_status bench_scaling(struct ca_bench *bench, const struct options *options,
                             struct ca_error *error);
enum ca_status bench_nothing_cut(const struct ca_bench_spec *spec, struct ca_error *error);

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
