/* SPDX-License-Identifier: MIT */
/*
 * A sum divided by the number of its terms, 1 ... 5, without a division: three operations and a
 * reciprocal instead of some ten. The quotient by the reciprocal is off by at most one ulp; a fused
 * multiply-add gives its exact remainder, and a second one corrects it with one rounding. This is
 * the scheme of Markstein, "Computation of elementary functions on the IBM RISC
 * System/6000 processor" (1990). The result is that of an IEEE division, bit for bit, for all sums
 * but -0, which gives +0 or -0; no sum of the rule is -0.
 */
#ifndef CALAB_KERNELS_WATER_QUOTIENT_H
#define CALAB_KERNELS_WATER_QUOTIENT_H

#include <math.h>

#include "kernels/cpu/rule.h"

/* `reciprocal`: the float nearest to 1 / n. */
RULE float water_quotient(float sum, float n, float reciprocal)
{
    float q = sum * reciprocal;

    return fmaf(fmaf(-n, q, sum), reciprocal, q);
}

#endif
