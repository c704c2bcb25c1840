/* SPDX-License-Identifier: MIT */
/* Backend bitslice-avx2 of fhp: 256 nodes at a time. Bound by logic, as bitslice is. */
#define WORD_LANES 4
#include "kernels/fhp/bitslice_pass.h"

enum ca_status fhp_bitslice_avx2_create(void **self, const struct ca_setup *setup,
                                        struct ca_error *error)
{
    return fhp_bits_create(self, setup, error);
}
