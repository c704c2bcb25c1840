/* SPDX-License-Identifier: MIT */
/* Owns one plain kernel for each model; `number` selects mistakes in the rule itself. */
#include "tests/students/student_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "kernels/cloud/rule.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"
#include "kernels/life3d/rule.h"
#include "kernels/water/rule.h"

int student_read(const struct student *student, const struct ca_lattice *in, int plane,
                 const int64_t at[3], int x, int y, int z)
{
    const int64_t side[3] = {in->size.w, in->size.h, in->size.d};
    int offset[3] = {x, y, z};
    int value = student->fault ? student->fault(student, side, at, offset) : FAULT_NONE;
    int64_t to[3];

    if (value != FAULT_NONE)
        return value;
    for (int a = 0; a < 3; a++) {
        to[a] = at[a] + offset[a];
        if (to[a] >= 0 && to[a] < side[a])
            continue; /* most are, and divisions are what takes long */
        if (student->dead)
            return 0;
        to[a] = (to[a] % side[a] + side[a]) % side[a];
    }
    return ((uint8_t *)in->plane[plane])[(to[2] * side[1] + to[1]) * side[0] + to[0]];
}

#define EACH_CELL(lattice, at)                                                                     \
    for (at[2] = 0; at[2] < (lattice)->size.d; at[2]++)                                            \
        for (at[1] = 0; at[1] < (lattice)->size.h; at[1]++)                                        \
            for (at[0] = 0; at[0] < (lattice)->size.w; at[0]++)

static int64_t index_of(const struct ca_lattice *lattice, const int64_t at[3])
{
    return (at[2] * lattice->size.h + at[1]) * lattice->size.w + at[0];
}

/* number: bit b set: what is made of a sum of b is wrong. */
void student_anneal(const struct student *student, const struct ca_experiment *experiment,
                    const struct ca_lattice *in, struct ca_lattice *out, uint64_t t)
{
    int64_t at[3];

    (void)experiment, (void)t;
    EACH_CELL(in, at)
    {
        int sum = 0;

        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                sum += student_read(student, in, 0, at, x, y, 0);
        ((uint8_t *)out->plane[0])[index_of(in, at)] =
            (uint8_t)((sum == 4 || sum >= 6) ^ (student->number >> sum & 1));
    }
}

/* number: 1: the cell counts itself; 2: the ranges of birth and survival are exchanged. */
void student_life3d(const struct student *student, const struct ca_experiment *experiment,
                    const struct ca_lattice *in, struct ca_lattice *out, uint64_t t)
{
    int64_t at[3];
    int r1 = (int)ca_int(&experiment->params, "r1"), r2 = (int)ca_int(&experiment->params, "r2");
    int r3 = (int)ca_int(&experiment->params, "r3"), r4 = (int)ca_int(&experiment->params, "r4");

    (void)t;
    EACH_CELL(in, at)
    {
        int live = ((uint8_t *)in->plane[0])[index_of(in, at)], n = 0;

        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    if (x || y || z || student->number == 1)
                        n += student_read(student, in, 0, at, x, y, z);
        if (student->number == 3 && n == r1)
            n = 0;
        ((uint8_t *)out->plane[0])[index_of(in, at)] =
            (uint8_t)((live != (student->number == 2)) ? n <= r3 && n >= r4 : n >= r1 && n <= r2);
    }
}

static const int cloud_reach[12][3] = {{1, 0, 0}, {-1, 0, 0}, {2, 0, 0},  {-2, 0, 0},
                                       {0, 1, 0}, {0, -1, 0}, {0, 2, 0},  {0, -2, 0},
                                       {0, 0, 1}, {0, 0, -1}, {0, 0, -2}, {0, 0, 2}};

/* number: 1: z+2 is read too; 2: hum is kept; 3: two active cells are needed; 4: cld is not
 * written; 5: act goes on without hum; 6: draws of one stream for all; 7: no draws; 8: draws with
 * x and y exchanged. */
