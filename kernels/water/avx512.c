/* SPDX-License-Identifier: MIT */
/*
 * Backend `avx512` of water: the fused stepper over vectors of 16 cells. Bound by the units that
 * compare: eighteen minima and maxima of the sort, then by the division.
 */
#include "kernels/water/rows.h"
#include "kernels/water/water.h"

enum ca_status water_avx512_create(void **self, const struct ca_setup *setup,
                                   struct ca_error *error)
{
    return fused_create(self, setup, &rule, error);
}
