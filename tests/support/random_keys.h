/* SPDX-License-Identifier: MIT */
/* A user without a plan: keys of the table and sizes of the terminal, drawn from the seed. */
#ifndef CALAB_TESTS_RANDOM_KEYS_H
#define CALAB_TESTS_RANDOM_KEYS_H

#include "tests/support/screen.h"
#include "tui/keys.h"

#define RANDOM_KEYS_LAST 1500 /* bytes of what was done last, for the message of a failure */

struct random_keys {
    uint64_t state;                 /* of the draws; the seed at first */
    bool (*left_out)(enum request); /* further requests that are not made; NULL: none */
    long keys, resizes;             /* pressed, done so far */
    char last[RANDOM_KEYS_LAST];    /* the newest at its end */
};

/* 0 <= u < n */
unsigned random_below(struct random_keys *draw, unsigned n);
/* Adds to what was done last. */
void random_note(struct random_keys *draw, const char *what);
/* A row of the table of keys, any. */
const struct key_row *random_row(struct random_keys *draw);
/* Presses one of the keys of a row. */
void random_press(struct screen *screen, struct random_keys *draw, const struct key_row *row);
void random_resize(struct screen *screen, struct random_keys *draw);
/* A key, of which one in four is among `often`, or a resize; then the program must be alive. */
void random_event(struct screen *screen, struct random_keys *draw, const char *often);

/*
 * Presses CALAB_EVENTS keys (150 where it is unset) in a workbench that has started, and resizes
 * the terminal in between, 1x1 to 60x200; those of `often`, bytes as a terminal sends them, are one
 * key of four and keep the screen open that is meant. Keys that quit or suspend are left out. Then
 * the program must be alive, its screen be what a redraw makes of it, and Q must end it with
 * status 0. Closes the screen.
 */
void random_keys(struct screen *screen, const char *often);
/* Goes into a folder of the test's own, where the files that the keys write may lie. */
void random_keys_folder(void);

#endif
