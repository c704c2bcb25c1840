/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice of anneal: 64 cells a word in plain C.
 *
 * Bound by the processor's logic units: 25 operations on a word for 64 cells, while memory
 * moves a quarter of a byte a cell. Loops over words are simple enough for the compiler to take two
 * words at a time with the SSE2 that every x86-64 has.
 */
#include "kernels/anneal/anneal.h"
#include "kernels/anneal/bitslice_pass.h"

const struct bit_ops anneal_bitslice = {.blocked = anneal_blocked, .plan = anneal_plan};
