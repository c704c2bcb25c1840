/* SPDX-License-Identifier: MIT */
/*
 * Backend bitslice of life3d: 64 cells a word in plain C.
 *
 * Bound by the processor's logic units: 65 operations on a word for 64 cells under the default
 * rule, 78 where rows are a word or less. Lattices of up to 32 cells a row have several in a word.
 */
#include "kernels/life3d/life3d.h"
#include "kernels/life3d/bitslice_pass.h"

enum ca_status life3d_bitslice_create(void **self, const struct ca_setup *setup,
                                      struct ca_error *error)
{
    return bands_create(self, setup, &life3d_sliced_rule, (int)ca_int(&setup->options, "threads"),
                        error);
}
