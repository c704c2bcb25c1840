/* SPDX-License-Identifier: MIT */
/* The files of anneal share these declarations. */
#ifndef CALAB_KERNELS_ANNEAL_H
#define CALAB_KERNELS_ANNEAL_H

#include "kernels/cpu/bit_stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* bitslice_plan.c: bit_ops.plan of the bit-sliced backends. */
void anneal_bitslice_plan(struct bit_stepper *stepper, int requested);

/* Scratch rows of a generation with groups of `rows`: four kept sums, the group and its padding. */
static inline int64_t anneal_scratch_rows(int64_t rows) { return rows + 5; }

#ifdef __cplusplus
}
#endif
#endif
