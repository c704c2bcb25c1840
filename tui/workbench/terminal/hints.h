/* SPDX-License-Identifier: MIT */
/* The line of hints as arithmetic: which of them have room in a width, and where each stands. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_HINTS_H
#define CALAB_TUI_WORKBENCH_TERMINAL_HINTS_H

#define HINTS_MAX 64
#define HINTS_GAP 2 /* columns between two of them */

struct hint {
    char key[16];
    const char *text;
    int weight; /* the least comes first */
    int code;   /* of the key that a click stands for; -1: none */
    int column; /* where it begins; -1: it has no room */
};

struct hints {
    struct hint hint[HINTS_MAX]; /* by weight, those of one weight as they were added */
    int count;
};

/* Adds a hint, with the code that its key has. */
void hints_add(struct hints *hints, int weight, const char *key, const char *text, int code);
/* Gives columns to as many whole hints as a line has room for: each one in the order of their
 * weights that still fits. */
void hints_fit(struct hints *hints, int columns);
/* The hint at a column, NULL: there is none. */
const struct hint *hints_at(const struct hints *hints, int column);

#endif
