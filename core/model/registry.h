/* SPDX-License-Identifier: MIT */
/* The models' records, each in kernels/<model>/ladder.c. Only the registry names them. */
#ifndef CALAB_CORE_MODEL_REGISTRY_H
#define CALAB_CORE_MODEL_REGISTRY_H

#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Measured rates of backends whose plan predicts no time itself (kernels/rates.c, which names the
 * machine and the date), from which core/bench/cost.h predicts.
 */
struct ca_rate {
    const char *model, *backend;
    double start_s;     /* of each pass, whatever the lattice: launches, the first loads */
    double cells_per_s; /* cell updates of one CPU thread, or of a whole GPU, out of caches */
    double draws_per_s; /* likewise: random draws of events, 128 cells each; 0: unknown */
};

struct ca_rates {
    double barrier_s; /* of all threads, once a pass */
    double cpu_bytes_per_s, gpu_bytes_per_s;
    double cpu_cache_bytes, gpu_cache_bytes; /* lattices up to here do not wait for memory */
    const struct ca_rate *rows;              /* ends with model NULL */
};

extern const struct ca_rates ca_rates;

/*
 * The random draws that 128 cells of a row take in a generation: for each parameter that is a
 * probability one for each bit down to the lowest that is set (core/base/random.h), 16 at most.
 */
int ca_event_draws(const struct ca_values *params);

extern const struct ca_model anneal_model, life3d_model, cloud_model, fhp_model, water_model;

#ifdef __cplusplus
}
#endif

#endif
