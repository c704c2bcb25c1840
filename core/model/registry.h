/* SPDX-License-Identifier: MIT */
/* The models' records, each in kernels/<model>/ladder.c. Only the registry names them. */
#ifndef CALAB_CORE_MODEL_REGISTRY_H
#define CALAB_CORE_MODEL_REGISTRY_H

#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The random draws that 128 cells of a row take in a generation: for each parameter that is a
 * probability one for each bit down to the lowest that is set (core/base/random.h), 16 at most.
 */
int ca_event_draws(const struct ca_values *params);

extern const struct ca_model anneal_model, life_model, life3d_model, cloud_model, fhp_model,
    water_model;

#ifdef __cplusplus
}
#endif

#endif
