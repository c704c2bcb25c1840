/* SPDX-License-Identifier: MIT */
/* The table of all parts. */
#ifndef CALAB_TUI_WORKBENCH_PARTS_H
#define CALAB_TUI_WORKBENCH_PARTS_H

#include "tui/workbench/base/part.h"

extern const struct part *const workbench_parts[]; /* ends with NULL */

#endif
