/* SPDX-License-Identifier: MIT */
/* The settings take effect: at the start, and when one is changed. */
#ifndef CALAB_TUI_WORKBENCH_APPLY_H
#define CALAB_TUI_WORKBENCH_APPLY_H

#include "tui/workbench/base/part.h"

extern const struct part settings_part;
/* Stores which panels are shown. */
void settings_panels(struct workbench *wb);

#endif
