/* SPDX-License-Identifier: MIT */
/*
 * Ranks: a stepper made of instances of a backend, each of which holds a slab of the lattice, with
 * a host thread of its own. They step side by side and exchange halos (core/ranks/cut.h), by the
 * backend's own send and receive where it has them. To its caller it is one instance that holds
 * the whole lattice, and its cells are the same as those of one.
 */
#ifndef CALAB_CORE_RANKS_RANKS_H
#define CALAB_CORE_RANKS_RANKS_H

#include "core/model/model.h"

/* Returns the stepper of a setup: its backend's, or, on the whole lattice with the options ranks or
 * devices, that of ranks. */
const struct ca_stepper *ca_stepper_of(const struct ca_setup *setup);

#endif
