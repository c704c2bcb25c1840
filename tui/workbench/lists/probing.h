/* SPDX-License-Identifier: MIT */
/*
 * The ceilings of the machine of the pane in focus, measured by the engine's request `probe` in an
 * engine of its own. It is shown as a list; closing the list ends it. Meanwhile the panes do
 * nothing; afterwards their shares are those of the new ceilings.
 */
#ifndef CALAB_TUI_WORKBENCH_LISTS_PROBING_H
#define CALAB_TUI_WORKBENCH_LISTS_PROBING_H

#include "tui/workbench/base/part.h"

extern const struct part probing_part;

void probing_open(struct workbench *wb); /* the request of the key */

#endif
