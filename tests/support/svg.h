/* SPDX-License-Identifier: MIT */
/* A screen as a picture in SVG: text as text, in its colours; blocks, braille and lines as shapes.
 */
#ifndef CALAB_TESTS_SVG_H
#define CALAB_TESTS_SVG_H

#include "tests/support/cells.h"

enum { SVG_CELL_WIDTH = 8, SVG_CELL_HEIGHT = 16, SVG_MARGIN = 8 };

/* The picture of cells, called `title` for those who cannot see it; kept. */
const char *svg_of(const struct cells *cells, const char *title);
/* The colour of a number among 256, as 0xRRGGBB. */
unsigned svg_colour(int number);

#endif
