/* SPDX-License-Identifier: MIT */
/* Owns mistakes in reading a neighbour: each moves it, or says what is taken for it. */
#include <string.h>

#include "tests/students/student_kernels.h"
#include "tests/support/support.h"

#define FAULT(name)                                                                                \
    int fault_##name(const struct student *k, const int64_t side[3], const int64_t at[3], int o[3])
#define UNUSED (void)k, (void)side, (void)at, (void)o

FAULT(no_north_east)
{
    UNUSED;
    return o[0] == 1 && o[1] == -1 && o[2] == 0 ? 0 : FAULT_NONE;
}
FAULT(no_corners)
{
    UNUSED;
    return o[0] && o[1] && (side[2] == 1 || o[2]) ? 0 : FAULT_NONE;
}
FAULT(no_centre)
{
    UNUSED;
    return !o[0] && !o[1] && !o[2] ? 0 : FAULT_NONE;
}
FAULT(no_above)
{
    UNUSED;
    return o[2] == 1 ? 0 : FAULT_NONE;
}
FAULT(no_west)
{
    UNUSED;
    return o[0] == -1 && o[1] == 0 && o[2] == 0 ? 0 : FAULT_NONE;
}
FAULT(far_east)
{
    UNUSED;
    o[0] += o[0] == 1;
    return FAULT_NONE;
}
FAULT(far_north_west)
{
    UNUSED;
    if (o[0] == -1 && o[1] == -1 && o[2] == 0)
        o[0] = o[1] = -2;
    return FAULT_NONE;
}
FAULT(north_is_south)
{
    UNUSED;
    if (o[0] == 0 && o[2] == 0 && o[1] == -1)
        o[1] = 1;
    return FAULT_NONE;
}
FAULT(south_two)
{
    UNUSED;
    o[1] += o[1] == 1;
    return FAULT_NONE;
}
FAULT(upside_down)
{
    UNUSED;
    o[2] = -o[2];
    return FAULT_NONE;
}

/* Edges of the lattice. */
static bool beyond(int64_t side, int64_t at, int o) { return at + o < 0 || at + o >= side; }
FAULT(dead_edges)
{
    UNUSED;
    for (int a = 0; a < 3; a++)
        if (beyond(side[a], at[a], o[a]))
            return 0;
    return FAULT_NONE;
}
FAULT(dead_west)
{
    UNUSED;
    return at[0] + o[0] < 0 ? 0 : FAULT_NONE;
}
FAULT(dead_south)
{
    UNUSED;
    return at[1] + o[1] >= side[1] ? 0 : FAULT_NONE;
}
FAULT(dead_x)
{
    UNUSED;
    return beyond(side[0], at[0], o[0]) ? 0 : FAULT_NONE;
}
FAULT(dead_z)
{
    UNUSED;
    return beyond(side[2], at[2], o[2]) ? 0 : FAULT_NONE;
}
FAULT(live_north_edge)
{
    UNUSED;
    return at[1] + o[1] < 0 ? 1 : FAULT_NONE;
}
FAULT(dead_lattice_corners)
{
    UNUSED;
    return beyond(side[0], at[0], o[0]) && beyond(side[1], at[1], o[1]) ? 0 : FAULT_NONE;
}
FAULT(clamped)
{
    UNUSED;
    for (int a = 0; a < 3; a++)
        if (beyond(side[a], at[a], o[a]))
            o[a] = 0;
    return FAULT_NONE;
}
FAULT(mirrored)
{
    UNUSED;
    for (int a = 0; a < 3; a++)
        if (beyond(side[a], at[a], o[a]))
            o[a] = -o[a];
    return FAULT_NONE;
}
FAULT(torus)
{
    UNUSED;
    for (int a = 0; a < 3; a++)
        if (beyond(side[a], at[a], o[a]))
            o[a] += (int)(o[a] < 0 ? side[a] : -side[a]);
    return FAULT_NONE;
}

/* Edges of tiles of `number` cells. */
static bool left(const struct student *k, int64_t at, int o)
{
    return o < 0 && at % k->tile + o < 0;
}
static bool right(const struct student *k, int64_t at, int o)
{
    return o > 0 && at % k->tile + o >= k->tile;
}
FAULT(halo_left)
{
    UNUSED;
    return left(k, at[0], o[0]) ? 0 : FAULT_NONE;
}
FAULT(halo_right)
{
    UNUSED;
    return right(k, at[0], o[0]) ? 0 : FAULT_NONE;
}
FAULT(halo_top)
{
    UNUSED;
    return left(k, at[1], o[1]) ? 0 : FAULT_NONE;
}
FAULT(halo_bottom)
{
    UNUSED;
    return right(k, at[1], o[1]) ? 0 : FAULT_NONE;
}
FAULT(halo_low)
{
    UNUSED;
    return left(k, at[2], o[2]) ? 0 : FAULT_NONE;
}
FAULT(corner_nw)
{
    UNUSED;
    return left(k, at[0], o[0]) && left(k, at[1], o[1]) ? 0 : FAULT_NONE;
}
FAULT(corner_ne)
{
    UNUSED;
    return right(k, at[0], o[0]) && left(k, at[1], o[1]) ? 0 : FAULT_NONE;
}
FAULT(corner_sw)
{
    UNUSED;
    return left(k, at[0], o[0]) && right(k, at[1], o[1]) ? 0 : FAULT_NONE;
}
FAULT(corner_se)
{
    UNUSED;
    return right(k, at[0], o[0]) && right(k, at[1], o[1]) ? 0 : FAULT_NONE;
}
FAULT(halo_corners)
{
    UNUSED;
    return (left(k, at[0], o[0]) || right(k, at[0], o[0])) &&
                   (left(k, at[1], o[1]) || right(k, at[1], o[1]))
               ? 0
               : FAULT_NONE;
}
FAULT(halo_none)
{
    UNUSED;
    for (int a = 0; a < 2; a++)
        if (left(k, at[a], o[a]) || right(k, at[a], o[a]))
            return 0;
    return FAULT_NONE;
}
FAULT(tile_torus)
{
    UNUSED;
    if (left(k, at[0], o[0]))
        o[0] += k->tile;
    return FAULT_NONE;
}

/* Rows of fhp: the columns of the rows above and below depend on the parity of the row. */
FAULT(no_parity)
{
    UNUSED;
    o[0] -= o[1] != 0 && at[1] % 2 == 1;
    return FAULT_NONE;
}
FAULT(other_parity)
{
    UNUSED;
    if (o[1] != 0)
        o[0] += at[1] % 2 == 1 ? -1 : 1;
    return FAULT_NONE;
}
FAULT(odd_rows_lack_north)
{
    UNUSED;
    return at[1] % 2 == 1 && o[1] == -1 ? 0 : FAULT_NONE;
}
FAULT(in_tail)
{
    UNUSED;
    return at[0] >= side[0] / k->tile * k->tile && o[0] == 1 ? 0 : FAULT_NONE;
}
