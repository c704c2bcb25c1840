/* SPDX-License-Identifier: MIT */
/*
 * A sum divided by the number of its terms, 1 ... 5, without dividing: three operations and a
 * reciprocal in place of some ten. The quotient by the reciprocal is off by an ulp at most; what it
 * leaves of the sum is exact in a fused multiply-add, and a second one puts it right, with one
 * rounding. That is the scheme of Markstein, "Computation of elementary functions on the IBM RISC
 * System/6000 processor" (1990). All bits are those of an IEEE division, for all sums but -0, which
 * gives +0 or -0; no sum of the rule is -0.
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
