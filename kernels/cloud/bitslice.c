/* SPDX-License-Identifier: MIT */
/*
 * Backend `bitslice` of cloud: 64 cells a word in plain C. Bound by loads and stores, 13 for a word
 * of 64 cells, while the rule is done with logic on words. With events the random numbers bind.
 */
#include "kernels/cloud/cloud.h"
#include "kernels/cloud/bitslice_pass.h"

const struct bands_ops cloud_bitslice = CLOUD_BANDS;
