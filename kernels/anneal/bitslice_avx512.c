/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice-avx512 of anneal: 512 cells a vector.
 *
 * AVX-512 has logic of three inputs, so that an adder is two operations and the rule two: nine of
 * them, two shifts of pairs of words and two moves of words across the vector for 512 cells. Bound
 * by these as long as the lattice, or a group of rows in all generations of a pass, is in the
 * second cache.
 */
#define WORD_LANES 8
#include "kernels/anneal/anneal.h"
#include "kernels/anneal/bitslice_pass.h"

const struct bit_ops anneal_bitslice_avx512 = {.blocked = anneal_blocked, .plan = anneal_plan};
