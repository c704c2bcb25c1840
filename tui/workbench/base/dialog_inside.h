/* SPDX-License-Identifier: MIT */
/* The stack of dialogs, for dialog.c, list.c and prompt.c alone. */
#ifndef CALAB_TUI_WORKBENCH_BASE_DIALOG_INSIDE_H
#define CALAB_TUI_WORKBENCH_BASE_DIALOG_INSIDE_H

#include "tui/workbench/base/dialog.h"

struct dialogs {
    struct dialog stack[DIALOGS_MAX];
    int depth;
    char search[DIALOGS_SEARCH];
};

struct dialogs *dialogs_of(const struct workbench *wb);
/* Takes out the one at this place. */
void dialog_remove(struct workbench *wb, int place);

#endif
