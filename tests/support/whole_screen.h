/* SPDX-License-Identifier: MIT */
/* What must hold of every screen of the workbench, whatever it shows. */
#ifndef CALAB_TESTS_WHOLE_SCREEN_H
#define CALAB_TESTS_WHOLE_SCREEN_H

#include "tests/support/screen.h"

/*
 * NULL for a whole screen, else what is broken, in static storage: line 1 with its rate and pace;
 * the hints in the last line; boxes with four corners and both sides, which together leave no cell
 * uncovered where no dialog lies above them; no remains of escape sequences or of line drawing
 * that the terminal has not understood; no unit that is cut at the border of its box.
 */
const char *whole_screen(struct screen *screen);

/* Whether a prompt, or a list, is open: the last line names the keys that close it. */
bool whole_prompt(struct screen *screen);
bool whole_dialog(struct screen *screen);

/* A screen as it was, without what changes by itself: the line of messages, the device, the
 * log, the measurements of a split. */
struct snapshot {
    int rows, columns;
    uint32_t *cells;
    bool message; /* a long one lies above the panels */
    char *text;   /* of all of it */
};

struct snapshot snapshot_take(struct screen *screen);
bool snapshot_equal(const struct snapshot *a, const struct snapshot *b);
void snapshot_free(struct snapshot *snapshot);

#endif
