/* SPDX-License-Identifier: MIT */
/* Lists from which a backend, a device, colours are chosen, and what becomes of a hung engine. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_PICKERS_H
#define CALAB_TUI_WORKBENCH_LISTS_PICKERS_H

#include "core/model/model.h"
#include "tui/workbench/base/dialog.h"

struct pane;

extern const struct list_source backends_source, devices_source, colours_source, hung_source;
extern const struct part pickers_part;
void devices_open(struct workbench *wb);
void choose_backend(struct pane *pane, const struct ca_backend *backend);
/* The row of backend `index` in a list; whether it can run here, with a message if not. */
void backend_row(struct pane *pane, int index, struct list_row *row);
bool backend_is_available(struct pane *pane, const struct ca_backend *backend);

#endif
