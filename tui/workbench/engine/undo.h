/* SPDX-License-Identifier: MIT */
/* Resets, and how the last one can be undone. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_UNDO_H
#define CALAB_TUI_WORKBENCH_ENGINE_UNDO_H

#include <stdbool.h>

#include "tui/workbench/base/part.h"

struct workbench;
struct pane;

extern const struct part undo_part;

/* The requests of the keys. */
void undo_reset(struct workbench *wb);
void undo_last(struct workbench *wb);
/* Another experiment is open, or the present one has changed; same_rule: not in its parameters. */
void undo_forget(struct pane *pane);
void undo_change(struct pane *pane, bool same_rule);

#endif
