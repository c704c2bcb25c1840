/* SPDX-License-Identifier: MIT */
/*
 * Experiments as JSON objects, for the engine's protocol and for the results of `run`, `bench` and
 * `verify`.
 */
#ifndef CALAB_CORE_ENGINE_EXPERIMENT_JSON_H
#define CALAB_CORE_ENGINE_EXPERIMENT_JSON_H

#include <jansson.h>

#include "core/sim/experiment.h"

/* A text as JSON: what is not UTF-8, as the name of a file may be, is shown as '?'. */
json_t *ca_json_text(const char *text);
/* A JSON string where it is above 2^63 - 1, else a number. */
json_t *ca_json_seed(uint64_t seed);
/* {"model":…,"backend":…,"size":[W,H(,D)],"seed":…,"init":…,"at":"X,Y","init_generation":…,
 * "parameters":{…},"options":{…},"tuned":["generations", …]}; the last has names of options that
 * nobody chose, and bench --tune found; init_generation is left out where it is 0, at where the
 * start is all of the lattice. */
json_t *ca_experiment_to_json(const struct ca_experiment *experiment);
/* Sets "model" and, of a file, "model_digest". */
void ca_model_to_json(json_t *json, const struct ca_model *model);
/* The model of those two. The text of its file may be "bytes" of the request; it is read only where
 * neither these are there nor the file with that digest is open. CA_USAGE, CA_IO, CA_COMPILE. */
enum ca_status ca_model_from_json(const struct ca_model **model, const json_t *json,
                                  struct ca_error *error);
/* The same without what is decided where it is opened: options that may be tuned, the backend that
 * a choice stands for, and a default size, in place of which a file may impose another. */
json_t *ca_experiment_request(const struct ca_experiment *experiment);
/* Takes over from the reply what was decided there, a size and a rule that a file imposes included.
 */
void ca_experiment_take_reply(struct ca_experiment *experiment, const json_t *json);
/* Unknown keys are ignored, all but "model" may be missing. CA_USAGE. */
enum ca_status ca_experiment_from_json(struct ca_experiment *experiment, const json_t *json,
                                       struct ca_error *error);
/* {"text":…,"variant":…,"generations":…,"threads":…,"vector_bits":…,"grid":[…],"block":[…],"cluster":…,
 * "shared_bytes":…,"memory_bytes":…,"bytes_per_cell_step":…,"ops_per_cell_step":…,
 * "predicted_s":…}, without what is not known or has no meaning on the backend's device. */
json_t *ca_plan_to_json(const struct ca_plan *plan);
/* Its "parameters" and "options" alone, over those of the experiment. CA_USAGE. */
enum ca_status ca_experiment_values(struct ca_experiment *experiment, const json_t *json,
                                    struct ca_error *error);

#endif
