/* SPDX-License-Identifier: MIT */
/* Initial states: rows made on all cores, and the draw that most models start with. */
#ifndef CALAB_KERNELS_CPU_INITIAL_STATE_H
#define CALAB_KERNELS_CPU_INITIAL_STATE_H

#include "core/model/model.h"

/*
 * Calls make(context, row) for each row of a lattice of setup->size, on all cores if the lattice is
 * large enough, so no row may depend on another. CA_NO_DEVICE where threads cannot be started.
 */
enum ca_status initial_rows(const struct ca_setup *setup, void (*make)(void *context, int64_t row),
                            void *context, struct ca_error *error);

/*
 * Sets `bit` in each cell (x, y, z) where uniform(stream) of generation 0 (core/base/random.h) is
 * below the density's threshold; other cells are not changed. Errors as initial_rows.
 */
enum ca_status initial_random(const struct ca_setup *setup, double density, uint32_t stream,
                              uint8_t *cells, uint8_t bit, struct ca_error *error);

#endif
