/* SPDX-License-Identifier: MIT */
/* The requests of the keys that change cells; the last two while cells are edited. */
#ifndef CALAB_TUI_WORKBENCH_EDIT_H
#define CALAB_TUI_WORKBENCH_EDIT_H

#include "tui/workbench/base/part.h"

extern const struct part edit_part;

void edit_next(struct workbench *wb);

#endif
