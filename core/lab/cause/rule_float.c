/* SPDX-License-Identifier: MIT */
/* Explains differences of a model of floats: rounding, and conditions of the cells that are wrong.
 */
#include "core/lab/cause/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDED 1e-5 /* relative to the values around, after one generation */
#define SHOW_MIN 20
#define RIGHT_MIN 200 /* cells beside them that are right */

/* The steps from one float to another on the line of all floats. */
static int64_t steps_between(float a, float b)
{
    int32_t bits[2];

    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    for (int i = 0; i < 2; i++)
        if (bits[i] < 0)
            bits[i] = (int32_t)(INT32_MIN - (int64_t)bits[i]);
    return llabs((long long)bits[0] - bits[1]);
}

void cause_rounding(struct prober *prober, bool *done)
{
    int64_t most = 0;

    if (prober->model->type != CA_F32)
        return;
    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        if (ca_lattice_compare_within(&sample->expected, &sample->got, ROUNDED,
                                      prober->model->radius)
                .count > 0)
            return;
        for (int p = 0; p < prober->model->planes; p++)
            for (int64_t i = 0; i < prober->cells; i++) {
                int64_t steps = steps_between(((float *)sample->expected.plane[p])[i],
                                              ((float *)sample->got.plane[p])[i]);

                most = steps > most ? steps : most;
            }
    }
    *done = true;
    cause_add(prober, CA_CAUSE_ROUNDING, 1,
              "The values differ by rounding alone (at most %lld in the last place): sums are made "
              "in another order, or a multiplication and an addition are fused.",
              (long long)most);
}

/* --- cells that alone are wrong --------------------------------------------------------------- */

/* Plane p of a cell, or how far it stands above plane 0, compared with 0: below, at, above, or not
 * at it. */
enum sign { BELOW, AT, ABOVE, NOT_AT, SIGNS };
struct condition {
    int plane;
    bool above;
    enum sign sign;
};

static bool holds(const struct condition *condition, const struct ca_lattice *state, int64_t cell)
{
    float value = ((float *)state->plane[condition->plane])[cell];

    if (condition->above)
        value -= ((float *)state->plane[0])[cell];
    switch (condition->sign) {
    case BELOW:
        return value < 0;
    case AT:
        return value == 0;
    case ABOVE:
        return value > 0;
    default:
        return value != 0;
    }
}

/* Whether all wrong cells of the place, and many right ones without it, tell the condition. */
static bool explains(const struct prober *prober, const struct cause_place *place,
                     const struct condition *condition)
{
    int64_t wrong = 0, right = 0, at[3];

    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        for (int64_t i = 0; i < prober->cells; i++) {
            bool differs = cell_differs(&sample->expected, &sample->got, i);
            bool held = holds(condition, &sample->start, i);

            cell_at(prober->setup.size, i, at);
            if (!place_holds(place, at))
                continue;
            if (differs && !held)
                return false;
            wrong += differs;
            right += !differs && !held;
        }
    }
    return wrong >= SHOW_MIN && right >= RIGHT_MIN;
}

/* The part of the wrong values of a place that are too high by just the cell's value of a plane. */
static double off_by(const struct prober *prober, int plane)
{
    int64_t off = 0, wrong = 0;

    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        for (int64_t i = 0; i < prober->cells; i++)
            for (int p = 0; p < prober->model->planes; p++) {
                float expected = ((float *)sample->expected.plane[p])[i];
                float got = ((float *)sample->got.plane[p])[i];
                float by = ((float *)sample->start.plane[plane])[i];

                if (got == expected)
                    continue;
                wrong++;
                off += fabsf(got - expected - by) <= 1e-4F * (1 + fabsf(by) + fabsf(got));
            }
    }
    return wrong ? (double)off / (double)wrong : 0;
}

void cause_float_rule(struct prober *prober, const struct cause_place *place, bool *found)
{
    static const char *const compared[SIGNS] = {"below", "at", "above", "not"};

    for (int p = 0; p < prober->model->planes && !*found; p++)
        for (int above = 0; above < (p > 0 ? 2 : 1) && !*found; above++)
            for (int sign = 0; sign < SIGNS && !*found; sign++) {
                struct condition condition = {p, above, (enum sign)sign};
                const char *name = prober->model->plane_names[p];

                if (!explains(prober, place, &condition))
                    continue;
                if (above)
                    cause_add(prober, CA_CAUSE_RULE, 0.9,
                              "The neighbours are right, but cells whose %s is %s its %s come out "
                              "wrong, and only these.",
                              name, compared[sign], prober->model->plane_names[0]);
                else
                    cause_add(prober, CA_CAUSE_RULE, 0.9,
                              "The neighbours are right, but cells whose %s is %s 0 come out "
                              "wrong, and only these%s.",
                              name, compared[sign],
                              off_by(prober, p) > 0.5 ? "; most are too high by just that much"
                                                      : "");
                *found = true;
            }
}
