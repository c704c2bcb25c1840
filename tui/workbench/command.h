/* SPDX-License-Identifier: MIT */
/* The command line: its verbs, which command.c has in one table, and what completes them. */
#ifndef CALAB_TUI_WORKBENCH_COMMAND_H
#define CALAB_TUI_WORKBENCH_COMMAND_H

#include "tui/complete.h"

struct workbench;

/* Offers what can stand in an argument. */
typedef void candidates(struct workbench *wb, struct completion *completion);

struct verb {
    const char *name, *arguments, *help;
    void (*run)(struct workbench *wb, const char *argument);
    candidates *complete; /* NULL: nothing */
    bool needs_argument;
};

extern const struct verb verbs[]; /* ends with name NULL */

/* The verb that a line begins with, NULL for none, and where its argument begins. */
const struct verb *verb_find(const char *line, const char **argument);

/* command_complete.c: arguments of the verbs, and Tab in a prompt. */
candidates model_words, backend_words, backends_words, start_words, speed_words, range_words,
    set_words, file_words, open_words, b_words;
void line_complete(struct workbench *wb, char *text, char *message, int size);
void start_complete(struct workbench *wb, char *text, char *message, int size);
void value_complete(const struct ca_param *param, char *text, char *message, int size);
void file_complete(struct workbench *wb, char *text, char *message, int size);

#endif
