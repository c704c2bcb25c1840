/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice-avx2 of anneal: 256 cells a vector.
 *
 * The same logic as bitslice on four words at a time, down columns of vectors, so that the sums of
 * rows need not be stored. The neighbours beyond a word come from loads one word to the side.
 */
#define WORD_LANES 4
#include "kernels/anneal/anneal.h"
#include "kernels/anneal/bitslice_pass.h"

const struct bit_ops anneal_bitslice_avx2 = {.blocked = anneal_blocked, .plan = anneal_plan};
