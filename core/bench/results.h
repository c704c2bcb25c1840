/* SPDX-License-Identifier: MIT */
/* Results of benchmarks, files of bench --json: those of the first line by line against the same
 * work in the others, and two backends by their ratio in each. */
#ifndef CALAB_CORE_BENCH_RESULTS_H
#define CALAB_CORE_BENCH_RESULTS_H

#include <jansson.h>
#include <stdbool.h>

#include "core/base/error.h"
#include "core/compare/ratio.h"

#define CA_RESULTS_MAX 8                              /* files */
extern const char *const ca_ordinals[CA_RESULTS_MAX]; /* "first", "second" ... */

struct ca_results {
    const char *path;
    json_t *root; /* of which the caller holds a reference, also where it is refused; may be NULL */
    json_t *lines;
};

/* Reads a file and checks that its lines have what is compared. Its texts lose what steers a
 * terminal. CA_IO, CA_NO_MEMORY. */
enum ca_status ca_results_open(struct ca_results *results, const char *path,
                               struct ca_error *error);

/* Figures of a line: a positive number, 0 where there is none. Whether its times are no speed. */
double ca_results_figure(const json_t *line, const char *name);
bool ca_results_emulated(const json_t *line);
/* "  ranks=2", "  devices=0,1", or "" of a line that was not cut. Returns text. */
char *ca_results_cut(char text[128], const json_t *line);

/* A line of any file, the lines of all files that are the same work, NULL: none, and how those of
 * all but the first compare with the first one's. */
struct ca_results_row {
    const json_t *any, *line[CA_RESULTS_MAX];
    struct ca_results_verdict {
        double ratio; /* of the rates; 0: unknown */
        char text[CA_RATIO_VERDICT];
        const char *states; /* "equal" or "different"; NULL: they cannot be compared */
    } verdict[CA_RESULTS_MAX];
};

/* Fills the row of a line of file `at`. False if an earlier file has it, whose row it is in. */
bool ca_results_row(struct ca_results_row *row, const struct ca_results file[], int count, int at,
                    const json_t *line);

/* Finds the ratio of backend a's rate to b's in each file on the lattice of a line of a in file
 * `at`; 0: unknown. False if the line is not one of a's, an earlier file has it, or no file knows
 * the ratio. */
bool ca_results_ratio(double ratio[CA_RESULTS_MAX], const struct ca_results file[], int count,
                      const char *a, const char *b, int at, const json_t *line);

#endif
