/* SPDX-License-Identifier: MIT */
/*
 * Plots of a timeline's values: a raster of dots, which is pure arithmetic, and its drawing with
 * axes, in braille (2 x 4 dots a character) or ASCII (one dot).
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_PLOT_LINES_H
#define CALAB_TUI_WORKBENCH_TERMINAL_PLOT_LINES_H

#include <stdint.h>

#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/timeline.h"

#define PLOT_LABEL 10 /* columns left of a plot for the labels of its axis */

enum plot_dot { PLOT_NONE, PLOT_RANGE, PLOT_MEAN };

/*
 * Fills dot[high][wide], row by row from the top. Column x stands for the generations of
 * timeline_column(.., x, wide): its mean, and the range from its least to its greatest value.
 * Columns in which nothing was observed are bridged by a straight line. Returns the values over
 * all generations, which the first and the last row stand for; count 0: nothing is drawn.
 */
struct timeline_span plot_raster(uint8_t *dot, int wide, int high, const struct timeline *timeline,
                                 int value);

/* Draws a value with the labels of its vertical axis; the area includes these. */
void plot_draw_lines(const struct palette *palette, struct rect area,
                     const struct timeline *timeline, int value);
/* The horizontal axis of all plots of an area of this width: its first and last generation. */
void plot_draw_axis(const struct palette *palette, struct rect line,
                    const struct timeline *timeline);

#endif
