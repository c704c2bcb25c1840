/* SPDX-License-Identifier: MIT */
/* The JSON format of a backend's result in `verify`, calab-bench(7). */
#ifndef CALAB_CORE_ENGINE_VERIFY_JSON_H
#define CALAB_CORE_ENGINE_VERIFY_JSON_H

#include <jansson.h>

#include "core/verify/verify.h"

/* "unavailable", "WRONG", "not checked" or "ok". */
const char *ca_verify_verdict(const struct ca_verify_result *result);
json_t *ca_verify_to_json(const struct ca_model *model, const struct ca_verify_result *result,
                          const struct ca_verify_choice *choice);

#endif
