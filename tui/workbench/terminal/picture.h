/* SPDX-License-Identifier: MIT */
/*
 * Pictures: how the points of a frame become the characters of a rectangle of the screen.
 *
 * A character consists of dots: one with the glyph sets `states` and `ramp10`, 1 x 2 with `half`,
 * 2 x 4 with `braille`, 8 x 16 with `pixel`, or fewer, where the line is slow. Zoomed out, a point
 * of the view is a dot; magnified, it is several. Either way cells are square on a screen whose
 * characters are twice as high as wide.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_PICTURE_H
#define CALAB_TUI_WORKBENCH_TERMINAL_PICTURE_H

#include <wchar.h>

#include "core/sim/frame_text.h"
#include "core/sim/initial_view.h"
#include "tui/workbench/terminal/draw.h"

/* In the order of the setting `glyphs`, which has no names for the last two. */
enum glyphs {
    GLYPHS_AUTO,
    GLYPHS_STATES,
    GLYPHS_RAMP10,
    GLYPHS_HALF,
    GLYPHS_BRAILLE,
    GLYPHS_PIXEL,
    GLYPHS_PIXEL_COARSE,
    GLYPHS_PIXEL_COARSEST
};
static inline bool glyphs_are_pixels(enum glyphs glyphs) { return glyphs >= GLYPHS_PIXEL; }

#define MAGNIFY_MAX CA_MAGNIFY_MAX

struct raster {
    int across, down; /* dots of a character */
    int wide, high;   /* dots of a point */
    bool tall;        /* a dot is as high as a character: ca_view.tall */
};

/* The glyph set to draw with where `wanted` is set, which is never GLYPHS_AUTO. Blocks and dots are
 * on or off: by themselves they tell two states, or a level by their density. More they tell by
 * colours alone, and where those are few, or none, the glyphs of the states take their place; in
 * ASCII always. GLYPHS_AUTO, and GLYPHS_PIXEL, is pixels where the terminal shows them, and half
 * blocks where these have colours of their own. */
enum glyphs picture_glyphs(enum glyphs wanted, const struct palette *palette,
                           const struct ca_model *model, enum ca_drawn drawn);
/* The finest set of pixels, at least so coarse, of which a rectangle has no more than a view. */
enum glyphs picture_pixels(int coarse, struct rect rect);
/* How often cells are magnified where they are to be seen one by one. */
int picture_magnify(enum glyphs glyphs);
/* Magnified 0 times a point is a dot; with GLYPHS_STATES and GLYPHS_RAMP10 of twice as many cells
 * down. Magnified m times it is a cell of 2m x m characters, or of (m + 1) x (m + 1) dots; in
 * pixels of 1 + m (m + 1) / 2 of them on a side. */
struct raster raster_of(enum glyphs glyphs, int magnify);
/* The points that a rectangle of the screen has room for. */
void raster_points(const struct raster *raster, struct rect rect, int *columns, int *lines);

/* How large a picture is drawn: magnified so often or, where `across` and `down` are above 0, such
 * that all columns and all lines share so many dots, each of them n or n + 1. */
struct scale {
    int magnify;
    int across, down;
};

/* Sets the points of a view, which stays where it begins, for a rectangle. */
void picture_size(struct ca_view *view, int magnify, enum glyphs glyphs, struct rect rect);
/*
 * Sets view and scale to the largest picture of the whole slice, from its first cell on, that a
 * rectangle has room for. It is one of a whole zoom or magnification where that is nearly as large;
 * else the zoom and magnification are these all the same, and points share the cells, or cells the
 * dots.
 */
void picture_fit(struct ca_view *view, struct scale *scale, enum glyphs glyphs, struct ca_size size,
                 struct rect rect);
/* Turns a view and a scale that share cells and dots into the whole zoom or magnification. */
void picture_unshare(struct ca_view *view, struct scale *scale);
/* The part of the rectangle that the slice takes. */
struct rect picture_extent(const struct ca_view *view, struct scale scale, enum glyphs glyphs,
                           struct ca_size size, struct rect rect);

struct picture {
    const struct ca_frame *frame;
    const struct ca_model *model;
    enum glyphs glyphs;
    struct raster raster;
    int across, down;   /* dots that all points share; 0: raster.wide and raster.high each */
    int columns, lines; /* of points that begin before the end of the lattice, of the frame's */
    bool upward;        /* the first line is the lowest */
};

struct picture picture_of(const struct ca_frame *frame, const struct ca_model *model,
                          struct ca_size size, enum glyphs glyphs, struct scale scale);
struct character {
    wchar_t text;
    struct ink ink;
};
/* A character all of whose dots are of one point. */
struct character picture_sample(const struct picture *picture, const struct palette *palette,
                                struct ca_point point);
/* The first `columns` characters of a row of the screen. */
void picture_row(const struct picture *picture, const struct palette *palette, int row, int columns,
                 struct character line[]);
void picture_draw(const struct picture *picture, const struct palette *palette, struct rect rect);
/* Shows a point of the picture that was drawn last, in pixels, by the complements of its colours.
 */
void picture_invert(const struct picture *picture, const struct palette *palette, int64_t column,
                    int64_t line);
/*
 * A frame of a lattice that runs after another of the same cells and range costs few bytes.
 *
 * Where more than a thirtieth of the points would have another step of a ramp, those that have
 * changed the least keep their level, but none that has changed by two steps: what trembles
 * everywhere changes few characters then. Where still more than an eighth of the points change, as
 * in a soup, rows of characters take turns, and each is drawn anew in every second or fourth frame,
 * by the number of this one. Where little changes each frame is exact.
 */
void picture_steady(struct ca_frame *frame, const struct ca_frame *last, unsigned number);
/* The characters that a point (column, line) of the frame takes, in the rectangle; none: rows 0. */
struct rect picture_point(const struct picture *picture, struct rect rect, int64_t column,
                          int64_t line);
/* The point at a character of the screen, within the rectangle. */
void picture_at(const struct picture *picture, struct rect rect, int row, int at, int *column,
                int *line);

#endif
