/* SPDX-License-Identifier: MIT */
/* What the files of this folder tell each other: the plain rule and the functions of the rungs. */
#ifndef CALAB_KERNELS_ANNEAL_H
#define CALAB_KERNELS_ANNEAL_H

#include "kernels/cpu/byte_stepper.h"
#include "kernels/cpu/bit_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* reference.c: one pass, a byte a cell; threads.c runs the same. */

/* The bit-sliced backends: one source over three words. */

/* plan.c: their bit_ops.plan. */
void anneal_plan(struct bit_stepper *stepper, int wanted);

/* Rows of scratch for a generation with groups of `rows`: kept sums, the group, its paddings. */
static inline int64_t anneal_scratch_rows(int64_t rows) { return rows + 5; }

#ifdef __cplusplus
}
#endif
#endif
