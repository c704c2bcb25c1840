/* SPDX-License-Identifier: MIT */
/*
 * Backend `bitslice-avx2` of cloud: 256 cells a vector, four bands of each layer side by side.
 * Four times the cells for each load; random numbers for four rows at once.
 */
#define WORD_LANES 4

#include "kernels/cloud/cloud.h"
#include "kernels/cloud/bitslice_pass.h"

const struct bands_ops cloud_bitslice_avx2 = CLOUD_BANDS;
