/* SPDX-License-Identifier: MIT */
/*
 * A and B of a split by length of call and by size, measured in engines of their own, so that the
 * panes' states stay as they are and an engine that ends costs one row. It is shown as a list;
 * closing the list ends it. At most one engine computes at a time, and the panes do nothing.
 */
#ifndef CALAB_TUI_WORKBENCH_LISTS_CROSSING_H
#define CALAB_TUI_WORKBENCH_LISTS_CROSSING_H

#include "tui/workbench/base/part.h"

extern const struct part crossing_part;

#endif
