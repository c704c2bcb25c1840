/* SPDX-License-Identifier: MIT */
/*
 * All parts of the workbench. They do what is due in this order, are offered keys in it, and end in
 * the reverse one.
 */
#include "tui/workbench/parts.h"

#include "tui/workbench/apply.h"
#include "tui/workbench/checkpoint.h"
#include "tui/workbench/crossing.h"
#include "tui/workbench/dialog.h"
#include "tui/workbench/edit.h"
#include "tui/workbench/lab.h"
#include "tui/workbench/ladder.h"
#include "tui/workbench/log.h"
#include "tui/workbench/log_panel.h"
#include "tui/workbench/pane.h"
#include "tui/workbench/panels.h"
#include "tui/workbench/probing.h"
#include "tui/workbench/session_requests.h"
#include "tui/workbench/silence.h"
#include "tui/workbench/split.h"

const struct part *const workbench_parts[] = {
    &log_part,          &lab_part,         &panes_part,     &view_part,
    &cursor_part,       &engine_list_part, &steps_part,     &figures_part,
    &device_facts_part, &checkpoint_part,  &silence_part,   &split_part,
    &crossing_part,     &ladder_part,      &probing_part,   &settings_part,
    &dialogs_part,      &edit_part,        &log_panel_part, &lattice_part,
    &timing_part,       &observables_part, &device_part,    NULL,
};
