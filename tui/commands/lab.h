/* SPDX-License-Identifier: MIT */
/* `calab lab check` and `calab lab watch` print reports by these. */
#ifndef CALAB_TUI_COMMANDS_LAB_H
#define CALAB_TUI_COMMANDS_LAB_H

#include <jansson.h>

#include "core/lab/check/check.h"
#include "tui/options.h"

void lab_print(const struct ca_lab *lab, const struct ca_lab_report *report);
json_t *lab_json(const struct ca_lab *lab, const struct ca_lab_report *report);
/* Whether a task's lab.cfg cannot be read: `error` tells of the last, and standard error of those
 * before it. */
bool lab_tasks_are_wrong(struct ca_error *error);
/* Whether the operands are a folder alone, which the workbench opens. */
bool lab_is_folder(const struct options *options);
/* The verb watch: the exit status. */
int lab_watch(const struct options *options, struct ca_error *error);
/* The verb who. */
int lab_who(const struct options *options, struct ca_error *error);

/* "512x512: 1.2 ms a generation, threads 0.9 ms; threads is 1.3 x kernel.c (1.2 ... 1.4, ...)", or
 * why it was not timed, or does not count. Returns text. */
char *lab_time_sentence(char *text, size_t size, const struct ca_lab *lab,
                        const struct ca_lab_timing *timing);
json_t *lab_time_json(const struct ca_lab *lab, const struct ca_lab_timing *timing);

#endif
