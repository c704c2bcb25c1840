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

static const struct bands_rule rule = {
    .lanes = WORD_LANES,
    .ghosts = 1,
    .torus = life3d_bits_torus,
    .pass = life3d_pass,
    .close = bands_close,
    .scratch = life3d_scratch,
    .context_size = sizeof(struct life3d_bits),
    .prepare = life3d_bits_prepare,
};

enum ca_status life3d_bitslice_avx2_create(void **self, const struct ca_setup *setup,
                                           struct ca_error *error)
{
    return bands_create(self, setup, &rule, (int)ca_int(&setup->options, "threads"), error);
}
