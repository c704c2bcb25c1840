/* SPDX-License-Identifier: MIT */
/* The draw that most models start with. */
#ifndef CALAB_KERNELS_CPU_INITIAL_STATE_H
#define CALAB_KERNELS_CPU_INITIAL_STATE_H

#include "core/model/model.h"

/*
 * Sets `bit` in each cell (x, y, z) where uniform(stream) of generation 0 (core/base/random.h) is
 * below the density's threshold; other cells are not changed. CA_NO_DEVICE where threads cannot be
 * started.
 */
enum ca_status initial_random(const struct ca_setup *setup, double density, uint32_t stream,
                              uint8_t *cells, uint8_t bit, struct ca_error *error);

#endif
