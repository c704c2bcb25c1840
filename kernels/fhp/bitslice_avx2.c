/* SPDX-License-Identifier: MIT */
/* Backend bitslice-avx2 of fhp: 256 nodes at a time. Bound by logic, as bitslice is. */
#define WORD_LANES 4
#include "kernels/fhp/bitslice_pass.h"

const struct bit_ops fhp_bitslice_avx2 = FHP_BIT_OPS;
