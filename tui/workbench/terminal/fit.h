/* SPDX-License-Identifier: MIT */
/* Values with the observable's own unit in a given width. Nothing is ever cut. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_FIT_H
#define CALAB_TUI_WORKBENCH_TERMINAL_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"

#define QUANTITY_FIT_TEXT 96 /* bytes that hold such a text */

/*
 * Writes all digits and the unit where `width` columns hold them, else four or three digits with a
 * prefix k, M, G, T or P, else the same without the unit, else nothing. Returns whether the unit
 * is there; `unit` NULL or "" is a count.
 */
bool quantity_fit(char text[QUANTITY_FIT_TEXT], double value, const char *unit, int width);

/* Shortens a text of several parts to `width` columns: by whole parts behind a comma, else by whole
 * words, and then by no unit without its number. One word alone stays as it is. */
void text_fit(char *text, int width);

#define STATUS_TEXT 512

struct status {
    const char *model, *size, *backend, *device, *no_cuda; /* no_cuda: why, NULL if there is one */
    uint64_t generation;
    const char *rate, *pace, *state; /* rate "": nothing has been timed */
};

/* Writes the parts left and right; both together have at most `width` columns where that is at
 * least 24. Names are ASCII. */
void status_fit(const struct status *status, int width, char left[STATUS_TEXT],
                char right[STATUS_TEXT]);

#endif
