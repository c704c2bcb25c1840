/* SPDX-License-Identifier: MIT */
/* The requests that an engine has read and cannot carry out yet, in the order in which they came,
 * and the memory that they take. */
#ifndef CALAB_CORE_ENGINE_WAITING_H
#define CALAB_CORE_ENGINE_WAITING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* 64 MiB: some 100,000 short requests. */
#define CA_WAITING_MAX ((size_t)64 << 20)

struct ca_waiting {
    struct ca_waiting_request *first, *last; /* NULL: none waits */
    size_t bytes;                            /* of memory that all of them take, estimated */
};

/* Appends a request. False, and nothing has changed, where all of them would take more than `most`
 * bytes, or memory lacks. */
bool ca_waiting_add(struct ca_waiting *waiting, json_t *json, size_t most);
/* Removes the first request, which the caller releases; NULL: none waits. */
json_t *ca_waiting_take(struct ca_waiting *waiting);
void ca_waiting_free(struct ca_waiting *waiting);

#endif
