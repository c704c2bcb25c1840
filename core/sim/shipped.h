/* SPDX-License-Identifier: MIT */
/*
 * The experiment files that are found without being named: those of ./configs, as in the source
 * tree, and those that were installed with the program.
 */
#ifndef CALAB_CORE_SIM_SHIPPED_H
#define CALAB_CORE_SIM_SHIPPED_H

#include "core/sim/experiment.h"

#define CA_TITLE_MAX 200

struct ca_shipped {
    char *path;
    const char *name;         /* in path, without folder */
    char title[CA_TITLE_MAX]; /* the first line of its first comment, "" */
    bool is_benchmark;        /* a file of cases for calab bench */
    /* NULL: it is a benchmark, or wrong, and `error` says why. */
    const struct ca_model *model;
    char look_for[CA_TEXT_MAX]; /* "": not said */
    struct ca_error error;
};

/* A folder of such files, whether it exists or not: i = 0 ./configs, 1 the installed one; NULL
 * beyond. */
const char *ca_shipped_folder(int i);
/* Reads all of them, by folder and name; of a name that both folders have, both. The array is
 * malloc'd; CA_NO_MEMORY. */
enum ca_status ca_shipped_find(struct ca_shipped **list, int *count, struct ca_error *error);
void ca_shipped_free(struct ca_shipped *list, int count); /* takes NULL */

#endif
