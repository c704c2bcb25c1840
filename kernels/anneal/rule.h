/* SPDX-License-Identifier: MIT */
/*
 * The rule of ANNEAL, once, for C and CUDA (Vichniac, "Simulating physics with cellular automata",
 * Physica D 10, 1984).
 */
#ifndef CALAB_KERNELS_ANNEAL_RULE_H
#define CALAB_KERNELS_ANNEAL_RULE_H

#include <stdint.h>

#include "kernels/cpu/rule.h"

/*
 * With B the number of live cells in the 3x3 square around a cell, itself included:
 *
 *     cell' = 1  if B = 4 or B >= 6,  else 0
 *
 * A majority vote (B >= 5) with its two closest outcomes, 4 and 5, exchanged.
 */
RULE int anneal_rule(int b) { return (b == 4) | (b >= 6); }

/* The right neighbours of the cells of a word, from the next word of the row and its first one. The
 * row has so many cells from the word on; behind its last one comes its first. */
RULE uint64_t anneal_right(uint64_t here, uint64_t next, uint64_t first, int64_t cells)
{
    uint64_t last;

    if (cells > 64)
        return here >> 1 | next << 63;
    last = (uint64_t)1 << (cells - 1);
    return (here >> 1 & ~last) | (first & 1 ? last : 0);
}

#endif
