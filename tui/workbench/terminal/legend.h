/* SPDX-License-Identifier: MIT */
/* The legend of a picture names its states, or the ends of the range that its ramp goes through. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_LEGEND_H
#define CALAB_TUI_WORKBENCH_TERMINAL_LEGEND_H

#include "tui/workbench/terminal/picture.h"

/* The entries of the legend of states, from the highest priority down: each with a sample and the
 * names of all states that look like it. `shown_only`: those that the frame has. Their number. */
#define LEGEND_ENTRIES 16
struct legend_entry {
    struct character sample;
    char names[128];
};
int legend_entries(const struct picture *picture, const struct palette *palette, bool shown_only,
                   struct legend_entry entries[LEGEND_ENTRIES]);
/* One line: what glyphs or colours stand for, as much as there is room for. */
void legend_draw(const struct picture *picture, const struct palette *palette, struct rect rect);

#endif
