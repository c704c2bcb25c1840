/* SPDX-License-Identifier: MIT */
/* The comparison below the lattices of a split, and what line 1 says of it. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_COMPARE_H
#define CALAB_TUI_WORKBENCH_PANELS_COMPARE_H

#include "tui/workbench/terminal/layout.h"

struct workbench;

void compare_draw(struct workbench *wb, struct rect area);
char *compare_headline(const struct workbench *wb, char text[96]);
/* The texts of the panel, for so many columns: its heading, the row of a side with the bar of its
 * rate ("" where there is none), and all in one line for a small screen. */
char *compare_heading(int columns, char text[128]);
void compare_row(const struct workbench *wb, int side, int columns, char text[128],
                 char rates[512]);
char *compare_line(const struct workbench *wb, char text[160]);

#endif
