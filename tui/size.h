/* SPDX-License-Identifier: MIT */
/*
 * The size of a terminal: the one that it tells; where it tells none, as a serial line does,
 * LINES and COLUMNS, and at last 24x80. The real size comes first, because shells export those
 * variables and do not change them with the window.
 */
#ifndef CALAB_TUI_SIZE_H
#define CALAB_TUI_SIZE_H

#include <stdbool.h>

struct size {
    int height, width; /* in characters; <term.h> has macros of other names */
};

/* Whether the terminal tells its size, which then is in `size`. */
bool size_told(int fd, struct size *size);
/* The value of LINES or COLUMNS, 0 where it is not set or is no size of a screen. */
int size_variable(const char *name);
/* The size as described above. */
struct size size_of(int fd);

#endif
