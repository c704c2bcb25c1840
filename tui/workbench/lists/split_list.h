/* SPDX-License-Identifier: MIT */
/* The key that opens and closes a split, and the choice of the backend of B. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_SPLIT_LIST_H
#define CALAB_TUI_WORKBENCH_LISTS_SPLIT_LIST_H

#include "core/model/model.h"
#include "tui/workbench/base/dialog.h"

extern const struct part split_list_part;

extern const struct list_source others_source;
void split_against(struct workbench *wb, const struct ca_backend *backend); /* B is this one */
/* The request of a key: with the previous backend, else the reference, else a choice. */
void split_toggle(struct workbench *wb);

#endif