void student_cloud(const struct student *student, const struct ca_experiment *experiment,
                   const struct ca_lattice *in, struct ca_lattice *out, uint64_t t)
{
    uint8_t *const *next = (uint8_t *const *)out->plane, *const *now = (uint8_t *const *)in->plane;
    uint32_t k[3] = {ca_probability(&experiment->params, "p_ext"),
                     ca_probability(&experiment->params, "p_hum"),
                     ca_probability(&experiment->params, "p_act")};
    uint32_t streams[3] = {CLOUD_STREAM_EXTINCTION, CLOUD_STREAM_HUMIDITY, CLOUD_STREAM_ACTIVATION};
    int64_t at[3];

    EACH_CELL(in, at)
    {
        int64_t i = index_of(in, at);
        struct cloud_cell cell = {now[0][i], now[1][i], now[2][i]};
        uint8_t hum = cell.hum, act = cell.act, drawn[3];
        int neighbours = 0;

        for (int n = 0; n < (student->number == 1 ? 12 : 11); n++)
            neighbours += student_read(student, in, CLOUD_ACT, at, cloud_reach[n][0],
                                       cloud_reach[n][1], cloud_reach[n][2]);
        cell = cloud_rule(cell, neighbours > (student->number == 3 ? 1 : 0));
        if (student->number == 2)
            cell.hum = hum;
        if (student->number == 5)
            cell.act = !act && neighbours;
        for (int d = 0; d < 3; d++) {
            uint64_t x = (uint64_t)at[0], y = (uint64_t)at[1];

            drawn[d] = student->number != 7 &&
                       ca_event(experiment->seed, student->number == 8 ? y : x,
                                student->number == 8 ? x : y, (uint64_t)at[2], t,
                                student->number == 6 ? streams[0] : streams[d], k[d]);
        }
        cell = cloud_events(cell, drawn[0], drawn[1], drawn[2]);
        next[0][i] = cell.hum;
        next[1][i] = cell.act;
        if (student->number != 4)
            next[2][i] = cell.cld;
    }
}

static uint8_t student_bounce(int number, uint8_t node)
{
    uint8_t back = fhp_bounce(node);

    if (number == 4)
        return node;
    if (number == 9)
        return back & (uint8_t)~FHP_REST;
    return number == 12 ? (uint8_t)((back & ~36) | (node & 36)) : back;
}

/* number: 1: chirality is inverted; 2: it is never drawn; 3: pairs go straight on; 4: solid nodes
 * do not bounce; 5: draws of the generation after; 6: of the neighbouring row; 7: rest particles
 * are lost in collisions; 8: the seed is 0; 9: rest particles are lost at solid nodes; 10: solid is
 * what the neighbour at x+1 is; 11: solid are the rows of a channel; 12: west and east are not
 * exchanged at solid nodes; 13: a solid node with a rest particle is none. */
void student_fhp(const struct student *student, const struct ca_experiment *experiment,
                 const struct ca_lattice *in, struct ca_lattice *out, uint64_t t)
{
    uint64_t seed = student->number == 8 ? 0 : experiment->seed;
    struct fhp_table table;
    int64_t at[3];

    fhp_table_make(&table, (enum fhp_collisions)ca_choice(&experiment->params, "collisions"));
    EACH_CELL(in, at)
    {
        int odd = (int)(at[1] % 2);
        uint8_t node = fhp_move((uint8_t)student_read(student, in, 0, at, odd - 1, -1, 0),
                                (uint8_t)student_read(student, in, 0, at, odd, -1, 0),
                                (uint8_t)student_read(student, in, 0, at, 1, 0, 0),
                                (uint8_t)student_read(student, in, 0, at, odd, 1, 0),
                                (uint8_t)student_read(student, in, 0, at, odd - 1, 1, 0),
                                (uint8_t)student_read(student, in, 0, at, -1, 0, 0),
                                ((uint8_t *)in->plane[0])[index_of(in, at)]);
        int solid = node & FHP_SOLID;
        int turn = ca_bit(seed, (uint64_t)at[0], (uint64_t)at[1] + (student->number == 6), 0,
                          t + (student->number == 5), FHP_STREAM_CHIRALITY);

        if (student->number == 1)
            turn = !turn;
        if (student->number == 2)
            turn = 0;
        if (student->number == 10) /* and keeps its own mark */
            solid = student_read(student, in, 0, at, 1, 0, 0) & FHP_SOLID;
        if (student->number == 11)
            solid = at[1] == 0 || at[1] == in->size.h - 1;
        if (student->number == 13 && node & FHP_REST)
            solid = 0;
        if (solid)
            node = student_bounce(student->number, node);
        else if (student->number == 7 && table.next[0][node] != node)
            node = table.next[turn][node] & (uint8_t)~FHP_REST;
        else if (student->number != 3 || (node != 9 && node != 18 && node != 36))
            node = table.next[turn][node & 127] | (node & FHP_SOLID);
        ((uint8_t *)out->plane[0])[index_of(in, at)] = node;
    }
}

