/* SPDX-License-Identifier: MIT */
/* This file counts the allocations that jansson did not get, and reads members. */
#include "core/files/json.h"

#include <stdatomic.h>
#include <stdlib.h>

static void *(*take)(size_t);
static atomic_uint shortages;

static void *take_and_count(size_t bytes)
{
    void *memory = take(bytes);

    if (!memory)
        shortages++;
    return memory;
}

void ca_json_watch_memory(void *(*allocate)(size_t))
{
    take = allocate;
    json_set_alloc_funcs(take_and_count, free);
}

unsigned ca_json_shortages(void) { return shortages; }

enum ca_status ca_json_parse(json_t **json, const char *text, size_t size, size_t flags,
                             json_error_t *cause)
{
    unsigned before = shortages;

    *json = json_loadb(text, size, flags, cause);
    if (shortages == before)
        return *json ? CA_OK : CA_IO;
    json_decref(*json);
    *json = NULL;
    shortages = before; /* the caller is told */
    return CA_NO_MEMORY;
}

const char *ca_json_member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

double ca_json_number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}
