/* SPDX-License-Identifier: MIT */
/*
 * The best level of a cell by elimination, once, for C and CUDA: Algorithm 1 of Topa and Mlocek,
 * "GPGPU implementation of cellular automata model of water flow" (PPAM 2011), the procedure by
 * which Di Gregorio and Serra introduced the minimisation of differences (kernels/water/rule.h).
 *
 * It finds the level that water_best finds, without a sort; its sums have another order, so that
 * the last bits differ. WATER_TOLERANCE holds after one generation from the same state.
 */
#ifndef CALAB_KERNELS_WATER_ELIMINATION_H
#define CALAB_KERNELS_WATER_ELIMINATION_H

#include "kernels/water/rule.h"

#define WATER_TOLERANCE 1e-5

/*
 * The terrain g and the levels of the neighbours that exist (bit i of `exist`: neighbour i) take
 * part at first. A round takes the mean of the water and of those that are left, and eliminates who
 * lies above it; the mean of the first round in which nobody does is the best level. (As printed,
 * the flag that a round has eliminated somebody is never cleared, and the loop does not end.)
 * Levels that are equal may all lie above their mean by its rounding; then nobody is left, and that
 * mean is the best level. Constant indices keep everything in registers.
 */
RULE float water_eliminate(float g, float l, const float neighbour[WATER_NEIGHBOURS],
                           unsigned exist)
{
    const unsigned terrain = 1u << WATER_NEIGHBOURS;
    unsigned left = exist | terrain, above;
    float mean;

    do {
        float sum = l - g;
        int n = 0;

        for (int i = 0; i < WATER_NEIGHBOURS; i++)
            if (left >> i & 1) {
                sum = sum + neighbour[i];
                n++;
            }
        if (left & terrain) {
            sum = sum + g;
            n++;
        }
        mean = sum / (float)n;

        above = g > mean ? terrain : 0;
        for (int i = 0; i < WATER_NEIGHBOURS; i++)
            above |= neighbour[i] > mean ? 1u << i : 0;
        above &= left;
        left &= ~above;
    } while (above && left);
    return mean;
}

#endif
