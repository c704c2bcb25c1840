/* SPDX-License-Identifier: MIT */
/*
 * Backend `bitslice-avx512` of cloud: 512 cells a vector, eight bands of each layer side by side.
 * Logic of three inputs and shifts across words leave nothing but loads and stores to wait for.
 */
#define WORD_LANES 8

#include "kernels/cloud/cloud.h"
#include "kernels/cloud/bitslice_pass.h"

enum ca_status cloud_bitslice_avx512_create(void **self, const struct ca_setup *setup,
                                            struct ca_error *error)
{
    return bands_create(self, setup, &cloud_sliced_rule, (int)ca_int(&setup->options, "threads"),
                        error);
}
