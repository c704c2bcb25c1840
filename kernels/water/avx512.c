/* SPDX-License-Identifier: MIT */
/*
 * Backend `avx512` of water: the fused stepper over vectors of 16 cells. Bound by the units that
 * compare: eighteen minima and maxima of the sort, then by the division.
 */
#include "kernels/water/rows.h"
#include "kernels/water/water.h"

const struct fused_ops water_avx512 = WATER_ROWS;
