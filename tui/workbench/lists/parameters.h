/* SPDX-License-Identifier: MIT */
/* The list of what a run is made of, and its changes. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_PARAMETERS_H
#define CALAB_TUI_WORKBENCH_LISTS_PARAMETERS_H

#include <stdbool.h>

#include "core/base/error.h"
#include "tui/workbench/base/part.h"

extern const struct part parameters_part;

struct workbench;
struct pane;

extern const struct list_source parameters_source;
/* experiment_set changes the size, seed or initial state and restarts at generation 0;
 * parameter_set changes a parameter or an option. False: not allowed. */
bool experiment_set(struct pane *pane, const char *name, const char *text, struct ca_error *error);
bool parameter_set(struct pane *pane, const char *key, const char *text, struct ca_error *error);

#endif
