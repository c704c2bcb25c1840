/* SPDX-License-Identifier: MIT */
/*
 * While a model of a file is shown, its file is watched: once it has been saved, it is compiled by
 * an engine of its own, and takes the place of the model before, with the state where that fits.
 */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_REBUILD_H
#define CALAB_TUI_WORKBENCH_ENGINE_REBUILD_H

#include "tui/workbench/engine/pane.h"

extern const struct part rebuild_part;

/* The new edition is open, as the engine's reply says. */
void rebuild_opened(struct pane *pane, const json_t *reply);
/* The line of the shown model's file that the newest alarm names, 0: none. */
int rebuild_line(const struct workbench *wb);

#endif
