/* SPDX-License-Identifier: MIT */
/*
 * Backend `bitslice-avx2` of cloud: 256 cells a vector, four bands of each layer side by side.
 * Four times the cells for each load; random numbers for four rows at once.
 */
#define WORD_LANES 4

#include "kernels/cloud/cloud.h"
#include "kernels/cloud/bitslice_pass.h"

static const struct bands_rule rule = {
    .lanes = WORD_LANES,
    .ghosts = 2,
    .in_place = 1U << CLOUD_HUM | 1U << CLOUD_CLD,
    .pass = cloud_pass,
    .close = bands_close,
    .context_size = sizeof(struct cloud_bits),
    .prepare = cloud_bits_prepare,
};

enum ca_status cloud_bitslice_avx2_create(void **self, const struct ca_setup *setup,
                                          struct ca_error *error)
{
    return bands_create(self, setup, &rule, (int)ca_int(&setup->options, "threads"), error);
}
