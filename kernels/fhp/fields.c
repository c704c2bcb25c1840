/* SPDX-License-Identifier: MIT */
/*
 * Fields of the gas: means over the fluid nodes of a block, in cells across, whose rows are
 * sqrt(3)/2 apart, and steps. Of a window the particles are summed before anything is divided, so
 * that a velocity is that of the mean momentum.
 *
 * The force on solid nodes: in a step each particle that reaches a solid node with momentum p is
 * turned back to -p, so it hands 2p to the solid (A. J. C. Ladd, "Numerical simulations of
 * particulate suspensions via a discretized Boltzmann equation", J. Fluid Mech. 271, 1994). It now
 * stands there with -p: what was handed over in the last step is -2 times the momentum that stands
 * on solid nodes. At generation 0 there was no step, and a random start has nothing there.
 */
#include <math.h>

#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"

#define FHP_BITS 8

/* The moments of a sum of nodes' bits: particles, momentum in cells a step, and nodes that are
 * solid. */
struct moments {
    double particles, x, y, solid;
};

static struct moments moments_of(const double ones[FHP_BITS])
{
    struct moments sum = {.solid = ones[7]};

    for (int i = 0; i < 7; i++) {
        sum.particles += ones[i];
        sum.x += ones[i] * fhp_momentum_x((uint8_t)(1 << i)) / 2;
        sum.y += ones[i] * fhp_momentum_y((uint8_t)(1 << i)) * FHP_ROW;
    }
    return sum;
}

/* The particles of fluid nodes, and how many nodes these are. */
static struct moments fluid_of(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                               double *nodes)
{
    const double *sums = ca_block_sums_at(means, x, y, z);
    struct moments all = moments_of(sums), solid = moments_of(sums + FHP_BITS);

    *nodes = ca_block_samples(means, x, y, z) - all.solid;
    return (struct moments){all.particles - solid.particles, all.x - solid.x, all.y - solid.y,
                            all.solid};
}

static void density(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                    double value[])
{
    double nodes;
    struct moments fluid = fluid_of(means, x, y, z, &nodes);

    value[0] = fluid.particles / nodes;
}

static void momentum(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                     double value[])
{
    double nodes;
    struct moments fluid = fluid_of(means, x, y, z, &nodes);

    value[0] = fluid.x / nodes;
    value[1] = fluid.y / nodes;
}

static void velocity(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                     double value[])
{
    double nodes;
    struct moments fluid = fluid_of(means, x, y, z, &nodes);

    value[0] = fluid.x / fluid.particles;
    value[1] = fluid.y / fluid.particles;
}

static void speed(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[])
{
    double v[2];

    velocity(means, x, y, z, v);
    value[0] =
        sqrt(v[0] * v[0] + v[1] * v[1]); /* the last bit of hypot is the C library's choice */
}

static void solid_share(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                        double value[])
{
    value[0] = ca_block_sums_at(means, x, y, z)[7] / ca_block_samples(means, x, y, z);
}

static void force(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                  double value[])
{
    struct moments solid = moments_of(ca_block_sums_at(means, x, y, z) + FHP_BITS);

    value[0] = -2 * solid.x / ca_block_samples(means, x, y, z);
    value[1] = -2 * solid.y / ca_block_samples(means, x, y, z);
}

/* --- vorticity -------------------------------------------------------------------------------- */

/* Blocks along an axis, and the block whose neighbours are looked at. */
struct axis {
    struct ca_block_axis blocks;
    int64_t count, i;
    bool closed; /* the last block is next to the first */
};

/* Blocks that cover the lattice are closed where it is. */
static struct axis axis_of(struct ca_block_axis blocks, int64_t count, int64_t i, bool closed)
{
    return (struct axis){blocks, count, i,
                         closed && blocks.from == 0 &&
                             ca_block_begin(&blocks, count) >= blocks.cells};
}

/* The centre of block i, which may lie one round before or behind the lattice. */
static double centre(const struct axis *axis, int64_t i)
{
    int64_t round = i < 0 ? -1 : i >= axis->count ? 1 : 0, at = i - round * axis->count;
    int64_t begin, end;

    ca_block_side(&axis->blocks, at, &begin, &end);
    return (double)(round * axis->blocks.cells) + (double)(begin + end) / 2;
}

/*
 * The derivative, by cells or rows along an axis, of component c of the velocity: between the
 * blocks on both sides, or from the block itself where there is none or all of one is solid. 0
 * along an axis of one block.
 */
static double derivative(const struct ca_block_means *means, const struct axis *axis, bool down,
                         int64_t other, int c)
{
    double v[3][2];
    int low = 0, high = 2;

    for (int k = 0; k < 3; k++) {
        int64_t i = axis->i + k - 1, at = (i + axis->count) % axis->count;

        v[k][c] = NAN;
        if (at == i || axis->closed)
            velocity(means, down ? other : at, down ? at : other, 0, v[k]);
    }
    low = isnan(v[0][c]) ? 1 : 0;
    high = isnan(v[2][c]) ? 1 : 2;
    if (low == high || axis->count == 1)
        return isnan(v[1][c]) ? v[1][c] : 0;
    return (v[high][c] - v[low][c]) /
           (centre(axis, axis->i + high - 1) - centre(axis, axis->i + low - 1));
}

static void vorticity(const struct ca_block_means *means, int64_t x, int64_t y, int64_t z,
                      double value[])
{
    const struct ca_blocks *blocks = &means->blocks;
    bool open = ca_choice(&means->setup->params, "geometry") != FHP_NONE;
    struct axis across = axis_of(ca_blocks_across(blocks), blocks->count.w, x, true);
    struct axis down = axis_of(ca_blocks_down(blocks), blocks->count.h, y, !open);
    double v[2];

    velocity(means, x, y, z, v);
    value[0] = isnan(v[0]) ? NAN
                           : derivative(means, &across, false, y, 1) -
                                 derivative(means, &down, true, x, 0) / FHP_ROW;
}

const struct ca_field fhp_fields[] = {
    {"density", "particles of a fluid node", "particles/node", 1, false, false, density,
     .of_many = true},
    {"velocity", "mean velocity of the particles: right, down", "cells/step", 2, true, false,
     velocity, .of_many = true},
    {"speed", "magnitude of the mean velocity", "cells/step", 1, false, false, speed,
     .of_many = true},
    {"vorticity", "curl of the velocity, by differences between blocks: clockwise is above 0",
     "1/step", 1, true, false, vorticity, .of_many = true},
    {"momentum", "momentum of a fluid node: right, down", "cells/step", 2, true, false, momentum,
     .of_many = true},
    {"force", "momentum that a step hands to solid nodes, by nodes of the block: right, down",
     "cells/step^2/node", 2, true, false, force, .of_many = true},
    {"solid", "share of solid nodes", NULL, 1, false, false, solid_share},
    {.name = NULL},
};
