/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice of fhp: 64 nodes a word, two words at a time in the plainest vectors that a
 * compiler knows, which every x86-64 and many other processors have.
 *
 * Bound by logic: some 120 operations on a vector of 128 nodes, 50 more for a vector of random
 * bits.
 */
#define WORD_LANES 2
#include "kernels/fhp/bitslice_pass.h"

const struct bit_ops fhp_bitslice = FHP_BIT_OPS;
