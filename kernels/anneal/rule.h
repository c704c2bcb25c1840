/* SPDX-License-Identifier: MIT */
/*
 * The rule of ANNEAL, once, for C and CUDA (Vichniac, "Simulating physics with cellular automata",
 * Physica D 10, 1984).
 */
#ifndef CALAB_KERNELS_ANNEAL_RULE_H
#define CALAB_KERNELS_ANNEAL_RULE_H

#include "kernels/cpu/rule.h"

/*
 * With B the number of live cells in the 3x3 square around a cell, itself included:
 *
 *     cell' = 1  if B = 4 or B >= 6,  else 0
 *
 * A majority vote (B >= 5) with its two closest outcomes, 4 and 5, exchanged.
 */
RULE int anneal_rule(int b) { return (b == 4) | (b >= 6); }

#endif
