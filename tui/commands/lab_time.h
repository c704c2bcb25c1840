/* SPDX-License-Identifier: MIT */
/* The time of a lab's kernel beside a backend, as a sentence and as JSON. */
#ifndef CALAB_TUI_COMMANDS_LAB_TIME_H
#define CALAB_TUI_COMMANDS_LAB_TIME_H

#include <jansson.h>

#include "core/lab/time/time.h"

/* "512x512: 1.2 ms a generation, threads 0.9 ms; threads is 1.3 x kernel.c (1.2 ... 1.4, ...)", or
 * why it was not timed, or does not count. Returns text. */
char *lab_time_sentence(char *text, size_t size, const struct ca_lab *lab,
                        const struct ca_lab_timing *timing);
json_t *lab_time_json(const struct ca_lab *lab, const struct ca_lab_timing *timing);

#endif
