/* SPDX-License-Identifier: MIT */
/* A frame as characters and classes of colour, for the workbench and for results alike. */
#ifndef CALAB_CORE_SIM_FRAME_TEXT_H
#define CALAB_CORE_SIM_FRAME_TEXT_H

#include "core/sim/view.h"

/* By state: the glyph of each state. By level: one of ten glyphs from dark to bright. The order is
 * that of the setting `glyphs`. */
enum ca_glyphs { CA_GLYPHS_BY_STATE, CA_GLYPHS_BY_LEVEL };

int ca_states_count(const struct ca_model *model);
/*
 * The first `columns` characters of a line into text[], without a NUL, and their colours into
 * colour[], unless that is NULL. A frame of densities is always drawn by level.
 */
void ca_frame_line(const struct ca_frame *frame, const struct ca_model *model,
                   enum ca_glyphs glyphs, int line, int columns, char text[],
                   enum ca_colour colour[]);
/* The legend of a frame of a field: the glyphs from dark to bright with the range that they stand
 * for, and its unit. Returns as snprintf does; of another frame 0 and "". */
int ca_frame_legend(const struct ca_frame *frame, const struct ca_model *model, char *text,
                    size_t size);

#endif
