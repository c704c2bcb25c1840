/* SPDX-License-Identifier: MIT */
/*
 * The status line: which of its parts a width holds. Pure text, without curses. State, rate and
 * pace are the last to go, the reason for "no CUDA" the first; no part is ever cut.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_STATUS_H
#define CALAB_TUI_WORKBENCH_TERMINAL_STATUS_H

#include <stdint.h>

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
