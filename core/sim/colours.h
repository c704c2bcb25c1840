/* SPDX-License-Identifier: MIT */
/*
 * Quiet colours for terminals that have 256 or more: chosen in Oklch (lightness, chroma, hue;
 * Bjoern Ottosson, "A perceptual color space for image processing", 2020), in which equal steps
 * look equal, and turned into the nearest colour that the terminal has. It does not use curses.
 */
#ifndef CALAB_CORE_SIM_COLOURS_H
#define CALAB_CORE_SIM_COLOURS_H

#include <stdbool.h>

#include "core/model/model.h"

/* From this many colours on a terminal takes them as 0xRRGGBB. */
#define CA_COLOURS_DIRECT (1 << 24)

/* How they are meant to look. */
enum ca_tone {
    CA_TONE_DARK,
    CA_TONE_LIGHT,
    CA_TONE_STARK
}; /* the background, or the most contrast */

/* A colour of the ramp from low (0) to high (1): of even steps of lightness. With `diverging` 0.5
 * is the quiet middle between a cold and a warm half. The number of one of the terminal's colours.
 */
int ca_colour_of_ramp(double share, bool diverging, enum ca_tone tone, int colours);
/* The colour of a class of states, from dark to bright (0 ... 1). */
int ca_colour_of_class(enum ca_colour colour, double brightness, enum ca_tone tone, int colours);

#endif
