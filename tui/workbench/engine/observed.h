/* SPDX-License-Identifier: MIT */
/* The observables of a run, as its engine has sent them. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_OBSERVED_H
#define CALAB_TUI_WORKBENCH_ENGINE_OBSERVED_H

#include "core/engine/wire.h"
#include "tui/workbench/base/part.h"

extern const struct part observed_part;

/* Forgets the observations; goes_on: but for the history up to the present generation. */
void observed_begin(struct pane *pane, bool goes_on);
/* The run is at an earlier generation again: the history ends there; or, with `anew`, begins. */
void observed_rewind(struct pane *pane, bool anew);
void observed_take(struct pane *pane, const struct ca_wire_frame *wire);
/* Whether something that is conserved was not. */
bool observed_is_broken(const struct pane *pane);

#endif
