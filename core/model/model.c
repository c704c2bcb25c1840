/* SPDX-License-Identifier: MIT */
/* Gives what a model's record leaves out. */
#include "core/model/model.h"

#include "core/model/field.h"

static const struct ca_observable no_observables[] = {{.name = NULL}};
static const struct ca_field no_fields[] = {{.name = NULL}};
static const struct ca_measurement no_measurements[] = {{.name = NULL}};

const struct ca_observable *ca_observables(const struct ca_model *model)
{
    const struct ca_model_observe *observe = model->observe;

    return observe && observe->observables ? observe->observables : no_observables;
}

const struct ca_field *ca_fields(const struct ca_model *model)
{
    return model->observe && model->observe->fields ? model->observe->fields : no_fields;
}

const struct ca_measurement *ca_measurements(const struct ca_model *model)
{
    const struct ca_model_observe *observe = model->observe;

    return observe && observe->measurements ? observe->measurements : no_measurements;
}

static const struct ca_state_appearance plain_states[] = {
    {'.', CA_COLOUR_QUIET, "zero"}, {'O', CA_COLOUR_STRONG, "not zero"}, {.name = NULL}};

static void plain_value(const struct ca_model *model, const void *const planes[], int64_t i,
                        float low, float high, struct ca_appearance *look)
{
    uint8_t value = ((const uint8_t *)planes[0])[i];

    (void)model, (void)low, (void)high;
    *look = (struct ca_appearance){.code = value != 0, .level = value != 0};
}

static void plain_float(const struct ca_model *model, const void *const planes[], int64_t i,
                        float low, float high, struct ca_appearance *look)
{
    float value = ((const float *)planes[0])[i];

    (void)model;
    *look = (struct ca_appearance){.code = value != 0,
                                   .level = high > low ? (value - low) / (high - low) : 0};
}

const struct ca_model_draw *ca_plain_draw(const struct ca_model *model)
{
    static const struct ca_model_draw values = {
        .states = plain_states, .cell = plain_value, .level_unit = "not zero", .level_full = 1};
    static const struct ca_model_draw floats = {
        .states = plain_states, .cell = plain_float, .level_unit = "brightness", .level_full = 1};

    return model->type == CA_F32 ? &floats : &values;
}

const struct ca_seen *ca_seen_of(const struct ca_model *model)
{
    static const struct ca_seen lowest[] = {{0, 1}, {0, 0}};

    return ca_draw_of(model)->seen ? ca_draw_of(model)->seen : lowest;
}
