/* SPDX-License-Identifier: MIT */
/*
 * The experiment files and patterns that are found without being named: those of ./configs, as in
 * the source tree, those that were installed with the program, and those that are part of it.
 */
#ifndef CALAB_CORE_SIM_SHIPPED_H
#define CALAB_CORE_SIM_SHIPPED_H

#include <limits.h>

#include "core/sim/experiment.h"

#define CA_TITLE_MAX 200

struct ca_shipped {
    char *path;               /* of the file, of a pattern that of the list */
    const char *name;         /* in path, without folder; of a pattern its own */
    char title[CA_TITLE_MAX]; /* the first line of its first comment, of a pattern what it is; "" */
    bool is_benchmark;        /* a file of cases for calab bench */
    bool is_pattern;          /* one of a list, see below */
    /* NULL: it is a benchmark, or of a model in a file, or wrong, and `error` says why. */
    const struct ca_model *model;
    char file[CA_TITLE_MAX]; /* of a model, as it is written; it is not compiled for a list; "" */
    char look_for[CA_TEXT_MAX]; /* "": not said */
    struct ca_error error;
    /* A pattern has a source, and returns after so many generations (0: never, or unknown), moved
     * by so many cells. */
    char *pattern;
    char origin[CA_TEXT_MAX];
    int period;
    struct ca_at moves;
};

/* A folder of such files, whether it exists or not: i = 0 ./configs, 1 the installed one, 2 the
 * program itself (core/files/embedded.h); NULL beyond. */
const char *ca_shipped_folder(int i);
/* Reads all experiments, by folder and name, and then all patterns, by folder; of a name that both
 * folders have, both, and that of the program only where no folder has it. The array is malloc'd;
 * CA_NO_MEMORY. */
enum ca_status ca_shipped_find(struct ca_shipped **list, int *count, struct ca_error *error);
/* The patterns alone. */
enum ca_status ca_shipped_patterns(struct ca_shipped **list, int *count, struct ca_error *error);
void ca_shipped_free(struct ca_shipped *list, int count); /* takes NULL */
/* Whether it can be opened, as far as that is known without compiling a model. */
bool ca_shipped_is_right(const struct ca_shipped *shipped);
/* Whether it is the first of its name and kind in the list, which goes before others. */
bool ca_shipped_is_first(const struct ca_shipped *list, const struct ca_shipped *shipped);

/* Reads an experiment or a pattern over an experiment, as ca_experiment_read does. */
enum ca_status ca_shipped_read(struct ca_experiment *experiment, struct ca_outputs *outputs,
                               const struct ca_shipped *shipped, struct ca_error *error);
/*
 * The same for `text`: the path of a file, or, where there is none, the name of an experiment that
 * ships, with or without its ending, or else of a pattern.
 */
enum ca_status ca_shipped_open(struct ca_experiment *experiment, struct ca_outputs *outputs,
                               const char *text, struct ca_error *error);
/* The path that `text` is, or, where nothing is there, that of an experiment that ships by that
 * name, which may stand behind "configs/", as in the source tree. Returns path. */
char *ca_shipped_path(char path[PATH_MAX], const char *text);

/* Puts the path of a file of the same name in ./configs or the installed folder in the place of one
 * in the program. */
void ca_shipped_prefer_folders(char path[PATH_MAX]);

/*
 * Begins an experiment with a pattern of its model: takes its start, its rule, and its parameters
 * that shape the initial state, unless they were set from somewhere that goes before `origin`.
 * Where there is no such pattern it fails with the refusal of `name` as a start, and says which
 * pattern may have been meant.
 */
enum ca_status ca_shipped_start(struct ca_experiment *experiment, const char *name,
                                enum ca_origin origin, const struct ca_error *refusal,
                                struct ca_error *error);

/* --- lists of patterns ------------------------------------------------------------------------ */

/*
 * Lists of patterns: a libconfig file whose list `patterns` has a group for each, with its name,
 * what it is (title) and where it is from (origin), and the experiment as which it opens, by the
 * keys of an experiment file. Files are named from the folder of the list. `period` and `moves` say
 * after how many generations a pattern is what it was, and by how many cells it has moved then.
 */

/* Adds each pattern of a list, also one that is wrong; of a list that cannot be read one entry that
 * says so; nothing where there is no file. CA_NO_MEMORY. */
enum ca_status ca_pattern_list_add(struct ca_shipped **list, int *count, const char *path,
                                   struct ca_error *error);
/* Reads the experiment of the pattern of that name over an experiment, as ca_experiment_read does.
 * CA_SETTINGS where the list has no such pattern. */
enum ca_status ca_pattern_list_read(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                    const char *path, const char *name, struct ca_error *error);

#endif
