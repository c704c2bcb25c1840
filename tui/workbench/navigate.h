/* SPDX-License-Identifier: MIT */
/* The requests that move the view and the cursor. */
#ifndef CALAB_TUI_WORKBENCH_NAVIGATE_H
#define CALAB_TUI_WORKBENCH_NAVIGATE_H

#include "tui/workbench/base/part.h"

extern const struct part navigate_part;

#endif
