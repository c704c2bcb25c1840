/* SPDX-License-Identifier: MIT */
/* The user's editor takes the terminal for a while. */
#ifndef CALAB_TUI_WORKBENCH_BASE_EDITOR_H
#define CALAB_TUI_WORKBENCH_BASE_EDITOR_H

struct workbench;

/* Opens $VISUAL, else $EDITOR, else vi, with a file at a line, and comes back when it has ended.
 * What does not work is said. */
void editor_open(struct workbench *wb, const char *path, int line);

#endif
