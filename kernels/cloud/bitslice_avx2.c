/* SPDX-License-Identifier: MIT */
/*
 * Backend `bitslice-avx2` of cloud: 256 cells a vector, four bands of each layer side by side.
 * Four times the cells for each load; random numbers for four rows at once.
 */
#define WORD_LANES 4

#include "kernels/cloud/cloud.h"
#include "kernels/cloud/bitslice_pass.h"

enum ca_status cloud_bitslice_avx2_create(void **self, const struct ca_setup *setup,
                                          struct ca_error *error)
{
    return bands_create(self, setup, &cloud_sliced_rule, (int)ca_int(&setup->options, "threads"),
                        error);
}
