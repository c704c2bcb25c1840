/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice-avx512 of life3d: 512 cells a vector, eight bands of each layer side by side.
 *
 * Twice the width once more, and logic of three inputs: an adder of three bits is two instructions
 * in place of five, a shift across words one in place of three.
 */
#define WORD_LANES 8

#include "kernels/life3d/life3d.h"
#include "kernels/life3d/bitslice_pass.h"

const struct bands_ops life3d_bitslice_avx512 = LIFE3D_BANDS;
