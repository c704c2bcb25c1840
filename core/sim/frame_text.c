/* SPDX-License-Identifier: MIT */
/* Owns the choice of a character and a colour for each code and level of a frame. */
#include "core/sim/frame_text.h"

static const char ramp[] = " .:-=+*#%@";

int ca_states_count(const struct ca_model *model)
{
    int count = 0;

    while (model->states[count].name)
        count++;
    return count;
}

void ca_frame_line(const struct ca_frame *frame, const struct ca_model *model,
                   enum ca_glyphs glyphs, int line, int columns, char text[],
                   enum ca_colour colour[])
{
    bool compared = frame->view.drawn == CA_CHANGE;
    bool by_level = glyphs == CA_GLYPHS_BY_LEVEL || frame->view.drawn == CA_DENSITY;
    size_t first = (size_t)line * (size_t)frame->view.columns;
    int states = ca_states_count(model);

    for (int i = 0; i < columns; i++) {
        uint8_t code = frame->code[first + (size_t)i], level = frame->level[first + (size_t)i];
        struct ca_state_appearance shown = {.glyph = ' ', .colour = CA_COLOUR_PLAIN};

        if (code == CA_VIEW_OUTSIDE) {
            /* Nothing is drawn beyond the lattice. */
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
