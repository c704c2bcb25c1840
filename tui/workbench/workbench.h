/* SPDX-License-Identifier: MIT */
/*
 * The workbench: curses screens over an engine in a process of its own. It never touches a kernel.
 */
#ifndef CALAB_TUI_WORKBENCH_WORKBENCH_H
#define CALAB_TUI_WORKBENCH_WORKBENCH_H

#include "core/sim/experiment.h"
#include "core/settings/settings.h"

/*
 * Runs until the person quits; settings are saved by then. `notice` (may be NULL) is shown at the
 * start. A model of which nobody says more than its name finds its view and state as they were
 * left. CA_USAGE when this terminal cannot be drawn on, CA_IO when no engine can be started, or
 * state or settings cannot be kept at the end.
 */
enum ca_status workbench_run(struct ca_experiment *experiment, struct ca_settings *settings,
                             const char *notice, struct ca_error *error);

#endif
