/* SPDX-License-Identifier: MIT */
/* Reads the groups `points` and `speed` of lab.cfg, and makes points of results. */
#include "core/lab/kernel/points.h"

#include <string.h>

#include "core/files/config.h"

#define POINTS_MAX 1e6
#define RATIO_MAX 1e9

const char *const ca_lab_group_names[CA_LAB_GROUPS] = {"square", "uneven", "oblong", "speed"};
static const char *const speed_keys[] = {"size", "least", "goal", "others"};

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

static enum ca_status points_number(double *value, const config_setting_t *group, const char *key,
                                    double high, const char *path, struct ca_error *error)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    bool whole = setting && ca_config_is_whole(setting);
    char most[CA_NUMBER_MAX];
    double got;

    if (!setting)
        return CA_OK;
    got = whole ? (double)config_setting_get_int64(setting) : config_setting_get_float(setting);
    if ((!whole && config_setting_type(setting) != CONFIG_TYPE_FLOAT) || !(got >= 0 && got <= high))
        return ca_config_fail(setting, path, error, "allowed is a number 0 ... %s",
                              ca_number_format(most, high));
    *value = got;
    return CA_OK;
}

static enum ca_status read_speed(struct ca_lab_points *points, int dimensions,
                                 const config_setting_t *group, const char *path,
                                 struct ca_error *error)
{
    const config_setting_t *size = config_setting_get_member(group, "size");
    char text[CA_TEXT_MAX], where[CA_TEXT_MAX];

    CA_TRY(ca_config_group(group, path, error));
    CA_TRY(ca_config_keys(group, path, speed_keys, sizeof speed_keys / sizeof *speed_keys, "speed",
                          error));
    CA_TRY(points_number(&points->least, group, "least", RATIO_MAX, path, error));
    CA_TRY(points_number(&points->goal, group, "goal", RATIO_MAX, path, error));
    CA_TRY(points_number(&points->others, group, "others", RATIO_MAX, path, error));
    if (!(points->goal > points->least))
        return ca_config_fail(group, path, error,
                              "goal, %g, is not allowed: more than least, which is %g",
                              points->goal, points->least);
    if (!size)
        return CA_OK;
    CA_TRY(ca_config_text(text, size, path, error));
    CA_TRY(ca_config_refused(
        ca_size_parse(&points->size, text, dimensions, ca_config_where(where, size, path), error),
        error));
    if (ca_cells(points->size) > 1 << 26)
        return ca_config_fail(size, path, error, "%.60s has more cells than are timed, 67108864",
                              text);
    return CA_OK;
}

enum ca_status ca_lab_points_read(struct ca_lab_points *points, int dimensions,
                                  const config_setting_t *root, const char *path,
                                  struct ca_error *error)
{
    const config_setting_t *of = config_setting_get_member(root, "points");
    const config_setting_t *speed = config_setting_get_member(root, "speed");

    if (of) {
        CA_TRY(ca_config_group(of, path, error));
        CA_TRY(ca_config_keys(of, path, ca_lab_group_names, CA_LAB_GROUPS, "points", error));
        memset(points->of, 0, sizeof points->of);
    }
    for (int g = 0; of && g < CA_LAB_GROUPS; g++)
        CA_TRY(points_number(&points->of[g], of, ca_lab_group_names[g], POINTS_MAX, path, error));
    return speed ? read_speed(points, dimensions, speed, path, error) : CA_OK;
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
