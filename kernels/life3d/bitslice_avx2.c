/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice-avx2 of life3d: 256 cells a vector, four bands of each layer side by side.
 *
 * The same operations as bitslice on four times the cells; with 16 registers some of what a row
 * needs is read again from the first cache.
 */
#define WORD_LANES 4

#include "kernels/life3d/life3d.h"
#include "kernels/life3d/bitslice_pass.h"

const struct bands_ops life3d_bitslice_avx2 = LIFE3D_BANDS;
