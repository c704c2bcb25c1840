/* SPDX-License-Identifier: MIT */
/* Owns asking a model how its cells look. */
#include "core/sim/appearance.h"

struct ca_appearance view_look(const struct view_looks *looks, const void *const planes[],
                               int64_t i)
{
    struct ca_appearance look = {0};

    looks->model->look(planes, i, looks->low, looks->high, &look);
    look.level = look.level > 0 ? look.level < 1 ? look.level : 1 : 0; /* NaN is 0 */
    return look;
}

void view_looks_make(struct view_looks *looks, const struct ca_simulation *simulation)
{
    const struct ca_model *model = ca_simulation_setup(simulation)->model;
    int radix = model->max_value + 1, values = 1;

    *looks = (struct view_looks){.model = model};
    ca_simulation_range(simulation, &looks->low, &looks->high);
    for (int i = 0; model->states[i].name; i++)
        looks->of.solid[i] = model->states[i].colour == CA_COLOUR_SOLID;
    for (int p = 0; p < model->planes; p++)
        values *= radix;
    if (model->type != CA_U8 || values > 256)
        return;
    looks->of.planes = model->planes;
    looks->of.radix = radix;
    for (int v = 0; v < values; v++) {
        uint8_t cell[CA_PLANES_MAX] = {(uint8_t)(v % radix), (uint8_t)(v / radix % radix),
                                       (uint8_t)(v / radix / radix)};
        const void *const planes[CA_PLANES_MAX] = {&cell[0], &cell[1], &cell[2]};

        looks->of.table[v] = view_look(looks, planes, 0);
    }
}
