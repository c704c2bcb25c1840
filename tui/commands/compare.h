/* SPDX-License-Identifier: MIT */
/* Saved benchmarks, and what is compared of them. */
#ifndef CALAB_TUI_COMPARE_H
#define CALAB_TUI_COMPARE_H

#include <jansson.h>

#include "tui/options.h"

/* A file of bench --json, whose lines have been checked. */
struct compare_side {
    const char *path;
    json_t *root, *lines;
};

/* "first" ... "eighth". */
extern const char *const compare_ordinal[OPERANDS_MAX];

/* A text member, "" where there is none. */
const char *compare_text(const json_t *json, const char *name);
/* A positive number, 0 where there is none. */
double compare_figure(const json_t *line, const char *name);
/* The backend of a line. */
const char *compare_backend(const json_t *line);
/* "512x512". Returns text. */
char *compare_size(char text[64], const json_t *experiment);
/* Whether two lines have the same experiment, but for backend and options, and label. */
bool compare_same_work(const json_t *a, const json_t *b);
/* Whether two lines were cut in as many slabs. */
bool compare_same_ranks(const json_t *a, const json_t *b);
/* "  ranks=2", "  devices=0,1", or "" of a line that was not cut. Returns text. */
char *compare_cut(char text[128], const json_t *line);
/* The lines of "# first: ...". */
void compare_print_files(const struct compare_side side[], int count);

/*
 * The rates of one backend by those of another, "A,B", on each lattice of each file: a table, JSON,
 * and with --plot bars by machine; compare_ratio.c. CA_USAGE, CA_IO, CA_WRONG where no file has
 * lines of both with figures.
 */
enum ca_status compare_ratio_check(const struct options *options, struct ca_error *error);
enum ca_status compare_ratio(const struct compare_side side[], int count,
                             const struct options *options, struct ca_error *error);

#endif
