/* SPDX-License-Identifier: MIT */
/* How many generations a pass of anneal's bit-sliced backends takes, and how many rows at a time.
 */
#include "core/machine/cpu.h"
#include "kernels/anneal/anneal.h"

static int64_t group_bytes(const struct bit_stepper *stepper, int generations, int64_t rows)
{
    return generations * anneal_scratch_rows(rows) * stepper->now[0].stride * 8;
}

/* More gain little, and each costs ghost rows. */
#define GENERATIONS 8

/*
 * Lattices that the members' second caches hold gain nothing by several generations in a pass but
 * fewer meetings, which count if there is more than one member: as many then as make the rows that
 * neighbours both compute a sixteenth of a band. Larger ones gain all that memory would cost.
 */
static int generations_by_size(const struct bit_stepper *stepper, bool fits)
{
    int64_t band = stepper->size.h / thread_pool_size(stepper->thread_pool);

    if (!fits)
        return GENERATIONS;
    if (thread_pool_size(stepper->thread_pool) == 1 || band < 32)
        return 1;
    return band / 16 < GENERATIONS ? (int)(band / 16) : GENERATIONS;
}

/*
 * As many rows at a time as half of a second cache holds for all generations; fewer generations
 * where a whole one holds less than four rows.
 */
void anneal_plan(struct bit_stepper *stepper, int wanted)
{
    int64_t lattice = 2 * stepper->size.h * stepper->now[0].stride * 8;
    int64_t rows = 32, caches[CA_CACHES], second;

    ca_cpu_caches(caches);
    second = caches[1];
    stepper->generations =
        wanted ? wanted
               : generations_by_size(stepper,
                                     lattice <= second * thread_pool_size(stepper->thread_pool));
    while (rows > 4 && group_bytes(stepper, stepper->generations, rows) > second / 2)
        rows /= 2;
    while (wanted == 0 && stepper->generations > 1 &&
           group_bytes(stepper, stepper->generations, rows) > second)
        stepper->generations /= 2;
    stepper->group_rows = rows;
    stepper->streams = lattice > caches[2];
    stepper->scratch_bytes =
        (size_t)group_bytes(stepper, stepper->generations, rows) + 2 * BIT_ROWS_VECTOR * 8;
}
