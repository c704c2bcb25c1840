/* SPDX-License-Identifier: MIT */
/* What the records of several models, and the rows of several ladders, say alike. */
#ifndef CALAB_KERNELS_CPU_MODEL_COMMON_H
#define CALAB_KERNELS_CPU_MODEL_COMMON_H

#include "core/model/model.h"

/* Options of CPU backends: threads; and of bit-sliced ones, generations in one pass. */
extern const struct ca_param options_threads[], options_generations[];

/* Models of cells that live or do not. */
extern const struct ca_state_appearance live_states[];
extern const struct ca_observable live_observables[];
void live_appearance(const void *const planes[], int64_t i, float low, float high,
                     struct ca_appearance *look);

/* Observables of which each counts the ones of a plane. */
void count_ones(const struct ca_setup *setup, const void *const planes[], int64_t first,
                int64_t rows, double sums[CA_OBSERVABLES_MAX]);

/* Whatever the setup: an observable is conserved, the lattice is closed. */
bool always_conserved(const struct ca_setup *setup, const double start[]);
bool always_torus(const struct ca_setup *setup);

#endif
