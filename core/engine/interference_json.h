/* SPDX-License-Identifier: MIT */
/* The interference of other programs during a sample or a measurement, as JSON (calab-engine(7) and
 * calab-bench(7), `interference`). */
#ifndef CALAB_CORE_ENGINE_INTERFERENCE_JSON_H
#define CALAB_CORE_ENGINE_INTERFERENCE_JSON_H

#include <jansson.h>

#include "core/machine/interference.h"

/* An object with a member a fact, null where it is unknown. NULL without memory. */
json_t *ca_interference_to_json(const struct ca_interference *sample);
/* Members that are missing or wrong become unknown. */
void ca_interference_from_json(struct ca_interference *sample, const json_t *json);
/* Converts the interference of a whole measurement, with a sentence. NULL without memory. */
json_t *ca_disturbance_to_json(const struct ca_disturbance *sum);

/* The seconds of all calls of a reply to `burst`, and what others did during it. */
double ca_burst_from_json(struct ca_interference *sample, const json_t *reply);

#endif
