/* SPDX-License-Identifier: MIT */
/* The models, and under each the experiments that come with calab. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_MODELS_H
#define CALAB_TUI_WORKBENCH_LISTS_MODELS_H

#include "core/sim/experiment.h"
#include "tui/workbench/base/part.h"

extern const struct part models_part;

struct workbench;
struct pane;

extern const struct list_source models_source;
/* Opens a model as it was left, or an experiment at its beginning: a file, or what ships by a name.
 */
void choose_model(struct pane *pane, const struct ca_model *model);
void choose_file(struct pane *pane, const char *text);
/* Leaves the present run for the experiment of a lab, by an engine that has its kernel. An error
 * says why there is no engine. */
void choose_lab(struct pane *pane, const struct ca_experiment *experiment, struct ca_error *error);

#endif
