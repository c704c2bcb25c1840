/* SPDX-License-Identifier: MIT */
/*
 * Lists of patterns: a libconfig file whose list `patterns` has a group for each, with its name,
 * what it is (title) and where it is from (origin), and the experiment as which it opens, by the
 * keys of an experiment file. Files are named from the folder of the list. `period` and `moves` say
 * after how many generations a pattern is what it was, and by how many cells it has moved then.
 */
#ifndef CALAB_CORE_SIM_PATTERN_LIST_H
#define CALAB_CORE_SIM_PATTERN_LIST_H

#include "core/sim/shipped.h"

/* Adds each pattern of a list, also one that is wrong; of a list that cannot be read one entry that
 * says so; nothing where there is no file. CA_NO_MEMORY. */
enum ca_status ca_pattern_list_add(struct ca_shipped **list, int *count, const char *path,
                                   struct ca_error *error);
/* Reads the experiment of the pattern of that name over an experiment, as ca_experiment_read does.
 * CA_SETTINGS where the list has no such pattern. */
enum ca_status ca_pattern_list_read(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                    const char *path, const char *name, struct ca_error *error);

#endif
