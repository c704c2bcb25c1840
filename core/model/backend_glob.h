/* SPDX-License-Identifier: MIT */
/* Lists of backends by name or wildcard: "threads,bitslice*", as fnmatch(3) reads them. */
#ifndef CALAB_CORE_MODEL_BACKEND_GLOB_H
#define CALAB_CORE_MODEL_BACKEND_GLOB_H

#include "core/model/model.h"

/* Whether the list contains a name. */
bool ca_backend_glob(const char *patterns, const char *name);
/* Whether an item of the list is this name itself. */
bool ca_glob_names(const char *list, const char *name);
/* CA_USAGE for an item that is neither auto, cpu or cuda, nor a pattern that matches a backend of
 * the models (ends with NULL), with the nearest name. `where` opens the message. */
enum ca_status ca_backend_glob_check(const char *patterns, const struct ca_model *const models[],
                                     const char *where, struct ca_error *error);
/* CA_USAGE for a comma without something on both sides of it. `where` opens the message. */
enum ca_status ca_list_check(const char *list, const char *where, struct ca_error *error);
/* The next of a list's items into item, cut to CA_TEXT_MAX - 1 bytes; NULL behind the last. */
const char *ca_glob_next(const char *list, char item[CA_TEXT_MAX]);

#endif
