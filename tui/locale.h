/* SPDX-License-Identifier: MIT */
/*
 * The character set of this run. SSH passes on the name of a locale that this machine may not have;
 * where such a name asks for UTF-8, a locale that every system has takes its place.
 */
#ifndef CALAB_TUI_LOCALE_H
#define CALAB_TUI_LOCALE_H

#include <stdbool.h>

struct locale {
    char name[64];    /* of the locale that is in use */
    char codeset[32]; /* "UTF-8", "ANSI_X3.4-1968" */
    bool utf8;
    char notice[256]; /* the wanted locale is not installed, and what was done; "" where it is */
};

/* Sets the locale that the environment names; numbers stay in "C". */
void locale_open(struct locale *locale);

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
