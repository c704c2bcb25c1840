/* SPDX-License-Identifier: MIT */
/* This file reads the values of requests, checks their types and ranges, and says what is wrong
 * with them. */
#include "core/engine/wire.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *op_of(const json_t *request)
{
    const char *op = json_string_value(json_object_get(request, "op"));

    return op ? op : "message";
}

enum ca_status ca_request_wrong(const json_t *request, const char *key, const char *allowed,
                                struct ca_error *error)
{
    char *text = json_dumps(json_object_get(request, key), JSON_ENCODE_ANY | JSON_COMPACT);

    ca_error_set(error, CA_USAGE, "%s: \"%s\" is %.60s: %s is allowed", op_of(request), key,
                 text ? text : "?", allowed);
    free(text);
    return error->status;
}

enum ca_status ca_request_int(const json_t *request, const char *key, int64_t min, int64_t max,
                              int64_t *value, struct ca_error *error)
{
    const json_t *json = json_object_get(request, key);
    char allowed[96];

    if (!json)
        return CA_OK;
    if (json_is_integer(json) && json_integer_value(json) >= min &&
        json_integer_value(json) <= max) {
        *value = json_integer_value(json);
        return CA_OK;
    }
    snprintf(allowed, sizeof allowed, "a whole number from %" PRId64 " to %" PRId64, min, max);
    return ca_request_wrong(request, key, allowed, error);
}

enum ca_status ca_request_real(const json_t *request, const char *key, double min, double max,
                               double *value, struct ca_error *error)
{
    const json_t *json = json_object_get(request, key);
    char allowed[96];

    if (!json)
        return CA_OK;
    if (json_is_number(json) && json_number_value(json) >= min && json_number_value(json) <= max) {
        *value = json_number_value(json);
        return CA_OK;
    }
    snprintf(allowed, sizeof allowed, "a number from %g to %g", min, max);
    return ca_request_wrong(request, key, allowed, error);
}

enum ca_status ca_request_bool(const json_t *request, const char *key, bool *value,
                               struct ca_error *error)
{
    const json_t *json = json_object_get(request, key);

    if (json && !json_is_boolean(json))
        return ca_request_wrong(request, key, "true or false", error);
    if (json)
        *value = json_is_true(json);
    return CA_OK;
}

enum ca_status ca_request_text(const json_t *request, const char *key, const char **value,
                               struct ca_error *error)
{
    const json_t *json = json_object_get(request, key);

    if (!json)
        return CA_OK;
    /* A NUL would truncate the text silently. */
    if (!json_is_string(json) || strlen(json_string_value(json)) != json_string_length(json) ||
        !json_string_length(json))
        return ca_request_wrong(request, key, "a text that is not empty", error);
    *value = json_string_value(json);
    return CA_OK;
}

enum ca_status ca_request_choice(const json_t *request, const char *key, const char *const names[],
                                 int *value, struct ca_error *error)
{
    const json_t *json = json_object_get(request, key);
    char allowed[128] = "one of";

    if (!json)
        return CA_OK;
    for (int i = 0; names[i]; i++) {
        if (json_is_string(json) && strcmp(json_string_value(json), names[i]) == 0) {
            *value = i;
            return CA_OK;
        }
        ca_text_add(allowed, sizeof allowed, "%s %s", i ? "," : "", names[i]);
    }
    return ca_request_wrong(request, key, allowed, error);
}

enum ca_status ca_request_required(const json_t *request, const char *key, struct ca_error *error)
{
    if (json_object_get(request, key))
        return CA_OK;
    return ca_fail(error, CA_USAGE, "%s: \"%s\" is missing", op_of(request), key);
}
