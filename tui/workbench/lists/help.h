/* SPDX-License-Identifier: MIT */
/* The keys and terms, and commands to be copied. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_HELP_H
#define CALAB_TUI_WORKBENCH_LISTS_HELP_H

#include "tui/workbench/base/dialog.h"

extern const struct part help_part;

extern const struct list_source help_source, yank_source, bench_source;
/* The rows of a list that shows a command. */
int yank_count(struct workbench *wb);
void yank_row(struct workbench *wb, int index, struct list_row *row);
/* Shows a command, and copies it if allowed. */
void yank_command(struct workbench *wb, const struct list_source *source, const char *command);

#endif
