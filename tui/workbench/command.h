/* SPDX-License-Identifier: MIT */
/* The command line: its verbs, which command.c has in one table. */
#ifndef CALAB_TUI_WORKBENCH_COMMAND_H
#define CALAB_TUI_WORKBENCH_COMMAND_H

#include "tui/workbench/base/part.h"

extern const struct part command_part;

struct workbench;

/* Tab in the line. */
void line_complete(struct workbench *wb, char *text, char *message, int size);

#endif
