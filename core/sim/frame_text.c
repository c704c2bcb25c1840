/* SPDX-License-Identifier: MIT */
/* This file chooses a character and a colour for each code and level of a frame, and writes its
 * legend. */
#include "core/sim/frame_text.h"

#include <stdio.h>

#define GLYPHS_MAX 16 /* states whose glyphs can be told apart */

const char ca_ramp[] = " .:-=+*#%@";

char ca_ramp_glyph(uint8_t level) { return ca_ramp[level * (sizeof ca_ramp - 1) / 256]; }

static const struct ca_state_appearance changes[] = {
    {'.', CA_COLOUR_QUIET, "same"}, {'#', CA_COLOUR_WARM, "changed"}, {.name = NULL}};
static const struct ca_state_appearance values[] = {
    {'.', CA_COLOUR_STRONG, "value"}, {'X', CA_COLOUR_SOLID, "no value"}, {.name = NULL}};

static int count_of(const struct ca_state_appearance *states)
{
    int count = 0;

    while (states[count].name)
        count++;
    return count;
}

int ca_states_count(const struct ca_model *model) { return count_of(ca_draw_of(model)->states); }

bool ca_is_shaded(const struct ca_model *model)
{
    return ca_draw_of(model)->flow || model->type == CA_F32;
}

/* Returns the states that the codes of a frame stand for. */
static const struct ca_state_appearance *codes_of(const struct ca_frame *frame,
                                                  const struct ca_model *model)
{
    return frame->view.drawn == CA_CHANGE  ? changes
           : frame->view.drawn == CA_FIELD ? values
                                           : ca_draw_of(model)->states;
}

bool ca_frame_by_level(const struct ca_frame *frame, const struct ca_model *model, bool ramp)
{
    const struct ca_view *view = &frame->view;
    bool of_many = ca_view_down(view) > 1 && view->reduce == CA_MEAN;
    int states = ca_states_count(model);

    if (view->drawn != CA_STATE)
        return view->drawn != CA_CHANGE;
    return ramp || (states == 2 && of_many) || states > GLYPHS_MAX;
}

struct ca_point ca_frame_point(const struct ca_frame *frame, const struct ca_model *model,
                               bool by_level, size_t i)
{
    const struct ca_state_appearance *states = codes_of(frame, model);
    uint8_t code = frame->code[i];
    struct ca_point point = {.glyph = ' ',
                             .colour = CA_COLOUR_PLAIN,
                             .level = frame->level[i],
                             .by_level = by_level,
                             .code = code};

    if (code == CA_VIEW_OUTSIDE) {
        point.outside = true;
        return point;
    }
    if (code < count_of(states)) { /* the frame may come from another program */
        point.glyph = states[code].glyph;
        point.colour = states[code].colour;
    }
    if (!by_level)
        return point;
    point.by_level = point.colour != CA_COLOUR_SOLID; /* which has no level of its own */
    point.glyph = point.by_level ? ca_ramp_glyph(point.level) : 'X';
    return point;
}

int ca_frame_range_text(const struct ca_frame *frame, const struct ca_model *model, char *text,
                        size_t size)
{
    const char *unit = frame->view.drawn == CA_CHANGE ? "changed" : ca_draw_of(model)->level_unit;
    const struct ca_field *field;
    struct ca_error ignored;

    if (frame->view.drawn == CA_FIELD) {
        unit = NULL;
        if (ca_field_find(&field, model, frame->view.field, &ignored) == CA_OK)
            unit = field->unit ? field->unit : field->name;
    }
    return snprintf(text, size, "%g ... %g %s", frame->low, frame->high, unit ? unit : "");
}

bool ca_frame_entry(const struct ca_frame *frame, const struct ca_model *model, int i,
                    struct ca_point *point, const char **name)
{
    const struct ca_state_appearance *states = codes_of(frame, model);
    int code = count_of(states) - 1 - i;

    if (code < 0)
        return false;
    *point = (struct ca_point){.glyph = states[code].glyph,
                               .colour = states[code].colour,
                               .level = 255,
                               .code = (uint8_t)code};
    *name = states[code].name;
    return true;
}
