/* SPDX-License-Identifier: MIT */
/*
 * Watches over conserved observables (struct ca_observable). Each observation is held against the
 * one before, not against the first: what rounding may add grows with the generations between the
 * two, so that a loss late in a run is seen as well as an early one. An alarm stays on, because the
 * observations after a loss agree with each other again.
 */
#ifndef CALAB_CORE_SIM_INVARIANTS_H
#define CALAB_CORE_SIM_INVARIANTS_H

#include "core/sim/simulation.h"

struct ca_invariants { /* zeroed: nothing was observed yet */
    bool known;
    uint64_t generation; /* of the last observation */
    double values[CA_OBSERVABLES_MAX];
    int alarm; /* the index of the broken one plus 1, 0: none */
};

/*
 * Takes the values that the simulation has now. The last ones must be of the same run under the
 * same setup. A value that is NaN or infinite is not conserved. Returns ca_invariants_broken.
 */
int ca_invariants_take(struct ca_invariants *invariants, const struct ca_simulation *simulation,
                       const double values[CA_OBSERVABLES_MAX]);
/* Index of the first observable that was found not to be conserved, -1: none. */
int ca_invariants_broken(const struct ca_invariants *invariants);

#endif
