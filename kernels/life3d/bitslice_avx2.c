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

enum ca_status life3d_bitslice_avx2_create(void **self, const struct ca_setup *setup,
                                           struct ca_error *error)
{
    return bands_create(self, setup, &life3d_sliced_rule, (int)ca_int(&setup->options, "threads"),
                        error);
}
