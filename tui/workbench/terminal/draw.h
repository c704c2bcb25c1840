/* SPDX-License-Identifier: MIT */
/*
 * Drawing of clipped text, boxes and colours. Everything is drawn on stdscr, which is erased, drawn
 * again and updated once per frame; curses sends only the difference to the terminal.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_DRAW_H
#define CALAB_TUI_WORKBENCH_TERMINAL_DRAW_H

#include <curses.h>

#include "core/model/model.h"
#include "tui/workbench/terminal/fit.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/pixels.h"

/* The first styles are the colour classes of the models. */
enum style {
    STYLE_QUIET = CA_COLOUR_QUIET,
    STYLE_PLAIN = CA_COLOUR_PLAIN,
    STYLE_STRONG = CA_COLOUR_STRONG,
    STYLE_WARM = CA_COLOUR_WARM,
    STYLE_COLD = CA_COLOUR_COLD,
    STYLE_GREEN = CA_COLOUR_GREEN,
    STYLE_SOLID = CA_COLOUR_SOLID,
    STYLE_BAR,      /* the status line */
    STYLE_KEY,      /* a key in the hints */
    STYLE_TITLE,    /* title of a panel or dialog */
    STYLE_FOCUS,    /* title of the focused panel */
    STYLE_SELECTED, /* selected row of a list */
    STYLE_ALARM,
    STYLE_COUNT
};

#define SHADES 4 /* of a class of states on a terminal of 256 colours */
#define RAMP 8   /* steps of a ramp there: few change less often, and cost fewer bytes */
#define LETTERS                                                                                    \
    4 /* of one that thin glyphs are drawn in, which show the level, too: few make long            \
         runs of one colour, and so fewer bytes */

struct palette {
    struct pixels *pixels; /* where the terminal shows pixels; else NULL */
    attr_t attributes[STYLE_COUNT];
    short pair[STYLE_COUNT];
    bool ascii; /* draw borders with + - | */
    bool utf8;
    /* Numbers of the terminal's colours, for pictures; where there are less than 256 the states
     * have the styles above, and a ramp has `ramp_steps` colours, 0: none. */
    int shades; /* of a class of states, 0: none */
    int shade[CA_COLOUR_COUNT][SHADES];
    int ramp_steps;
    int ramp[2][RAMP]; /* from low to high; diverging */
    int letter[2][LETTERS];
    uint32_t dot[PIXELS_COLOURS]; /* 0xRRGGBB, by the numbers of pixel_of_... below */
};

/* The number of a colour in pixels: of a class of states, and of a step of a ramp. */
static inline int pixel_of_shade(int class, int shade) { return 1 + class * SHADES + shade; }
static inline int pixel_of_step(bool diverging, int step)
{
    return 1 + CA_COLOUR_COUNT * SHADES + diverging * RAMP + step;
}

/* The schemes that the setting `colours` may name; the name is NULL after the last. */
const char *scheme_name(int index);
const char *scheme_help(int index);

/* Chooses the colours; without colours (0), every scheme uses attributes only. It has no pixels. */
void palette_make(struct palette *palette, const char *scheme, int colours, bool ascii, bool utf8);
void style_set(const struct palette *palette, enum style style);

/* How a character of a picture looks: a style, or, where `coloured`, colours of the terminal; -1 is
 * its own. */
struct ink {
    bool coloured;
    enum style style;
    int front, back;
};
bool ink_equal(struct ink a, struct ink b);
void ink_set(const struct palette *palette, struct ink ink);

/* Text at (row, column) of the screen, at most `width` columns; control characters become '?'.
 * Returns the columns used. */
int put(const struct palette *palette, int row, int column, int width, enum style style,
        const char *text);
int putf(const struct palette *palette, int row, int column, int width, enum style style,
         const char *format, ...) __attribute__((format(printf, 6, 7)));
void put_fill(const struct palette *palette, struct rect rect, enum style style);
void put_box(const struct palette *palette, struct rect rect, const char *title, bool focused);
/* The width of a text in columns. */
int text_width(const char *text);
/* Leaves out words at the end of a text that is wider; `mark` (" ...", or "") says that they are
 * left out, within the width. */
void text_shorten(char *text, size_t size, int width, const char *mark);
/* Draws a text wrapped at blanks into a rectangle and returns the rows used. Without a palette it
 * only counts them. */
int put_wrapped(const struct palette *palette, struct rect rect, enum style style,
                const char *text);
/* Whether a text has room in a rectangle, without a word in two lines. */
bool words_fit(struct rect rect, const char *text);
/* The same in a box above a line, of six rows at most. */
void put_boxed(const struct palette *palette, struct rect line, enum style style, const char *text);
/* The same with a hanging indent: continuation lines begin below the text that follows the first
 * `indent` bytes. The first `skip` lines are left out. At least one row is used. */
int put_hanging(const struct palette *palette, struct rect rect, int indent, int skip,
                enum style style, const char *text);

#endif
