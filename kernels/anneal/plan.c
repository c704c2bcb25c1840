/* SPDX-License-Identifier: MIT */
/* How many generations a pass of anneal's bit-sliced backends takes, and how many rows at a time.
 */
#include "core/machine/cpu.h"
#include "kernels/anneal/anneal.h"

static int64_t group_bytes(const struct sliced *sliced, int generations, int64_t rows)
{
    return generations * anneal_scratch_rows(rows) * sliced->now[0].stride * 8;
}

/* More gain little, and each costs ghost rows. */
#define GENERATIONS 8

/*
 * Lattices that the members' second caches hold gain nothing by several generations in a pass but
 * fewer meetings, which count if there is more than one member: as many then as make the rows that
 * neighbours both compute a sixteenth of a band. Larger ones gain all that memory would cost.
 */
static int generations_by_size(const struct sliced *sliced, bool fits)
{
    int64_t band = sliced->size.h / team_count(sliced->team);

    if (!fits)
        return GENERATIONS;
    if (team_count(sliced->team) == 1 || band < 32)
        return 1;
    return band / 16 < GENERATIONS ? (int)(band / 16) : GENERATIONS;
}

/*
 * As many rows at a time as half of a second cache holds for all generations; fewer generations
 * where a whole one holds less than four rows.
 */
void anneal_plan(struct sliced *sliced, int wanted)
{
    int64_t lattice = 2 * sliced->size.h * sliced->now[0].stride * 8;
    int64_t rows = 32, caches[CA_CACHES], second;

    ca_cpu_caches(caches);
    second = caches[1];
    sliced->generations =
        wanted ? wanted : generations_by_size(sliced, lattice <= second * team_count(sliced->team));
    while (rows > 4 && group_bytes(sliced, sliced->generations, rows) > second / 2)
        rows /= 2;
    while (wanted == 0 && sliced->generations > 1 &&
           group_bytes(sliced, sliced->generations, rows) > second)
        sliced->generations /= 2;
    sliced->group_rows = rows;
    sliced->streams = lattice > caches[2];
    sliced->scratch_bytes =
        (size_t)group_bytes(sliced, sliced->generations, rows) + 2 * BITS_VECTOR * 8;
}
