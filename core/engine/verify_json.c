/* SPDX-License-Identifier: MIT */
/* This file writes a backend's result of `verify` as JSON. */
#include "core/engine/verify_json.h"

#include <stdlib.h>

#include "core/engine/experiment_json.h"

const char *ca_verify_verdict(const struct ca_verify_result *result)
{
    return !result->available   ? "unavailable"
           : result->failed     ? "WRONG"
           : result->cases == 0 ? "not checked"
                                : "ok";
}

json_t *ca_verify_to_json(const struct ca_model *model, const struct ca_verify_result *result,
                          const struct ca_verify_choice *choice)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:f}", "model", model->name, "backend",
                             result->backend->name, "result", ca_verify_verdict(result), "cases",
                             result->cases, "failed", result->failed, "cells",
                             (json_int_t)result->cells, "seconds", result->seconds);

    if (result->diverged) {
        json_object_set_new(json, "diverged", json_integer(result->diverged));
        json_object_set_new(json, "left_out", json_integer(result->left_out));
        json_object_set_new(json, "divergence", json_string(result->divergence));
    }
    if (!result->available)
        json_object_set_new(json, "reason", json_string(result->reason));
    /* An experiment is there once a case has failed. */
    if (result->failed && result->first.experiment.model) {
        const struct ca_verify_fault *fault = &result->first;
        const struct ca_difference *d = &fault->difference;
        char *command = ca_verify_command(fault, choice);
        json_t *first =
            json_pack("{s:s, s:s, s:I, s:o, s:s}", "fault", ca_fault_names[fault->fault], "text",
                      fault->text, "generation", (json_int_t)fault->generation, "experiment",
                      ca_experiment_to_json(&fault->experiment), "command", command ? command : "");

        if (d->count > 0)
            json_object_set_new(
                first, "difference",
                json_pack("{s:I, s:s, s:I, s:I, s:I, s:f, s:f}", "cells", (json_int_t)d->count,
                          "plane", fault->experiment.model->plane_names[d->plane], "x",
                          (json_int_t)d->x, "y", (json_int_t)d->y, "z", (json_int_t)d->z,
                          "expected", d->expected, "got", d->got));
        free(command);
        json_object_set_new(json, "first", first);
    }
    return json;
}
