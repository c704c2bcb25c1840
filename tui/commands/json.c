/* SPDX-License-Identifier: MIT */
/* This file prints JSON to the standard output. */
#include "tui/commands/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/files/json.h"

static unsigned before; /* shortages of memory */

void json_watch_memory(void *(*allocate)(size_t))
{
    ca_json_watch_memory(allocate);
    before = ca_json_shortages();
}

enum ca_status json_check(struct ca_error *error)
{
    if (ca_json_shortages() == before)
        return CA_OK;
    return ca_fail(error, CA_NO_MEMORY, "no memory for the result");
}

enum ca_status json_print(json_t *object, struct ca_error *error)
{
    char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
    enum ca_status status = CA_OK;

    json_decref(object);
    if (!text || ca_json_shortages() != before)
        status = ca_fail(error, CA_NO_MEMORY, "no memory for the result as JSON");
    else if (puts(text) < 0)
        status = ca_fail(error, CA_IO, "cannot write to standard output: %m");
    free(text);
    return status;
}
