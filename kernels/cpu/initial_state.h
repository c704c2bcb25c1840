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

/*
 * Draws states: cell (x, y, z) becomes state s + 1 where uniform(stream) of generation 0 is below
 * the threshold of share[0] + ... + share[s], but not below that of the shares before it; 0 where
 * it is below none of `count`. So the single share of a state 1 draws as initial_random does. The
 * shares are at least 0, and 1 together at most. The state is set in the bits from `shift` on,
 * which are 0; other bits are not changed.
 */
enum ca_status initial_states(const struct ca_setup *setup, const double share[], int count,
                              uint32_t stream, uint8_t *cells, int shift, struct ca_error *error);

#endif
