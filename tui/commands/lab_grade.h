/* SPDX-License-Identifier: MIT */
/* The grades of a class as one JSON object, calab-lab-grade/1, and what is printed of it. */
#ifndef CALAB_TUI_COMMANDS_LAB_GRADE_H
#define CALAB_TUI_COMMANDS_LAB_GRADE_H

#include <jansson.h>

#include "core/lab/grade/grade.h"
#include "tui/table.h"
#include "tui/options.h"

int lab_grade(const struct options *options, struct ca_error *error);
int lab_calibrate(const struct options *options, struct ca_error *error);

/* lab_grade_print.c. */
void lab_grade_print(const json_t *root, enum table_form form);
/* A report for each student, FOLDER/NAME.md, that says nothing of the secret cases but how many are
 * right. One that cannot be written gives its row a text, no_report, and the others are written:
 * CA_IO. */
enum ca_status lab_grade_reports(json_t *root, const char *folder, struct ca_error *error);

#endif
