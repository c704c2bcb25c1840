/* SPDX-License-Identifier: MIT */
/*
 * A graded kernel gets points for groups of cases, which tell kernels apart that
 * hold for one kind of lattice alone, and its speed. In lab.cfg, both optional:
 *
 *     points : { square = 25; uneven = 25; oblong = 25; speed = 25; };
 *     speed : { size = "512x512"; least = 0.0; goal = 1.0; others = 0.25; };
 */
#ifndef CALAB_CORE_LAB_KERNEL_POINTS_H
#define CALAB_CORE_LAB_KERNEL_POINTS_H

#include "core/model/lattice.h"

enum ca_lab_group {
    CA_LAB_SQUARE, /* sides that are all the same, and multiples of the tile's */
    CA_LAB_UNEVEN, /* a side is no multiple */
    CA_LAB_OBLONG, /* multiples, and not all the same */
    CA_LAB_SPEED,
    CA_LAB_GROUPS,
};
extern const char *const ca_lab_group_names[CA_LAB_GROUPS];

struct ca_lab_points {
    double of[CA_LAB_GROUPS]; /* the most that a group gives */
    struct ca_size size;      /* of the lattice that is timed; w 0: the largest square one */
    double least, goal;       /* times as fast as the backend that gives no points, and all */
    double others;            /* the cores, or the share of a GPU, that others may use meanwhile */
};

void ca_lab_points_default(struct ca_lab_points *points);
bool ca_lab_points_same(const struct ca_lab_points *a, const struct ca_lab_points *b);
/* The group of a size, with a tile whose sides may be 0, not known: 32x32 then, or 8x8x8. */
enum ca_lab_group ca_lab_group_of(struct ca_size size, int dimensions, const int64_t tile[3]);
/* The points for a group of `cases` of which so many are right; those for a speed, by the ratio
 * that favours the student. */
double ca_lab_points_of_cases(const struct ca_lab_points *points, enum ca_lab_group group,
                              int right, int cases);
double ca_lab_points_of_speed(const struct ca_lab_points *points, double ratio);

#endif
