/* SPDX-License-Identifier: MIT */
/* How many generations a pass of bit-sliced backends takes, and how many rows at a time. */
#include "core/machine/cpu.h"
#include "kernels/moore/moore.h"

static int64_t group_bytes(const struct bit_stepper *stepper, int generations, int64_t rows)
{
    return generations * moore_scratch_rows(rows) * stepper->now[0].stride * 8;
}

/* Further generations gain little, and each of them costs halo rows. */
#define GENERATIONS 8

/*
 * A lattice that the workers' L2 caches hold saves nothing by several generations in a pass but
 * barriers, which count if there is more than one worker. It takes as many as make the rows that
 * two workers compute a sixteenth of a band. A larger lattice saves all memory traffic but the
 * pass's own.
 */
static int generations_by_size(const struct bit_stepper *stepper, bool fits)
{
    int64_t band = stepper->size.h / stepper->threads;

    if (!fits)
        return GENERATIONS;
    if (stepper->threads == 1 || band < 32)
        return 1;
    return band / 16 < GENERATIONS ? (int)(band / 16) : GENERATIONS;
}

/*
 * A group has as many rows as half of L2 holds for all generations. Where all of L2 holds fewer
 * than four rows, a pass takes fewer generations.
 */
void moore_bitslice_plan(struct bit_stepper *stepper, int requested)
{
    int64_t lattice = 2 * stepper->size.h * stepper->now[0].stride * 8;
    int64_t rows = 32, caches[CA_CACHES], l2;

    ca_cpu_caches(caches);
    l2 = caches[1];
    stepper->generations =
        requested ? requested : generations_by_size(stepper, lattice <= l2 * stepper->threads);
    while (rows > 4 && group_bytes(stepper, stepper->generations, rows) > l2 / 2)
        rows /= 2;
    while (requested == 0 && stepper->generations > 1 &&
           group_bytes(stepper, stepper->generations, rows) > l2)
        stepper->generations /= 2;
    stepper->group_rows = rows;
    stepper->streams = lattice > caches[2];
    stepper->scratch_bytes =
        (size_t)group_bytes(stepper, stepper->generations, rows) + 2 * BIT_ROWS_VECTOR * 8;
}
