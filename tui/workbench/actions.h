/* SPDX-License-Identifier: MIT */
/* A function for each request of a key. */
#ifndef CALAB_TUI_WORKBENCH_ACTIONS_H
#define CALAB_TUI_WORKBENCH_ACTIONS_H

#include "tui/keys.h"

struct workbench;

typedef void action(struct workbench *wb);
extern action *const actions[REQUEST_COUNT];
action *action_navigate(enum request request); /* the ones in navigate.c */
void action_perform(struct workbench *wb, enum request request);

#endif
