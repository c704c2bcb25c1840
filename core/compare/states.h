/* SPDX-License-Identifier: MIT */
/* The states of two simulations, cell by cell. */
#ifndef CALAB_CORE_COMPARE_STATES_H
#define CALAB_CORE_COMPARE_STATES_H

#include "core/sim/simulation.h"

/* The tolerance of two backends with each other, 0: they agree to the last bit. A backend repeats
 * itself to the last bit. */
double ca_tolerance(const struct ca_backend *a, const struct ca_backend *b);
double ca_simulation_tolerance(const struct ca_simulation *a, const struct ca_simulation *b);

/* Compares the states of two simulations of the same model and size: count and first difference.
 * Rows move to the host only where their digests differ. Where one of the backends has a tolerance
 * the difference is that beyond it, and all rows move. */
enum ca_status ca_simulation_compare(struct ca_simulation *expected, struct ca_simulation *got,
                                     struct ca_difference *difference, struct ca_error *error);

#endif
