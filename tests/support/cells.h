/* SPDX-License-Identifier: MIT */
/* The cells of a screen, their characters and looks, and terminals that are fed with bytes. */
#ifndef CALAB_TESTS_CELLS_H
#define CALAB_TESTS_CELLS_H

#include "tests/support/screen.h"

struct cell {
    uint32_t character; /* a blank for an empty one */
    int front, back;    /* number of a colour; -1: the terminal's own */
    bool bold, underline, reverse;
};

struct cells {
    int rows, columns;
    struct cell *cell; /* row by row, malloc'd */
};

/* What a screen shows now. */
struct cells cells_of(struct screen *screen);
bool cells_equal(const struct cells *a, const struct cells *b);
/* Fails the test at the first cell that differs, or if the sizes do. */
void cells_expect_equal(const struct cells *found, const struct cells *expected);
/* The number of cells of another look than a terminal's own. */
int cells_coloured(const struct cells *cells);
void cells_free(struct cells *cells);

/* A terminal on which nobody answers. */
struct fed;
struct fed *fed_new(int rows, int columns, bool utf8);
void fed_bytes(struct fed *fed, const char *bytes, size_t count);
void fed_resize(struct fed *fed, int rows, int columns);
struct cells fed_cells(struct fed *fed);
void fed_free(struct fed *fed);

#endif
