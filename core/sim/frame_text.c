/* SPDX-License-Identifier: MIT */
/* Owns the choice of a character and a colour for each code and level of a frame. */
#include "core/sim/frame_text.h"

#include <stdio.h>

static const char ramp[] = " .:-=+*#%@";

int ca_states_count(const struct ca_model *model)
{
    int count = 0;

    while (model->states[count].name)
        count++;
    return count;
}

int ca_frame_legend(const struct ca_frame *frame, const struct ca_model *model, char *text,
                    size_t size)
{
    const struct ca_field *field;
    struct ca_error ignored;

    text[0] = 0;
    if (frame->view.drawn != CA_FIELD ||
        ca_field_find(&field, model, frame->view.field, &ignored) != CA_OK)
        return 0;
    return snprintf(text, size, "%g %s %g%s%s  X none", frame->low, ramp, frame->high,
                    field->unit ? " " : "", field->unit ? field->unit : "");
}

void ca_frame_line(const struct ca_frame *frame, const struct ca_model *model,
                   enum ca_glyphs glyphs, int line, int columns, char text[],
                   enum ca_colour colour[])
{
    bool compared = frame->view.drawn == CA_CHANGE, field = frame->view.drawn == CA_FIELD;
    bool by_level = glyphs == CA_GLYPHS_BY_LEVEL || frame->view.drawn == CA_DENSITY;
    size_t first = (size_t)line * (size_t)frame->view.columns;
    int states = ca_states_count(model);

    for (int i = 0; i < columns; i++) {
        uint8_t code = frame->code[first + (size_t)i], level = frame->level[first + (size_t)i];
        struct ca_state_appearance shown = {.glyph = ' ', .colour = CA_COLOUR_PLAIN};

        if (code == CA_VIEW_OUTSIDE) {
            /* Nothing is drawn beyond the lattice. */
        } else if (field) {
            shown.glyph = code == CA_VIEW_VALUE ? ramp[level * (sizeof ramp - 2) / 255] : 'X';
            shown.colour = code == CA_VIEW_VALUE ? CA_COLOUR_STRONG : CA_COLOUR_SOLID;
        } else if (compared) {
            shown.glyph = code ? '#' : '.';
            shown.colour = code ? CA_COLOUR_WARM : CA_COLOUR_QUIET;
        } else {
            if (code < states) /* the frame may come from another program */
                shown = model->states[code];
            if (by_level)
                shown.glyph = ramp[level * (sizeof ramp - 2) / 255];
        }
        text[i] = shown.glyph;
        if (colour)
            colour[i] = shown.colour;
    }
}
