/* SPDX-License-Identifier: MIT */
/* JSON on the standard output: the whole of it or none. */
#ifndef CALAB_TUI_COMMANDS_JSON_H
#define CALAB_TUI_COMMANDS_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "core/base/error.h"

/* Has jansson take its memory from `allocate` (core/files/json.h), and remembers from now on
 * whether it got none. */
void json_watch_memory(void *(*allocate)(size_t));

/* CA_NO_MEMORY where memory was short since json_watch_memory. */
enum ca_status json_check(struct ca_error *error);
/* Prints an object, which it frees. CA_IO; CA_NO_MEMORY where it is NULL or memory was short since
 * json_watch_memory; nothing has been printed then. */
enum ca_status json_print(json_t *object, struct ca_error *error);

#endif
