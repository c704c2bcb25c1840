/* SPDX-License-Identifier: MIT */
/* JSON by jansson: when that lacked memory, which it does not say itself (an object then lacks
 * members, or a text counts as no JSON), and members of objects. */
#ifndef CALAB_CORE_FILES_JSON_H
#define CALAB_CORE_FILES_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "core/base/error.h"

/* Has jansson take its memory from `allocate`, such as malloc, and counts how often it got none: an
 * object may then lack members, without any call of jansson's having to say so. Without this the
 * count stays 0. */
void ca_json_watch_memory(void *(*allocate)(size_t));
unsigned ca_json_shortages(void);

/*
 * Parses a text by json_loadb. CA_IO: it is no JSON, `cause` says where and why. CA_NO_MEMORY, of
 * which jansson often says the same; only known once memory is watched. *json is NULL then.
 */
enum ca_status ca_json_parse(json_t **json, const char *text, size_t size, size_t flags,
                             json_error_t *cause);

/* A member of an object: its text, "" where there is none; its number, 0 where there is none. */
const char *ca_json_member(const json_t *object, const char *name);
double ca_json_number(const json_t *object, const char *name);

#endif
