/* SPDX-License-Identifier: MIT */
/* What tests of many submissions share: which of them are handed in, and what must be said. */
#ifndef CALAB_TESTS_SUBMISSIONS_H
#define CALAB_TESTS_SUBMISSIONS_H

#include <stdbool.h>

#include "tests/support/program.h"

/* On a machine that others use as well a check may take minutes, and says nothing. */
extern const struct surroundings submission_patience;

/* Whether number i of `all` is handed in: `sample` of them by CALAB_SEED; all with
 * CALAB_SUBMISSIONS=all, and with CALAB_SUBMISSIONS=WORD those whose name has it. */
bool submission_taken(const char *name, int i, int all, int sample);
/* Whether the words, separated by '|', are in the text. */
bool submission_says(const char *text, const char *words);

#endif
