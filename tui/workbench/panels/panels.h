/* SPDX-License-Identifier: MIT */
/* The panels, a part each. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_PANELS_H
#define CALAB_TUI_WORKBENCH_PANELS_PANELS_H

#include "tui/workbench/base/part.h"

extern const struct part lattice_part, timing_part, observables_part, device_part;
extern const struct part *const panels[PANEL_COUNT];

#endif
