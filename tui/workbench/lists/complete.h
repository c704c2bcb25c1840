/* SPDX-License-Identifier: MIT */
/* Tab in a prompt: the line grows as far as all candidates agree. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_COMPLETE_H
#define CALAB_TUI_WORKBENCH_LISTS_COMPLETE_H

#include "core/model/param.h"
#include "tui/complete.h"

struct workbench;

/* Offers what can stand in an argument. */
typedef void candidates(struct workbench *wb, struct completion *completion);

candidates model_words, backend_words, backends_words, start_words, speed_words, range_words,
    set_words, file_words, open_words;
void start_complete(struct workbench *wb, char *text, char *message, int size);
void value_complete(const struct ca_param *param, char *text, char *message, int size);
void file_complete(struct workbench *wb, char *text, char *message, int size);
/* Puts what all candidates begin with in place of the word that they complete. */
void completion_extend(const struct completion *completion, char *text, char *message, int size);

#endif
