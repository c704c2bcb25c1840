/* SPDX-License-Identifier: MIT */
/* An experiment, or a model, has an initial view: view, pace and what is drawn. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_INITIAL_VIEW_H
#define CALAB_TUI_WORKBENCH_ENGINE_INITIAL_VIEW_H

#include "core/sim/experiment.h"

struct pane;

/* Takes those of an experiment that is to be opened; the view alone, once its lattice is there; and
 * says what to look for in the one that is open. */
void initial_view_take(struct pane *pane, const struct ca_experiment *experiment);
void initial_view_set(struct pane *pane, const struct ca_experiment *experiment);
void initial_view_print(struct pane *pane);
/* Those of the experiment as they are now. */
void initial_view_give(const struct pane *pane, struct ca_values *initial_view);
/* Stores model, experiment and view in the settings, if an engine has opened it. */
void workbench_remember(struct pane *pane);

#endif
