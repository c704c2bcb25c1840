/* SPDX-License-Identifier: MIT */
/*
 * A lab in the workbench: a process, `calab lab watch`, compiles and checks the kernel each time
 * that it is saved, and every engine has it as backend `lab`. lab.c follows that process,
 * lab_list.c shows what it says, and, once the kernel is right, the ladder with it.
 */
#ifndef CALAB_TUI_WORKBENCH_LISTS_LAB_H
#define CALAB_TUI_WORKBENCH_LISTS_LAB_H

#include "tui/workbench/base/part.h"

struct pane;
extern const struct part lab_part;

/* The request of the key: the list of the lab, or where none is open a prompt for its folder. */
void lab_show(struct workbench *wb);
/* Adds its backend and begins to watch it. CA_IO, CA_SETTINGS, CA_USAGE for a second one. */
enum ca_status lab_open(struct workbench *wb, const char *folder, struct ca_error *error);
bool lab_is_open(const struct workbench *wb);
/* Whether a pane runs its kernel; and then the command that opens it. */
bool lab_is_shown(const struct workbench *wb);
char *lab_command(const struct workbench *wb);
void lab_end(struct workbench *wb);

#endif
