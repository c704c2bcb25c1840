/* SPDX-License-Identifier: MIT */
/*
 * Pixels in a terminal that can show them: by kitty's graphics protocol, with Unicode placeholders,
 * whose cells are text that curses draws, moves and hides as any other; through tmux, too, where it
 * passes sequences on. Or as sixels, which stand on cells until something is written there, so that
 * they are sent behind what curses writes; tmux has to know them itself, since it would move and
 * write over cells without knowing what it passed on.
 *
 * The terminal is asked once, and nothing waits for its answers: pixels_ask, pixels_answer and
 * pixels_expire return what is to be sent to it next. A frame begins with pixels_begin, has bitmaps
 * added, and pixels_put writes those that have changed. All of it is without curses and without a
 * line, but for the cells (pixels_cells).
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_PIXELS_H
#define CALAB_TUI_WORKBENCH_TERMINAL_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tui/workbench/terminal/layout.h"

#define PIXELS_PICTURES 4   /* on a screen at most */
#define PIXELS_COLOURS 128  /* 0: the terminal's background, which shows through */
#define PIXELS_INVERTED 64  /* added to the number of a colour: its complement */
#define PIXELS_CELLS 297    /* columns, and rows, that placeholders can count */
#define PIXELS_ANSWER_S 2.0 /* after which an answer is no longer expected */
/* So many frames in a row that the line takes longer for make the next ones coarser; so many that
 * it takes no longer for make them finer again. */
#define PIXELS_SLOW_S 0.2
#define PIXELS_SLOW_FRAMES 3
#define PIXELS_QUICK_S 0.02
#define PIXELS_QUICK_FRAMES 20
#define PIXELS_COARSEST 2
#define PIXELS_REST_S 1.0 /* after which a picture that nothing changes is fine on any line */

/* A terminal may keep no more than the last pieces that it was sent, as xterm, which keeps 16: a
 * picture whose first piece is so many behind the last is sent anew. */
#define PIXELS_PARTS_KEPT 12
#define PIXELS_REGISTERS 256 /* of colours, where the terminal does not tell */

enum pixels_protocol { PIXELS_KITTY, PIXELS_SIXEL };

enum pixels_state {
    PIXELS_UNASKED,    /* this type of terminal is not asked */
    PIXELS_ASKED,      /* it may still answer */
    PIXELS_SHOWN,      /* it shows pixels */
    PIXELS_REFUSED,    /* it has answered that it does not */
    PIXELS_SILENT,     /* it has not answered */
    PIXELS_NOT_PASSED, /* tmux has answered, and the terminal around it has not */
    PIXELS_NO_CELL,    /* it has sixels, and does not tell how large a character is */
};

/* A picture: numbers of colours, row by row. */
struct bitmap {
    int width, height;
    uint8_t *dot;
};

/* One of a frame, and what the terminal has of it. */
struct pixels_picture {
    struct rect at; /* its cells */
    struct bitmap bitmap;
    uint8_t *sent; /* a copy of the dots that the terminal has, of as many */
    struct rect sent_at;
    int sent_width, sent_height;
    bool has; /* the terminal has it, as `sent_at` and `sent` say */
    /* Of sixels: the cells without text over them (pixels_look), and the number of the first piece
     * when all of it was sent. */
    uint8_t *open;
    unsigned sent_part;
};

struct pixels {
    enum pixels_state state;
    bool news; /* what can be shown, or how finely, has changed since pixels_news */
    bool tmux; /* sequences are wrapped, for tmux to pass them on */
    double asked;
    int stage;
    char name[32];                    /* of the terminal's program, as it answers */
    bool accepts;                     /* kitty's protocol */
    bool sixels;                      /* has sixels, by its attributes */
    enum pixels_protocol protocol;    /* in which it shows pixels */
    int registers;                    /* of colours, for sixels */
    int most_width, most_height;      /* of a picture of sixels, in pixels; 0: unknown */
    unsigned parts;                   /* pieces of sixels that were sent */
    int rows;                         /* of the screen */
    unsigned id;                      /* of the first picture; the others follow */
    int cell_width, cell_height;      /* of a character in pixels, 0: unknown */
    uint32_t colours[PIXELS_COLOURS]; /* 0xRRGGBB */
    struct pixels_picture picture[PIXELS_PICTURES];
    int count;       /* of pictures in this frame */
    bool withheld;   /* a frame without pictures, as for a file of text */
    int coarse;      /* 0 ... PIXELS_COARSEST, for the line */
    bool rests;      /* nothing changes, so that a picture may take its time */
    int slow, quick; /* frames in a row */
};

void pixels_init(struct pixels *pixels, unsigned process);
void pixels_free(struct pixels *pixels);

/* --- questions and answers: "" where nothing is to be sent --- */

const char *pixels_ask(struct pixels *pixels, double now);
/* An answer, without its Esc: of the version (DCS), of graphics (APC), of attributes or of the size
 * of a cell (CSI). What is none of them, or comes too late, is ignored. */
const char *pixels_answer(struct pixels *pixels, const char *text, double now);
/* The seconds until an answer is no longer waited for, negative: none is. */
double pixels_expire(struct pixels *pixels, double now);
/* Whether an answer may still come, of which the user typed nothing. */
bool pixels_awaits(const struct pixels *pixels);
/* Whether something has changed since the last call. */
bool pixels_news(struct pixels *pixels);
/* Why no pixels are shown, as the end of a sentence, for the user. */
const char *pixels_reason(const struct pixels *pixels);

/* --- frames --- */

/* The size of a character in pixels, and the colours; where they change, all is sent again. */
void pixels_cell(struct pixels *pixels, int width, int height);
void pixels_paint(struct pixels *pixels, const uint32_t colours[PIXELS_COLOURS]);
/* 0 ... PIXELS_COARSEST: how coarse pictures have to be for the line, and are for the eye. At rest
 * the line does not count. */
int pixels_coarse(const struct pixels *pixels);
void pixels_rest(struct pixels *pixels, bool rests);
/* A frame of a screen of so many rows. */
void pixels_begin(struct pixels *pixels, int rows);
/* Adds a bitmap for a rectangle of cells, all of its dots 0; NULL without memory, or where it would
 * have too many cells, or pictures, or sixels in the last row, below which the terminal scrolls.
 * The last one that was added. */
struct bitmap *pixels_add(struct pixels *pixels, struct rect at, int width, int height);
struct bitmap *pixels_last(struct pixels *pixels);
/* Draws the cells of the last one on stdscr. */
void pixels_cells(const struct pixels *pixels);
/* Looks which cells of pictures have no text over them on stdscr. */
void pixels_look(struct pixels *pixels);
/* How many cells of pictures are written in some bytes of curses, each of which takes pixels away;
 * `last` are the two bytes before. */
int pixels_spaces(const char *bytes, size_t count, char last[2]);
/* Whether pixels_put would write something. */
bool pixels_changed(const struct pixels *pixels);
/* Writes what has changed, and takes back the pictures that are gone. */
void pixels_put(struct pixels *pixels, FILE *out);
/* The terminal may have lost what it had: all of it is written again. */
void pixels_forget(struct pixels *pixels);
/* The sequence that takes all pictures back, which begins with the end of a string that may have
 * been cut off; "" where there are none. */
void pixels_delete(const struct pixels *pixels, char *text, size_t size);
/* The line has taken a frame with pictures in so many seconds. */
void pixels_took(struct pixels *pixels, double seconds);

/* Diacritic number n of a placeholder, n < PIXELS_CELLS. */
uint32_t pixels_diacritic(int n);

#endif
