/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice-avx512 of fhp: 512 nodes at a time, logic of three inputs in one instruction.
 *
 * Bound by logic, about 70 operations for 512 nodes, and with forcing by random bits: ten
 * multiplications, which only half of the units do, for each stream and 1024 nodes.
 */
#define WORD_LANES 8
#include "kernels/fhp/bitslice_pass.h"

const struct bit_ops fhp_bitslice_avx512 = FHP_BIT_OPS;
