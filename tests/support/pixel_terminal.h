/* SPDX-License-Identifier: MIT */
/*
 * What a terminal that shows pixels does beside libvterm: it answers questions, takes the sequences
 * that libvterm would show as text, and decodes the pictures, so that tests see each pixel.
 */
#ifndef CALAB_TESTS_PIXEL_TERMINAL_H
#define CALAB_TESTS_PIXEL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/screen.h"

/* What it answers; all zero: nothing but its attributes. */
struct pixel_options {
    const char *version;    /* of its program, "kitty(0.35.2)" */
    const char *accepts;    /* "OK" or an error; NULL: it does not answer */
    const char *attributes; /* NULL: "?62;22" */
    const char *tmux;       /* the version of a tmux around the program; what it does not pass on */
    bool passes;            /*    goes nowhere, unless this is set */
    bool late;              /* nothing is answered until pixel_terminal_answer */
    int cell_width, cell_height; /* 0: 10 x 20; negative: it does not answer */
    /* Of sixels, which it has by its attributes ("?62;4;22"). */
    int registers;               /* of colours; 0: it does not answer */
    int most_width, most_height; /* of a picture; 0: it does not answer */
    int most_pictures;           /* which it keeps; 0: all */
};

struct pixel_image {
    uint32_t id;
    int width, height, columns, rows;
    uint32_t *rgba; /* 0xRRGGBBAA */
};

struct pixel_terminal;
struct pixel_terminal *
pixel_terminal_new(const struct pixel_options *options,
                   void (*answer)(const char *bytes, size_t count, void *user), void *user);
void pixel_terminal_free(struct pixel_terminal *terminal);
/* Takes bytes that come from the program, up to sixels at most. What is left for libvterm is
 * written to `out`, which has room for as many and 64. Returns its length, and in *taken how many
 * were taken. */
size_t pixel_terminal_take(struct pixel_terminal *terminal, const char *bytes, size_t count,
                           char *out, size_t *taken);
/* Sixels that have been taken, if any, are drawn where the cursor is on a screen of so many cells;
 * returns how many rows of cells they take. */
int pixel_terminal_draw(struct pixel_terminal *terminal, int row, int column, int rows,
                        int columns);
/* Characters have been written: pixels that were there are gone. */
void pixel_terminal_erase(struct pixel_terminal *terminal, int row, int column);
/* Gives the answers that are late. */
void pixel_terminal_answer(struct pixel_terminal *terminal);

/* How many images it has, and has been sent, as sixels or otherwise. */
int pixel_images(const struct pixel_terminal *terminal);
int pixel_images_sent(const struct pixel_terminal *terminal);
const struct pixel_image *pixel_image_last(const struct pixel_terminal *terminal);
int pixel_questions(const struct pixel_terminal *terminal);

/* Whether a cell of the screen shows a part of an image that is there, and the pixel at that share
 * of the cell (0 to 1) as 0xRRGGBBAA. */
bool pixel_at(struct screen *screen, int row, int column, double x, double y, uint32_t *rgba);
/* How many cells show one. */
int pixel_cells(struct screen *screen);

#endif
