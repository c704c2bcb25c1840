/* SPDX-License-Identifier: MIT */
/*
 * Backend `bitslice-avx512` of cloud: 512 cells a vector, eight bands of each layer side by side.
 * Logic of three inputs and shifts across words leave nothing but loads and stores to wait for.
 */
#define WORD_LANES 8

#include "kernels/cloud/cloud.h"
#include "kernels/cloud/bitslice_pass.h"

const struct bands_ops cloud_bitslice_avx512 = CLOUD_BANDS;
