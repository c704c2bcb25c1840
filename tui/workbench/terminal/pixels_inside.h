/* SPDX-License-Identifier: MIT */
/* Sequences of pictures, for pixels.c and the protocols alone. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_PIXELS_INSIDE_H
#define CALAB_TUI_WORKBENCH_TERMINAL_PIXELS_INSIDE_H

#include "tui/workbench/terminal/pixels.h"

/* Wraps a sequence for tmux to pass on, if it is to. */
void pixels_wrap(bool tmux, const char *text, FILE *out);

/* Asks whether the protocol is accepted; one answer has this number. */
void kitty_ask(const struct pixels *pixels, FILE *out);
/* Sends a picture, in the place of the one before it. */
void kitty_put(const struct pixels *pixels, int picture, FILE *out);
void kitty_delete(const struct pixels *pixels, int picture, FILE *out);
/* Draws the cells of the last picture on stdscr. */
void kitty_cells(const struct pixels *pixels);

/* Asks for the registers of colours and the largest picture. */
void sixel_ask(FILE *out);
/* Sends what has changed of a picture, or all of it. */
void sixel_put(struct pixels *pixels, int picture, FILE *out);
void sixel_cells(const struct pixels *pixels);

#endif
