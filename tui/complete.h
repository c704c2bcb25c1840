/* SPDX-License-Identifier: MIT */
/* A word that is being typed is completed from the names, choices and lists of the program's own
 * tables. The shells, by `calab --complete`, and the command line of the workbench both ask
 * here. */
#ifndef CALAB_TUI_COMPLETE_H
#define CALAB_TUI_COMPLETE_H

#include "core/model/model.h"

/* The candidates for one word: whole words that begin with it, each once, in the order in which
 * they were offered. */
struct completion {
    const char *typed; /* the word so far */
    size_t from;       /* the part that is completed begins here; what is before stays */
    bool files;        /* of values that are files, those that there are; a shell knows better */
    char **word;
    int count;
};

void completion_begin(struct completion *completion, const char *typed);
/* Frees the candidates. */
void completion_end(struct completion *completion);
/* Only what stands behind the last of these characters is completed from now on. */
void completion_after(struct completion *completion, const char *separators);
/* Offers a text for that part; one that does not begin with what is typed is no candidate. Without
 * memory there is none either. */
void completion_offer(struct completion *completion, const char *text);

void complete_models(struct completion *completion);
/* Its starts, and its patterns. */
void complete_starts(struct completion *completion, const struct ca_model *model);
/* Experiments, without their ending, and patterns that ship. */
void complete_shipped(struct completion *completion);
void complete_backends(struct completion *completion, const struct ca_model *model);
/* The values worth trying: choices, or the default and what bench --tune tries, or files. */
void complete_value(struct completion *completion, const struct ca_param *param);
/* "KEY=" of each row, and behind a key that is typed its values. */
void complete_settings(struct completion *completion, const struct ca_param *table);
/* A list of [HOST:]BACKEND[/OPTION=VALUE...], separated by commas. */
void complete_specs(struct completion *completion, const struct ca_model *model);
/* "FIELD:", of a file that takes a field. */
void complete_fields(struct completion *completion, const struct ca_model *model);
/* Files and folders; a folder ends in '/'. What begins with a dot only where that is typed. */
void complete_files(struct completion *completion);
/* Files that may describe a model, and, once something is typed, folders. */
void complete_model_files(struct completion *completion);

#endif
