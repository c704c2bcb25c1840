/* SPDX-License-Identifier: MIT */
/* The grades of a class as one JSON object, calab-lab-grade/1, and what is printed of it. */
#ifndef CALAB_TUI_COMMANDS_LAB_GRADE_H
#define CALAB_TUI_COMMANDS_LAB_GRADE_H

#include <jansson.h>
#include <stdio.h>

#include "core/lab/grade/grade.h"
#include "tui/table.h"
#include "tui/options.h"

int lab_grade(const struct options *options, struct ca_error *error);
int lab_calibrate(const struct options *options, struct ca_error *error);

/* lab_grade_class.c: counts anew what stands over a class. */
void lab_grade_count(json_t *root);
/* Lists the pairs of submissions that have equal runs of tokens, beyond those of a folder with the
 * task as it is handed out ("": none). CA_NO_MEMORY. */
enum ca_status lab_grade_compare(json_t *root, const char *skeleton, struct ca_error *error);
/* Whether a submission lacks points that another machine could give it: of a wrong kernel those for
 * speed and structure are known. */
bool lab_grade_lacks(const json_t *one);

/* lab_grade_print.c. */
void lab_grade_print(const json_t *root, enum table_form form);
/* A report for each student, FOLDER/NAME.md, that says nothing of the secret cases but how many are
 * right. One that cannot be written gives its row a text, no_report, and the others are written:
 * CA_IO. */
enum ca_status lab_grade_reports(json_t *root, const char *folder, struct ca_error *error);

/* lab_platforms.c. */

/* How long students see nothing of the secret cases, and of the speed, which only those have that
 * are right in all of them. */
struct lab_until {
    const char *visibility; /* of Gradescope's test cases */
    bool shown;             /* they see it already; JUnit has no other way */
    char how_long[40];      /* "until 2027-01-31" */
};
/* Reads now, due, published (also for NULL), never, or a day. CA_USAGE. */
enum ca_status lab_until_read(struct lab_until *until, const char *text, struct ca_error *error);
/* Prints Gradescope's results.json of the one submission that there is; CA_USAGE with more. */
enum ca_status lab_gradescope_print(const json_t *root, const struct lab_until *until,
                                    struct ca_error *error);
/* Writes JUnit's XML: a suite for each submission. CA_NO_MEMORY. */
enum ca_status lab_junit_put(FILE *out, const json_t *root, const struct lab_until *until,
                             struct ca_error *error);

#endif
