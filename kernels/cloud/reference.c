/* SPDX-License-Identifier: MIT */
/*
 * Backend `reference` of cloud: a byte a cell and plane, one cell after the other, as the rule is
 * written.
 */
#include "core/base/random.h"
#include "kernels/cpu/byte_stepper.h"
#include "kernels/cloud/rule.h"

/* Probabilities of the three kinds of events, in 65536ths. */
struct cloud_chances {
    uint32_t extinct, humid, active;
};

static void cloud_reference_prepare(const struct ca_setup *setup, void *context)
{
    struct cloud_chances *chances = context;

    chances->extinct = ca_probability(&setup->params, "p_ext");
    chances->humid = ca_probability(&setup->params, "p_hum");
    chances->active = ca_probability(&setup->params, "p_act");
}

/* The row of plane `act` at (y, z) of the slab, NULL outside it, where no cell is active. */
static const uint8_t *active_row(const struct byte_stepper *stepper, int64_t y, int64_t z)
{
    struct ca_size size = stepper->size;

    if (y < 0 || y >= size.h || z < 0 || z >= size.d)
        return NULL;
    return (const uint8_t *)stepper->now.plane[CLOUD_ACT] + (z * size.h + y) * size.w;
}

static struct cloud_cell draw_events(const struct byte_stepper *stepper, struct cloud_cell cell,
                                     int64_t x, int64_t y, int64_t z, uint64_t t)
{
    const struct cloud_chances *k = stepper->context;
    uint64_t seed = stepper->setup.seed, gx = (uint64_t)x, gy = (uint64_t)y;
    uint64_t gz = (uint64_t)slab_global(&stepper->setup.slab, z, stepper->setup.size.d);

    return cloud_events(cell, ca_event(seed, gx, gy, gz, t, CLOUD_STREAM_EXTINCTION, k->extinct),
                        ca_event(seed, gx, gy, gz, t, CLOUD_STREAM_HUMIDITY, k->humid),
                        ca_event(seed, gx, gy, gz, t, CLOUD_STREAM_ACTIVATION, k->active));
}

static void step_row(const struct byte_stepper *stepper, int64_t y, int64_t z, uint64_t t)
{
    const struct cloud_chances *chances = stepper->context;
    bool events = chances->extinct || chances->humid || chances->active;
    int64_t w = stepper->size.w, at = (z * stepper->size.h + y) * w;
    const uint8_t *hum = (const uint8_t *)stepper->now.plane[CLOUD_HUM] + at;
    const uint8_t *act = (const uint8_t *)stepper->now.plane[CLOUD_ACT] + at;
    const uint8_t *cld = (const uint8_t *)stepper->now.plane[CLOUD_CLD] + at;
    const uint8_t *any_act[7] = {
        active_row(stepper, y - 1, z), active_row(stepper, y + 1, z), active_row(stepper, y - 2, z),
        active_row(stepper, y + 2, z), active_row(stepper, y, z - 1), active_row(stepper, y, z + 1),
        active_row(stepper, y, z - 2),
    };

    for (int64_t x = 0; x < w; x++) {
        struct cloud_cell cell = {hum[x], act[x], cld[x]};
        uint8_t f = 0;

        for (int64_t nx = x - 2; nx <= x + 2; nx++)
            if (nx != x && nx >= 0 && nx < w)
                f |= act[nx];
        for (int i = 0; i < 7; i++)
            if (any_act[i])
                f |= any_act[i][x];

        cell = cloud_rule(cell, f);
        if (events)
            cell = draw_events(stepper, cell, x, y, z, t);
        ((uint8_t *)stepper->next.plane[CLOUD_HUM])[at + x] = cell.hum;
        ((uint8_t *)stepper->next.plane[CLOUD_ACT])[at + x] = cell.act;
        ((uint8_t *)stepper->next.plane[CLOUD_CLD])[at + x] = cell.cld;
    }
}

static void cloud_reference_step_rows(const struct byte_stepper *stepper, int64_t first,
                                      int64_t last, uint64_t t)
{
    for (int64_t row = first; row < last; row++)
        step_row(stepper, row % stepper->size.h, row / stepper->size.h, t);
}

const struct byte_ops cloud_reference = {
    .passes = 1,
    .pass = {cloud_reference_step_rows},
    .context_size = sizeof(struct cloud_chances),
    .prepare = cloud_reference_prepare,
};
