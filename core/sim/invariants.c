/* SPDX-License-Identifier: MIT */
/* This file compares an observation with the one before. */
#include "core/sim/invariants.h"

#include <math.h>
#include <string.h>

static bool is_kept(const struct ca_observable *observable, double before, double now, double drift)
{
    double allowed = observable->tolerance * (before != 0 ? fabs(before) : 1) + drift;

    return isfinite(now) && fabs(now - before) <= allowed;
}

/* Going back to a kept state counts generations, too. */
static uint64_t between(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

int ca_invariants_take(struct ca_invariants *invariants, const struct ca_simulation *simulation,
                       const double values[CA_OBSERVABLES_MAX])
{
    const struct ca_setup *setup = ca_simulation_setup(simulation);
    const struct ca_observable *o = ca_observables(setup->model);
    uint64_t now = ca_simulation_generation(simulation);
    const double *before = invariants->values;

    for (int i = 0; invariants->known && !invariants->alarm && o[i].name; i++) {
        double drift = o[i].drift ? o[i].drift(before, between(now, invariants->generation)) : 0;

        if (o[i].conserved && o[i].conserved(setup, before) &&
            !is_kept(&o[i], before[i], values[i], drift))
            invariants->alarm = i + 1;
    }
    memcpy(invariants->values, values, sizeof invariants->values);
    invariants->generation = now;
    invariants->known = true;
    return ca_invariants_broken(invariants);
}

int ca_invariants_broken(const struct ca_invariants *invariants) { return invariants->alarm - 1; }
