/* SPDX-License-Identifier: MIT */
/* This file draws cells: by tables for u8 models, one by one for f32 models. */
#include "core/sim/appearance.h"

struct ca_appearance view_appearance(const struct view_appearances *appearances,
                                     const void *const planes[], int64_t i)
{
    struct ca_appearance appearance = {0};

    ca_draw_of(appearances->model)
        ->cell(planes, i, appearances->low, appearances->high, &appearance);
    appearance.level =
        appearance.level > 0 ? appearance.level < 1 ? appearance.level : 1 : 0; /* NaN is 0 */
    return appearance;
}

void view_appearances_make(struct view_appearances *appearances,
                           const struct ca_simulation *simulation)
{
    const struct ca_model *model = ca_simulation_setup(simulation)->model;
    int radix = model->max_value + 1, values = 1;

    *appearances = (struct view_appearances){.model = model};
    ca_simulation_range(simulation, &appearances->low, &appearances->high);
    for (int i = 0; ca_draw_of(model)->states[i].name; i++)
        appearances->u8.solid[i] = ca_draw_of(model)->states[i].colour == CA_COLOUR_SOLID;
    for (int p = 0; p < model->planes; p++)
        values *= radix;
    if (model->type != CA_U8 || values > 256)
        return;
    appearances->u8.planes = model->planes;
    appearances->u8.radix = radix;
    for (int v = 0; v < values; v++) {
        uint8_t cell[CA_PLANES_MAX] = {(uint8_t)(v % radix), (uint8_t)(v / radix % radix),
                                       (uint8_t)(v / radix / radix)};
        const void *const planes[CA_PLANES_MAX] = {&cell[0], &cell[1], &cell[2]};

        appearances->u8.table[v] = view_appearance(appearances, planes, 0);
    }
}
