/* SPDX-License-Identifier: MIT */
/* Computes the inputs of circuits that take sums. */
#ifndef CALAB_TESTS_KERNELS_LIFE_SUMS_H
#define CALAB_TESTS_KERNELS_LIFE_SUMS_H

#include "kernels/life/circuit.h"

/* The sums of a square, as kernels make them of its rows. */
static inline unsigned sums_of(unsigned square)
{
    unsigned low = 0, high = 0;

    for (int r = 0; r < 3; r++) {
        unsigned row = (unsigned)__builtin_popcount(square >> 3 * r & 7);

        low += row & 1;
        high += row >> 1;
    }
    return (low & 1) << LIFE_SUM_LOW | low >> 1 << LIFE_SUM_A | (high & 1) << LIFE_SUM_B |
           high >> 1 << LIFE_SUM_C | (square >> 4 & 1) << LIFE_SUM_CENTRE;
}

#endif
