/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice of life3d: 64 cells a word in plain C.
 *
 * Bound by the processor's logic units: 65 operations on a word for 64 cells under the default
 * rule, 78 where rows are a word or less. Lattices of up to 32 cells a row have several in a word.
 */
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/bitslice_pass.h"

const struct bands_ops life3d_bitslice = LIFE3D_BANDS;
