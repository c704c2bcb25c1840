/* SPDX-License-Identifier: MIT */
/* How many generations a pass of fhp's bit-sliced backends takes. */
#include "kernels/fhp/fhp.h"

#define GENERATIONS 8            /* further ones gain little */
#define CACHE (INT64_C(1) << 20) /* bytes of L2 */

/*
 * A pass takes one generation while the workers' L2 caches hold both copies of the lattice. Beyond
 * that it takes as many as keep their rows in half of one.
 */
void fhp_bitslice_plan(struct bit_stepper *stepper, int requested)
{
    int64_t plane = stepper->memory[0].stride * (int64_t)sizeof(uint64_t);
    int64_t rows = ca_rows(stepper->size), threads = stepper->threads;
    int64_t most = CACHE / 2 / (7 * FHP_KEPT_ROWS * plane) + 1, generations = requested;

    if (requested == 0) {
        generations = most < GENERATIONS ? most : GENERATIONS;
        if (15 * plane * rows <= CACHE * threads || rows < 32 * threads)
            generations = 1;
    }
    stepper->generations = (int)generations;
    if (generations > 1)
        stepper->scratch_bytes = (size_t)((generations - 1) * 7 * FHP_KEPT_ROWS * plane) +
                                 2 * BIT_ROWS_VECTOR * sizeof(uint64_t);
}