/* --- water ------------------------------------------------------------------------------------ */

/* The levels of the neighbours that exist, in the order north, west, east, south. */
static int levels_around(const struct student *student, const struct ca_lattice *in,
                         const float *level, const int64_t at[3], float neighbours[4])
{
    static const int order[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};
    const int64_t side[3] = {in->size.w, in->size.h, 1};
    int count = 0;

    for (int i = 0; i < 4; i++) {
        int offset[3] = {order[i][0], order[i][1], 0};
        int value = student->fault ? student->fault(student, side, at, offset) : FAULT_NONE;
        int64_t x = at[0] + offset[0], y = at[1] + offset[1];

        if (student->number == 5)
            x = (x + side[0]) % side[0], y = (y + side[1]) % side[1];
        if (value == FAULT_NONE && x >= 0 && x < side[0] && y >= 0 && y < side[1])
            neighbours[count++] = level[y * side[0] + x];
    }
    return count;
}

/* number: 1: flows are summed in the other order; 2: a source adds twice; 3: water may flow from
 * dry cells too (the level is not held at the ground); 4: sources are forgotten; 5: a torus; 6: the
 * terrain is not in the best level; 7: sums are made in double. */
void student_water(const struct student *student, const struct ca_experiment *experiment,
                   const struct ca_lattice *in, struct ca_lattice *out, uint64_t t)
{
    const float *g = in->plane[0], *l = in->plane[1], *s = in->plane[2];
    enum water_mode mode = (enum water_mode)ca_choice(&experiment->params, "source_mode");
    float *best = malloc((size_t)ca_cells(in->size) * sizeof *best), *next = out->plane[1];
    int64_t at[3];

    (void)t;
    EACH_CELL(in, at)
    {
        int64_t i = index_of(in, at);
        float neighbours[4];
        int count = levels_around(student, in, l, at, neighbours);

        best[i] = water_best(student->number == 6 ? 0 : g[i], l[i], neighbours, count);
    }
    EACH_CELL(in, at)
    {
        int64_t i = index_of(in, at);
        float neighbours[4], level = l[i], source = student->number == 4 ? 0 : s[i], swap;
        int count = levels_around(student, in, best, at, neighbours);

        if (student->number == 1)
            for (int a = 0; a < count / 2; a++)
                swap = neighbours[a], neighbours[a] = neighbours[count - 1 - a],
                neighbours[count - 1 - a] = swap;
        if (student->number == 7) {
            double change = source;

            for (int a = 0; a < count; a++)
                change += water_max(0, neighbours[a] - level);
            change += water_max(g[i], best[i]) - level;
            next[i] = water_max((float)(level + change), g[i]);
        } else
            next[i] = water_level(g[i], level, student->number == 2 ? 2 * source : source, best[i],
                                  neighbours, count, mode);
        if (student->number == 3)
            next[i] = water_level(-1e9F, level, source, best[i], neighbours, count, mode);
    }
    free(best);
    memcpy(out->plane[0], g, (size_t)ca_cells(in->size) * sizeof *g);
    memcpy(out->plane[2], s, (size_t)ca_cells(in->size) * sizeof *s);
}
