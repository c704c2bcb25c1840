/* SPDX-License-Identifier: MIT */
/* This file compares an observation with the one before. */
#include "core/sim/invariants.h"

#include <math.h>
#include <string.h>

int ca_invariants_take(struct ca_invariants *invariants, const struct ca_simulation *simulation,
                       const double values[CA_OBSERVABLES_MAX])
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_observable *o = ca_observables(setup->model);
    uint64_t now = ca_simulation_generation(simulation);
    const double *before = invariants->values;
    uint64_t last = invariants->generation; /* a kept state may be gone back to */
    uint64_t between = now > last ? now - last : last - now;

    for (int i = 0; invariants->known && !invariants->alarm && o[i].name; i++) {
        double drift = o[i].drift ? o[i].drift(before, between) : 0;
        double allowed = o[i].tolerance * (before[i] != 0 ? fabs(before[i]) : 1) + drift;

        if (o[i].conserved && o[i].conserved(setup, before) &&
            !(isfinite(values[i]) && fabs(values[i] - before[i]) <= allowed))
            invariants->alarm = i + 1;
    }
    memcpy(invariants->values, values, sizeof invariants->values);
    invariants->generation = now;
    invariants->known = true;
    return ca_invariants_broken(invariants);
}

int ca_invariants_broken(const struct ca_invariants *invariants) { return invariants->alarm - 1; }
