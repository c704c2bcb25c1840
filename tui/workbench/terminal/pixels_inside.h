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

#endif
