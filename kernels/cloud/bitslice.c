/* SPDX-License-Identifier: MIT */
/*
 * Backend `bitslice` of cloud: 64 cells a word in plain C. Bound by loads and stores, 13 for a word
 * of 64 cells, while the rule is done with logic on words. With events the random numbers bind.
 */
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

enum ca_status cloud_bitslice_create(void **self, const struct ca_setup *setup,
                                     struct ca_error *error)
{
    return bands_create(self, setup, &rule, (int)ca_int(&setup->options, "threads"), error);
}
