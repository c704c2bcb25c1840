/* SPDX-License-Identifier: MIT */
/*
 * The rule of `fhp`, once, for C and CUDA (Frisch, Hasslacher and Pomeau, "Lattice-gas automata for
 * the Navier-Stokes equation", Phys. Rev. Lett. 56, 1986).
 *
 * A node is a byte: bits 0 ... 5 a particle moving in that direction, bit 6 a rest particle, bit 7
 * a solid node. Directions run clockwise on screen, i and (i + 3) mod 6 are opposite; odd rows are
 * shifted right by half a cell:
 *
 *          0 NW   1 NE          even row y     (x-1, y-1)   (x, y-1)      neighbours up and down
 *             \   /             odd row y      (x, y-1)     (x+1, y-1)    are those two columns
 *      5 W --- o --- 2 E
 *             /   \             momentum of direction i, x in half cells and y in rows:
 *          4 SW   3 SE          (-1,-1) (1,-1) (2,0) (1,1) (-1,1) (-2,0)
 */
#ifndef CALAB_KERNELS_FHP_RULE_H
#define CALAB_KERNELS_FHP_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/rule.h"

enum { FHP_NW, FHP_NE, FHP_E, FHP_SE, FHP_SW, FHP_W, FHP_DIRECTIONS };

enum fhp_geometry { FHP_CHANNEL, FHP_NONE, FHP_CYLINDER, FHP_FILE };

#define FHP_ROW 0.86602540378443864676 /* cells between two rows */
#define FHP_REST 64
#define FHP_SOLID 128
#define FHP_PARTICLES 127

/*
 * Motion: every moving particle goes to the neighbour in its direction, so bit i of a node is bit i
 * of its neighbour in direction i + 3.
 */
RULE uint8_t fhp_move(uint8_t nw, uint8_t ne, uint8_t e, uint8_t se, uint8_t sw, uint8_t w,
                      uint8_t here)
{
    return (uint8_t)((se & 1 << FHP_NW) | (sw & 1 << FHP_NE) | (w & 1 << FHP_E) |
                     (nw & 1 << FHP_SE) | (ne & 1 << FHP_SW) | (e & 1 << FHP_W) |
                     (here & (FHP_REST | FHP_SOLID)));
}

/* Bounce-back at a solid node: bits i and i + 3 swap; rest and solid stay. */
RULE uint8_t fhp_bounce(uint8_t node)
{
    return (uint8_t)((node & 7) << 3 | (node >> 3 & 7) | (node & (FHP_REST | FHP_SOLID)));
}

/* Whether forcing may turn a fluid node's westward particle: it has one, and none eastward. */
RULE int fhp_can_force(uint8_t node) { return (node & (1 << FHP_W | 1 << FHP_E)) == 1 << FHP_W; }

/* Forcing: the westward particle turned east. */
RULE uint8_t fhp_force(uint8_t node) { return (uint8_t)(node ^ (1 << FHP_W | 1 << FHP_E)); }

/*
 * Whether node (x, y) of a lattice of w x h is solid in a geometry that is not a file: a channel
 * has its first and last row solid, a cylinder a disc of radius h / 8 around (w / 4, h / 2) too.
 * Lengths are quarter cells across and half rows down.
 */
RULE bool fhp_is_solid(enum fhp_geometry geometry, int64_t w, int64_t h, int64_t x, int64_t y)
{
    int64_t across = 4 * x + 2 * (y % 2) - w, down = 2 * y - h;

    if (geometry == FHP_NONE)
        return false;
    if (y == 0 || y == h - 1)
        return true;
    if (geometry != FHP_CYLINDER || across > h / 2 || -across > h / 2 || down > h / 3 ||
        -down > h / 3) /* which keeps the squares below 2^64 */
        return false;
    return 4 * (uint64_t)(across * across) + 12 * (uint64_t)(down * down) <= (uint64_t)(h * h);
}

/* Whether nodes first ... last of a row may be among the cylinder's; fhp_is_solid says which are.
 */
RULE bool fhp_may_hold_disc(enum fhp_geometry geometry, int64_t w, int64_t h, int64_t first,
                            int64_t last, int64_t y)
{
    int64_t down = 2 * y - h;

    return geometry == FHP_CYLINDER && down <= h / 3 && -down <= h / 3 && 4 * first - w <= h / 2 &&
           4 * last + 2 - w >= -(h / 2);
}

/* Momentum of the particles of a node, x in half cells. */
RULE int fhp_momentum_x(uint8_t node)
{
    return 2 * ((node >> FHP_E & 1) - (node >> FHP_W & 1)) + (node >> FHP_NE & 1) +
           (node >> FHP_SE & 1) - (node >> FHP_NW & 1) - (node >> FHP_SW & 1);
}

/* The same for y in rows, downwards. */
RULE int fhp_momentum_y(uint8_t node)
{
    return (node >> FHP_SE & 1) + (node >> FHP_SW & 1) - (node >> FHP_NW & 1) -
           (node >> FHP_NE & 1);
}

/* Particles of a node, 0 ... 7. */
RULE int fhp_particles(uint8_t node)
{
    int count = 0;

    for (int i = 0; i < 7; i++)
        count += node >> i & 1;
    return count;
}

#endif
