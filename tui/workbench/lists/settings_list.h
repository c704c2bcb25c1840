/* SPDX-License-Identifier: MIT */
/* The editor of the settings. */
#ifndef CALAB_TUI_WORKBENCH_LISTS_SETTINGS_LIST_H
#define CALAB_TUI_WORKBENCH_LISTS_SETTINGS_LIST_H

#include "tui/workbench/base/dialog.h"

extern const struct list_source settings_source;

#endif
