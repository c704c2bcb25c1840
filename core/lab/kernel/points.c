/* SPDX-License-Identifier: MIT */
/* This file gives points: what the cases of a group and the speed of a kernel are worth. */
#include "core/lab/kernel/reader.h"

#include <string.h>

#define POINTS_MAX 1e6
#define RATIO_MAX 1e9
#define BOUND_MAX 1e9

const char *const ca_lab_group_names[CA_LAB_GROUPS] = {"square", "uneven", "oblong", "speed",
                                                       "structure"};

const char *const ca_lab_bound_names[CA_LAB_BOUNDS] = {
    "sectors_per_request", "bank_conflicts", "global_loads_per_cell", "divergent", "registers"};

void ca_lab_points_default(struct ca_lab_points *points)
{
    *points = (struct ca_lab_points){.of = {25, 25, 25, 25}, .goal = 1, .others = 0.25};
    for (int i = 0; i < CA_LAB_BOUNDS; i++)
        points->bound[i] = -1;
}

bool ca_lab_points_same(const struct ca_lab_points *a, const struct ca_lab_points *b)
{
    bool same = a->least == b->least && a->goal == b->goal && a->others == b->others &&
                ca_size_equal(a->size, b->size);

    for (int g = 0; g < CA_LAB_GROUPS; g++)
        same = same && a->of[g] == b->of[g];
    for (int i = 0; i < CA_LAB_BOUNDS; i++)
        same = same && a->bound[i] == b->bound[i];
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

bool ca_lab_has_bounds(const struct ca_lab_points *points)
{
    bool any = false;

    for (int i = 0; i < CA_LAB_BOUNDS; i++)
        any = any || points->bound[i] >= 0;
    return any;
}

/* --- in lab.cfg ------------------------------------------------------------------------------- */

static enum ca_status read_points(const struct lab_reader *r)
{
    const config_setting_t *group = config_setting_get_member(r->root, "points");
    double *of = r->lab->points.of;

    if (!group)
        return CA_OK;
    CA_TRY(ca_config_group(group, r->path, r->error));
    CA_TRY(ca_config_keys(group, r->path, ca_lab_group_names, CA_LAB_GROUPS, "points", r->error));
    memset(of, 0, sizeof r->lab->points.of);
    for (int g = 0; g < CA_LAB_GROUPS; g++) {
        const struct lab_number_row row = {ca_lab_group_names[g], 0, POINTS_MAX, .real = &of[g]};

        CA_TRY(lab_group_numbers(r, group, &row, 1));
    }
    return CA_OK;
}

static const char *const speed_keys[] = {"size", "least", "goal", "others"};

static enum ca_status read_speed(const struct lab_reader *r)
{
    const config_setting_t *group = config_setting_get_member(r->root, "speed"), *size;
    struct ca_lab_points *points = &r->lab->points;
    const struct lab_number_row rows[] = {{"least", 0, RATIO_MAX, .real = &points->least},
                                          {"goal", 0, RATIO_MAX, .real = &points->goal},
                                          {"others", 0, RATIO_MAX, .real = &points->others}};

    if (!group)
        return CA_OK;
    CA_TRY(ca_config_group(group, r->path, r->error));
    CA_TRY(ca_config_keys(group, r->path, speed_keys, 4, "speed", r->error));
    CA_TRY(lab_group_numbers(r, group, rows, 3));
    if (!(points->goal > points->least))
        return ca_config_fail(group, r->path, r->error,
                              "goal, %g, is not allowed: more than least, which is %g",
                              points->goal, points->least);
    size = config_setting_get_member(group, "size");
    return size ? lab_setting_size(r, size, size, "are timed", &points->size) : CA_OK;
}

/* Points for structure and its bounds belong together, and to kernels in CUDA. */
static enum ca_status read_structure(const struct lab_reader *r)
{
    const config_setting_t *group = config_setting_get_member(r->root, "structure");
    const config_setting_t *given = config_setting_get_member(r->root, "points");
    struct ca_lab_points *points = &r->lab->points;
    bool scored = points->of[CA_LAB_STRUCTURE] > 0;

    if (group) {
        CA_TRY(ca_config_group(group, r->path, r->error));
        CA_TRY(ca_config_keys(group, r->path, ca_lab_bound_names, CA_LAB_BOUNDS, "structure",
                              r->error));
    }
    for (int i = 0; group && i < CA_LAB_BOUNDS; i++) {
        const struct lab_number_row row = {ca_lab_bound_names[i], 0,
                                           i == CA_LAB_DIVERGENT ? 1 : BOUND_MAX,
                                           .real = &points->bound[i]};

        CA_TRY(lab_group_numbers(r, group, &row, 1));
    }
    if (scored && !ca_lab_has_bounds(points))
        return ca_config_fail(given, r->path, r->error,
                              "structure has %g points and no bound: needed is a group as "
                              "structure : { bank_conflicts = 0; }",
                              points->of[CA_LAB_STRUCTURE]);
    if (group && !scored)
        return ca_config_fail(
            group, r->path, r->error,
            "its bounds have no points: needed are some in points, as structure = 25");
    if (group && !r->lab->cuda && !r->submission)
        return ca_config_fail(group, r->path, r->error,
                              "goes with a kernel in CUDA, and this one is %s", r->lab->source);
    return CA_OK;
}

enum ca_status lab_read_points(const struct lab_reader *r)
{
    CA_TRY(read_points(r));
    CA_TRY(read_speed(r));
    return read_structure(r);
}
