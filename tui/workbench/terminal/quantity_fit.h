/* SPDX-License-Identifier: MIT */
/* Values with the observable's own unit in a given width. Nothing is ever cut. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_QUANTITY_FIT_H
#define CALAB_TUI_WORKBENCH_TERMINAL_QUANTITY_FIT_H

#include <stdbool.h>

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

#endif
