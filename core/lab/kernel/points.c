/* SPDX-License-Identifier: MIT */
/* This file gives points: what the cases of a group and the speed of a kernel are worth. */
#include "core/lab/kernel/lab.h"

const char *const ca_lab_group_names[CA_LAB_GROUPS] = {"square", "uneven", "oblong", "speed"};

void ca_lab_points_default(struct ca_lab_points *points)
{
    *points = (struct ca_lab_points){.of = {25, 25, 25, 25}, .goal = 1, .others = 0.25};
}

bool ca_lab_points_same(const struct ca_lab_points *a, const struct ca_lab_points *b)
{
    bool same = a->least == b->least && a->goal == b->goal && a->others == b->others &&
                ca_size_equal(a->size, b->size);

    for (int g = 0; g < CA_LAB_GROUPS; g++)
        same = same && a->of[g] == b->of[g];
    return same;
}

enum ca_lab_group ca_lab_group_of(struct ca_size size, int dimensions, const int64_t tile[3])
{
    const int64_t side[] = {size.w, size.h, size.d};
    bool same = true;

    for (int a = 0; a < dimensions && a < 3; a++) {
        int64_t of = tile[a] > 0 ? tile[a] : dimensions == 3 ? 8 : 32;

        if (side[a] % of != 0)
            return CA_LAB_UNEVEN;
        same = same && side[a] == side[0];
    }
    return same ? CA_LAB_SQUARE : CA_LAB_OBLONG;
}

double ca_lab_points_of_cases(const struct ca_lab_points *points, enum ca_lab_group group,
                              int right, int cases)
{
    return cases > 0 ? points->of[group] * right / cases : 0;
}

double ca_lab_points_of_speed(const struct ca_lab_points *points, double ratio)
{
    double part = (ratio - points->least) / (points->goal - points->least);

    return points->of[CA_LAB_SPEED] * (part > 1 ? 1 : part > 0 ? part : 0);
}
