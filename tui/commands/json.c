/* SPDX-License-Identifier: MIT */
/* Owns the memory of JSON and its way to the standard output. */
#include "tui/commands/json.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void *(*take)(size_t);
static atomic_bool was_short;

static void *take_or_remember(size_t bytes)
{
    void *memory = take(bytes);

    if (!memory)
        was_short = true;
    return memory;
}

void json_watch_memory(void *(*allocate)(size_t))
{
    take = allocate;
    was_short = false;
    json_set_alloc_funcs(take_or_remember, free);
}

enum ca_status json_print(json_t *object, struct ca_error *error)
{
    char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
    enum ca_status status = CA_OK;

    json_decref(object);
    if (!text || was_short)
        status = ca_fail(error, CA_NO_MEMORY, "no memory for the result as JSON");
    else if (puts(text) < 0)
        status = ca_fail(error, CA_IO, "cannot write to standard output: %m");
    free(text);
    return status;
}
