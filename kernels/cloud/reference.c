/* SPDX-License-Identifier: MIT */
/*
 * Backend `reference` of cloud: a byte a cell and plane, cell after cell, as the rule is written.
 * Everything else is measured against it.
 */
#include "core/base/random.h"
#include "kernels/cloud/cloud.h"
#include "kernels/cloud/rule.h"

/* Probabilities of the three kinds of events, in 65536ths. */
struct cloud_chances {
    uint32_t extinct, humid, active;
};

static void prepare(const struct ca_setup *setup, void *context)
{
    struct cloud_chances *chances = context;

    chances->extinct = ca_probability(&setup->params, "p_ext");
    chances->humid = ca_probability(&setup->params, "p_hum");
    chances->active = ca_probability(&setup->params, "p_act");
}

/* The row of plane `act` at (y, z) of the slab, NULL where there is none: nothing is active there.
 */
static const uint8_t *active_row(const struct plain *plain, int64_t y, int64_t z)
{
    struct ca_size size = plain->size;

    if (y < 0 || y >= size.h || z < 0 || z >= size.d)
        return NULL;
    return (const uint8_t *)plain->now.plane[CLOUD_ACT] + (z * size.h + y) * size.w;
}

static struct cloud_cell draw_events(const struct plain *plain, struct cloud_cell cell, int64_t x,
                                     int64_t y, int64_t z, uint64_t t)
{
    const struct cloud_chances *k = plain->context;
    uint64_t seed = plain->setup.seed, gx = (uint64_t)x, gy = (uint64_t)y;
    uint64_t gz = (uint64_t)plain_global(&plain->setup.slab, z, plain->setup.size.d);

    return cloud_events(cell, ca_event(seed, gx, gy, gz, t, CA_STREAM_CLOUD_EXTINCTION, k->extinct),
                        ca_event(seed, gx, gy, gz, t, CA_STREAM_CLOUD_HUMIDITY, k->humid),
                        ca_event(seed, gx, gy, gz, t, CA_STREAM_CLOUD_ACTIVATION, k->active));
}

static void step_row(const struct plain *plain, int64_t y, int64_t z, uint64_t t)
{
    const struct cloud_chances *chances = plain->context;
    bool events = chances->extinct || chances->humid || chances->active;
    int64_t w = plain->size.w, at = (z * plain->size.h + y) * w;
    const uint8_t *hum = (const uint8_t *)plain->now.plane[CLOUD_HUM] + at;
    const uint8_t *act = (const uint8_t *)plain->now.plane[CLOUD_ACT] + at;
    const uint8_t *cld = (const uint8_t *)plain->now.plane[CLOUD_CLD] + at;
    const uint8_t *near[7] = {
        active_row(plain, y - 1, z), active_row(plain, y + 1, z), active_row(plain, y - 2, z),
        active_row(plain, y + 2, z), active_row(plain, y, z - 1), active_row(plain, y, z + 1),
        active_row(plain, y, z - 2),
    };

    for (int64_t x = 0; x < w; x++) {
        struct cloud_cell cell = {hum[x], act[x], cld[x]};
        uint8_t f = 0;

        for (int64_t there = x - 2; there <= x + 2; there++)
            if (there != x && there >= 0 && there < w)
                f |= act[there];
        for (int i = 0; i < 7; i++)
            if (near[i])
                f |= near[i][x];

        cell = cloud_rule(cell, f);
        if (events)
            cell = draw_events(plain, cell, x, y, z, t);
        ((uint8_t *)plain->next.plane[CLOUD_HUM])[at + x] = cell.hum;
        ((uint8_t *)plain->next.plane[CLOUD_ACT])[at + x] = cell.act;
        ((uint8_t *)plain->next.plane[CLOUD_CLD])[at + x] = cell.cld;
    }
}

static void step_rows(const struct plain *plain, int64_t first, int64_t last, uint64_t t)
{
    for (int64_t row = first; row < last; row++)
        step_row(plain, row % plain->size.h, row / plain->size.h, t);
}

const struct plain_rule cloud_plain = {
    .passes = 1,
    .pass = {step_rows},
    .context_size = sizeof(struct cloud_chances),
    .prepare = prepare,
};

enum ca_status cloud_reference_create(void **self, const struct ca_setup *setup,
                                      struct ca_error *error)
{
    return plain_create(self, setup, &cloud_plain, 1, error);
}
