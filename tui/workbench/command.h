/* SPDX-License-Identifier: MIT */
/* The command line: its verbs, which command.c has in one table. */
#ifndef CALAB_TUI_WORKBENCH_COMMAND_H
#define CALAB_TUI_WORKBENCH_COMMAND_H

struct workbench;

void command_open(struct workbench *wb);
/* Tab in the line. */
void line_complete(struct workbench *wb, char *text, char *message, int size);
void goto_open(struct workbench *wb);
void snapshot_open(struct workbench *wb);
void experiment_file_open(struct workbench *wb);

#endif
