/* SPDX-License-Identifier: MIT */
/* The requests of the keys that are no part's own. */
#ifndef CALAB_TUI_WORKBENCH_ACTIONS_H
#define CALAB_TUI_WORKBENCH_ACTIONS_H

#include "tui/workbench/base/part.h"

extern const struct part actions_part;

#endif
