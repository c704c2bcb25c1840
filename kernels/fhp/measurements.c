/* SPDX-License-Identifier: MIT */
/*
 * The gas is a fluid by these two, which waves in a periodic lattice measure: its kinematic shear
 * viscosity and its sound speed (Frisch, d'Humieres, Hasslacher, Lallemand, Pomeau and Rivet,
 * "Lattice Gas Hydrodynamics in Two and Three Dimensions", Complex Systems 1, 1987, sections 7 and
 * 8).
 *
 * Lengths are in cells, of which rows are sqrt(3)/2 apart, d is the mean occupation of a bit.
 * Theory is the Boltzmann approximation, which has particles meet as strangers. They remember each
 * other, so that real viscosities are some -10 ... 30 % off, growing slowly with the wave's length.
 */
#include <math.h>

#include "core/model/model.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

static enum ca_status no_obstacle(const struct ca_setup *setup, struct ca_error *error)
{
    double d = ca_real(&setup->params, "density");

    if (ca_choice(&setup->params, "geometry") != FHP_NONE ||
        ca_probability(&setup->params, "p_force") != 0)
        return ca_fail(error, CA_USAGE, "fhp: a wave needs geometry = none and p_force = 0");
    if (!(d > 0 && d < 1))
        return ca_fail(error, CA_USAGE, "fhp: a wave needs a density between 0 and 1, not %g", d);
    return CA_OK;
}

static double viscosity(const struct ca_setup *setup)
{
    double d = ca_real(&setup->params, "density"), e = 1 - d;

    switch ((enum fhp_collisions)ca_choice(&setup->params, "collisions")) {
    case FHP_1:
        return 1 / (12 * d * e * e * e) - 0.125;
    case FHP_2:
        return 1 / (28 * d * e * e * e * (1 - 4 * d / 7)) - 0.125;
    default:
        return 1 / (28 * d * e * (1 - 8 * d * e / 7)) - 0.125;
    }
}

/* Moving particles carry all pressure: sqrt(1/2), or sqrt(3/7) where a seventh is at rest. */
static double sound_speed(const struct ca_setup *setup)
{
    return ca_choice(&setup->params, "collisions") == FHP_1 ? sqrt(0.5) : sqrt(3.0 / 7);
}

static double height(const struct ca_setup *setup) { return FHP_ROW * (double)setup->size.h; }
static double width(const struct ca_setup *setup) { return (double)setup->size.w; }

/* --- vortices behind a cylinder --------------------------------------------------------------- */

static enum ca_status cylinder(const struct ca_setup *setup, struct ca_error *error)
{
    if (ca_choice(&setup->params, "geometry") != FHP_CYLINDER ||
        ca_probability(&setup->params, "p_force") == 0)
        return ca_fail(error, CA_USAGE,
                       "fhp: vortices need geometry = cylinder and a p_force above 0");
    return CA_OK;
}

static double diameter(const struct ca_setup *setup) { return (double)setup->size.h / 4; }

/*
 * The gas carries its momentum along not with its velocity u but with g u, since it knows six
 * directions and a density of its own: g = (1 - 2d) / (2 (1 - d)) without rest particles, and
 * 7 / 6 of that with one (Frisch et al., Complex Systems 1, 1987). g u takes the place of velocity
 * in Reynolds and Strouhal numbers.
 */
static double carrying_speed(const struct ca_setup *setup, const double observables[])
{
    double bits = ca_choice(&setup->params, "collisions") == FHP_1 ? 6 : 7;
    double fluid = (double)ca_cells(setup->size) - observables[FHP_OBSERVES_SOLID_NODES];
    double d = observables[FHP_OBSERVES_PARTICLES] / fluid / bits;
    double u = observables[FHP_OBSERVES_MOMENTUM_X] / 2 / observables[FHP_OBSERVES_PARTICLES];

    return bits / 6 * (1 - 2 * d) / (2 * (1 - d)) * u;
}

/* The Strouhal number of a cylinder in a wide flow, from some 100 to 100,000 in Reynolds number;
 * walls raise it. */
static double strouhal(const struct ca_setup *setup)
{
    (void)setup;
    return 0.2;
}

const struct ca_measurement fhp_measurements[] = {
    {.name = "viscosity",
     .title = "kinematic shear viscosity, by the decay of a shear wave",
     .unit = "cells^2/step",
     .wave = CA_WAVE_DECAYS,
     .start = "shear",
     .field = "momentum",
     .component = 0,
     .down = true,
     .check = no_obstacle,
     .length = height,
     .theory = viscosity,
     .low = 0.9,
     .high = 1.3},
    {.name = "sound_speed",
     .title = "sound speed, by the period of a standing wave",
     .unit = "cells/step",
     .wave = CA_WAVE_OSCILLATES,
     .start = "sound",
     .field = "density",
     .component = 0,
     .down = false,
     .check = no_obstacle,
     .length = width,
     .theory = sound_speed,
     .low = 0.97,
     .high = 1.03},
    {.name = "strouhal",
     .title = "Strouhal number of the cylinder, by the spectrum of the lift",
     .unit = "1",
     .wave = CA_WAVE_SHEDS,
     .field = "lift",
     .check = cylinder,
     .length = diameter,
     .speed = carrying_speed,
     .theory = strouhal,
     .low = 0.5,
     .high = 2.5},
    {.name = NULL},
};
