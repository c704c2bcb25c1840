/* SPDX-License-Identifier: MIT */
/*
 * The rule of `water`, once, for C and CUDA (the minimisation of differences of Di Gregorio and
 * Serra, "An empirical method for modelling and simulating some complex macroscopic phenomena by
 * cellular automata", Future Generation Computer Systems 16, 1999). Single precision; every
 * operation is rounded once, in the order written: no fused multiply-add, no reassociation,
 * division as division.
 *
 * A cell has a terrain altitude g, a water level l >= g and a source s. In the first half of a step
 * each cell finds the best level, at which its water would settle among itself and its neighbours;
 * in the second it takes what flows in from its neighbours' best levels and gives what its own
 * best level lets go. Cells outside the lattice do not exist: no water crosses the edge.
 */
#ifndef CALAB_KERNELS_WATER_RULE_H
#define CALAB_KERNELS_WATER_RULE_H

#include <math.h>

#include "kernels/cpu/rule.h"

enum { WATER_TERRAIN, WATER_LEVEL, WATER_SOURCE, WATER_PLANES };
enum water_mode { WATER_ADD, WATER_FILL };

/* North, west, east, south: the order in which neighbours are taken. */
#define WATER_NEIGHBOURS 4

RULE float water_max(float a, float b) { return a > b ? a : b; }

/*
 * The best level of a cell, from the levels of its `count` existing neighbours. With q the terrain
 * g and the neighbours' levels in ascending order, take in one after the other as long as the next
 * is no higher than the mean of the water and of all before it:
 *
 *     sum = (l - g) + q[0], n = 1
 *     for i = 1, 2, ...: stop where q[i] * i > sum; else sum += q[i], n = i + 1
 *     b = sum / n
 */
RULE float water_best(float g, float l, const float neighbour[WATER_NEIGHBOURS], int count)
{
    float q[WATER_NEIGHBOURS + 1], sum;
    int n = 1;

    q[0] = g;
    for (int i = 0; i < count; i++) { /* insertion */
        int at = i + 1;

        for (; at > 0 && q[at - 1] > neighbour[i]; at--)
            q[at] = q[at - 1];
        q[at] = neighbour[i];
    }

    sum = (l - g) + q[0];
    for (int i = 1; i <= count; i++) {
        if (q[i] * (float)i > sum)
            break;
        sum = sum + q[i];
        n = i + 1;
    }
    return sum / (float)n;
}

/*
 * The new level of a cell from its best level and those of its `count` existing neighbours in
 * order:
 *
 *     change = s (add) or 0 (fill);  for each neighbour: change += max(0, b_neighbour - l)
 *     change += max(g, b) - l;  l' = max(l + change, g)
 *
 * and then, where sources fill: l' = max(l', g + s) where s > 0 (topped up to the depth s), l' = g
 * where s < 0 (a sink).
 */
RULE float water_level(float g, float l, float s, float b,
                       const float neighbour_best[WATER_NEIGHBOURS], int count,
                       enum water_mode mode)
{
    float change = mode == WATER_ADD ? s : 0;

    for (int i = 0; i < count; i++)
        change = change + water_max(0, neighbour_best[i] - l);
    change = change + (water_max(g, b) - l);
    l = water_max(l + change, g);

    if (mode == WATER_FILL && s > 0)
        l = water_max(l, g + s);
    if (mode == WATER_FILL && s < 0)
        l = g;
    return l;
}

/*
 * Adds what flows from a cell of best level b in the next step, right less left and down less up:
 * max(0, b - l) to a neighbour of level l. A neighbour that does not exist has level +inf.
 */
RULE void water_flow(float b, const float level[WATER_NEIGHBOURS], double sums[2])
{
    sums[0] += (double)water_max(0, b - level[2]) - (double)water_max(0, b - level[1]);
    sums[1] += (double)water_max(0, b - level[3]) - (double)water_max(0, b - level[0]);
}

/* The observables: sums over cells, to which water_observe adds one. */
enum { WATER_VOLUME, WATER_WET, WATER_BELOW, WATER_SOURCES, WATER_ALTITUDES, WATER_OBSERVABLES };

RULE void water_observe(float g, float l, float s, double sums[WATER_OBSERVABLES])
{
    sums[WATER_VOLUME] += (double)l - (double)g;
    sums[WATER_WET] += l > g;
    sums[WATER_BELOW] += !(l >= g);
    sums[WATER_SOURCES] += s != 0;
    sums[WATER_ALTITUDES] += fabs((double)g);
}

#endif
