/* SPDX-License-Identifier: MIT */
/* A frame as characters and classes of colour, for the workbench and for results alike. */
#ifndef CALAB_CORE_SIM_FRAME_TEXT_H
#define CALAB_CORE_SIM_FRAME_TEXT_H

#include "core/sim/view.h"

/* A frame point as ASCII: the glyph and class of a state or, by level, one of ten glyphs from dark
 * to bright, and X for what is solid or has no value. Beyond the lattice nothing. */
struct ca_point {
    char glyph;
    enum ca_colour colour;
    uint8_t level; /* brightness, 0 ... 255 */
    bool by_level; /* it is told by its level, not by its state */
    bool outside;  /* beyond the lattice */
    uint8_t code;
};

/* The glyphs of levels, from dark to bright. */
extern const char ca_ramp[];
char ca_ramp_glyph(uint8_t level);

int ca_states_count(const struct ca_model *model);
/* Whether brightness, where it is not the same for all cells of a state, is drawn. */
bool ca_is_shaded(const struct ca_model *model);
/*
 * Whether a frame is told by levels: of densities and fields always, of changes never, and where a
 * point stands for the mean of many cells of two states, or of more states than have glyphs that
 * can be told apart. `ramp`: where it can be.
 */
bool ca_frame_by_level(const struct ca_frame *frame, const struct ca_model *model, bool ramp);
/* Point number i of a frame that is told by levels or not. */
struct ca_point ca_frame_point(const struct ca_frame *frame, const struct ca_model *model,
                               bool by_level, size_t i);
/* The range of a frame that is told by levels, and its unit: "0 ... 0.4 cells/step". */
int ca_frame_range_text(const struct ca_frame *frame, const struct ca_model *model, char *text,
                        size_t size);
/* Fills the i-th entry of the legend of a frame whose states have glyphs, from the highest priority
 * down. False after the last. */
bool ca_frame_entry(const struct ca_frame *frame, const struct ca_model *model, int i,
                    struct ca_point *point, const char **name);

/*
 * Quiet colours for terminals that have 256 or more: chosen in Oklch (lightness, chroma, hue;
 * Bjoern Ottosson, "A perceptual color space for image processing", 2020), in which equal steps
 * look equal, and turned into the nearest colour that the terminal has. It does not use curses.
 *
 * A glyph that carries a state, or a level, has a contrast of 3 : 1 or more with the background
 * (WCAG 2.1, success criterion 1.4.11, of graphical objects; the ratio is that of its definition of
 * contrast ratio), which is black or, under CA_TONE_LIGHT, white. Colours of different classes of
 * one model, and what is solid and any colour of a ramp, are 12 or more apart (CIE76 in Lab; 2.3 is
 * just noticeable) to those who see all colours and to those who are blind to red, green or blue
 * (the matrices of Machado, Oliveira and Fernandes, "A physiologically-based model for simulation
 * of color vision deficiency", 2009). The low end of a ramp, of which whole blocks are drawn, is
 * darker, so that a ramp has room.
 */
/* From this many colours on a terminal takes them as 0xRRGGBB. */
#define CA_COLOURS_DIRECT (1 << 24)

/* How they are meant to look: the background, or the most contrast. */
enum ca_tone { CA_TONE_DARK, CA_TONE_LIGHT, CA_TONE_STARK };

/* A colour of the ramp from low (0) to high (1): of even steps of lightness. With `diverging` 0.5
 * is the quiet middle between a cold and a warm half. The number of one of the terminal's colours.
 */
int ca_colour_of_ramp(double share, bool diverging, enum ca_tone tone, int colours);
/* The same for a ramp that thin glyphs are drawn in, all of which can be read. */
int ca_colour_of_letter(double share, bool diverging, enum ca_tone tone, int colours);
/* The colour of a class of states, from dark to bright (0 ... 1). */
int ca_colour_of_class(enum ca_colour colour, double brightness, enum ca_tone tone, int colours);

#endif
