/* SPDX-License-Identifier: MIT */
/* What the bit-sliced backends of the CPU share, besides bit_pass.h. */
#ifndef CALAB_KERNELS_MOORE_H
#define CALAB_KERNELS_MOORE_H

#include "kernels/cpu/bit_stepper.h"

/* bit_ops.plan of the bit-sliced backends. */
void moore_bitslice_plan(struct bit_stepper *stepper, int requested);

/* Scratch rows of a generation with groups of `rows`: what is kept of the last two rows, at most
 * MOORE_KEPT rows, then the group and its padding. */
#define MOORE_KEPT 5
static inline int64_t moore_scratch_rows(int64_t rows) { return rows + MOORE_KEPT + 1; }

#endif
