/* SPDX-License-Identifier: MIT */
/* Two backends on one experiment: their result as text, Markdown or JSON. */
#ifndef CALAB_TUI_RUN_TWO_H
#define CALAB_TUI_RUN_TWO_H

#include "core/compare/pair.h"
#include "tui/commands/result.h"
#include "tui/options.h"

struct two_results {
    struct ca_pair pair;
    struct result result[2];
    char name[2][CA_TEXT_MAX]; /* the backend, with its options where both are the same */
};

/* Runs both and prints the result. CA_WRONG where their states differ, 128 + n after a signal n. */
int run_two(const struct ca_experiment experiment[2], const struct options *options,
            struct ca_error *error);

/* The three forms; of the text and Markdown the two results are lines of a table, two_lines. */
json_t *two_lines(const struct two_results *two);
void two_print_text(FILE *out, const struct two_results *two, const json_t *lines);
void two_print_markdown(FILE *out, const struct two_results *two, const json_t *lines);
json_t *two_json(const struct two_results *two);

#endif
