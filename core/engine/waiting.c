/* SPDX-License-Identifier: MIT */
/*
 * The queue of requests that wait for a job or a trial to end. It is bounded by memory and not by
 * number: a script may send many short requests behind a step, and a few long ones fill a host.
 */
#include "core/engine/state.h"

#include <stdlib.h>
#include <string.h>

struct ca_waiting_request {
    json_t *json;
    size_t bytes;
    struct ca_waiting_request *next;
};

/* The bytes that a value takes in memory, estimated from above. Values are nested no deeper than
 * jansson's parser allows. */
static size_t json_bytes(const json_t *json)
{
    size_t bytes = 64, i;
    const json_t *value;
    const char *key;

    switch (json_typeof(json)) {
    case JSON_STRING:
        return bytes + json_string_length(json);
    case JSON_ARRAY:
        bytes += 64;
        json_array_foreach(json, i, value) bytes += 16 + json_bytes(value);
        return bytes;
    case JSON_OBJECT:
        bytes += 192;
        json_object_foreach((json_t *)json, key, value) bytes +=
            128 + strlen(key) + json_bytes(value);
        return bytes;
    default:
        return bytes;
    }
}

bool ca_waiting_add(struct ca_waiting *waiting, json_t *json, size_t most)
{
    size_t bytes = json_bytes(json);
    struct ca_waiting_request *request;

    if (waiting->bytes + bytes > most)
        return false;
    request = malloc(sizeof *request);
    if (!request)
        return false;
    *request = (struct ca_waiting_request){.json = json_incref(json), .bytes = bytes};
    if (waiting->last)
        waiting->last->next = request;
    else
        waiting->first = request;
    waiting->last = request;
    waiting->bytes += bytes;
    return true;
}

json_t *ca_waiting_take(struct ca_waiting *waiting)
{
    struct ca_waiting_request *request = waiting->first;
    json_t *json;

    if (!request)
        return NULL;
    json = request->json;
    waiting->bytes -= request->bytes;
    waiting->first = request->next;
    if (!waiting->first)
        waiting->last = NULL;
    free(request);
    return json;
}

void ca_waiting_free(struct ca_waiting *waiting)
{
    for (json_t *json = ca_waiting_take(waiting); json; json = ca_waiting_take(waiting))
        json_decref(json);
}
