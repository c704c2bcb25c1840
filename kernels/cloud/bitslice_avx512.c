/* SPDX-License-Identifier: MIT */
/*
 * Backend `bitslice-avx512` of cloud: 512 cells a vector, eight bands of each layer side by side.
 * Logic of three inputs and shifts across words leave nothing but loads and stores to wait for.
 */
#define WORD_LANES 8

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

enum ca_status cloud_bitslice_avx512_create(void **self, const struct ca_setup *setup,
                                            struct ca_error *error)
{
    return bands_create(self, setup, &rule, (int)ca_int(&setup->options, "threads"), error);
}
