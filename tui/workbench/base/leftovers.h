/* SPDX-License-Identifier: MIT */
/* Files in the state folder, and those of a calab that was killed. */
#ifndef CALAB_TUI_WORKBENCH_BASE_LEFTOVERS_H
#define CALAB_TUI_WORKBENCH_BASE_LEFTOVERS_H

#include "tui/workbench/base/part.h"

/* Its end removes this process's files. */
extern const struct part leftovers_part;

/* The path of a file in the state folder, and of one of this process; "" if there is none. */
char *state_file(char path[CA_TEXT_MAX], const char *name);
char *own_file(struct workbench *wb, char path[CA_TEXT_MAX], const char *suffix);
/* The file in it that takes what libraries and engines of this machine write to stderr. */
#define WORKBENCH_LOG "workbench.log"
/* Takes over the last checkpoint of those that were killed, and removes what else they have left.
 */
void leftovers_take(struct workbench *wb);
/* Tells the user that there is one. */
void leftovers_offer(struct workbench *wb);
/* Returns what it is, "" where nothing is offered. */
const char *leftovers_recovered(const struct workbench *wb);

#endif
