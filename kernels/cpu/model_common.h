/* SPDX-License-Identifier: MIT */
/* Options, states and functions that the records of several models share. */
#ifndef CALAB_KERNELS_CPU_MODEL_COMMON_H
#define CALAB_KERNELS_CPU_MODEL_COMMON_H

#include "core/model/field.h"

/* Options of CPU backends: ranks, which all have; threads; and for bit-sliced ones also generations
 * in a pass. */
extern const struct ca_param options_ranks[], options_threads[], options_generations[];

/* Models whose cells are live or empty. */
extern const struct ca_model_draw live_draw;
extern const struct ca_brush live_brushes[];
extern const struct ca_observable live_observables[];

/* Their starts: random cells by the parameter `density`, or by rand() of the C library. */
enum { LIVE_START_RANDOM, LIVE_START_CRAND };
enum ca_status live_init_random(const struct ca_setup *setup, uint8_t *cells,
                                struct ca_error *error);
/* The same two of a plane whose `rand() / RAND_MAX`, a float, is below `density`. */
extern const struct ca_start live_starts[];
enum ca_status live_init(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                         struct ca_error *error);
bool live_random_start(const struct ca_setup *setup, struct ca_random_start *random);

/* Their field: the share of live cells. */
extern const struct ca_field live_fields[];
void live_density(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[]);
/* A field of a u8 model: the share of cells with bit plane `plane` set. */
double share_of_ones(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                     int plane);

/* For models whose observables are the live cells of each plane. */
void observe_ones(const struct ca_setup *setup, const int64_t ones[CA_BIT_PLANES_MAX],
                  const int64_t on_obstacle[CA_BIT_PLANES_MAX], double values[CA_OBSERVABLES_MAX]);

/* For any setup: an observable is conserved, the lattice is a torus. */
bool always_conserved(const struct ca_setup *setup, const double start[]);
bool always_torus(const struct ca_setup *setup);

#endif
