/* SPDX-License-Identifier: MIT */
/*
 * All parts of the workbench. They do what is due in this order, are offered keys in it, and end in
 * the reverse one.
 */
#include "tui/workbench/parts.h"

#include "tui/workbench/actions.h"
#include "tui/workbench/apply.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/command.h"
#include "tui/workbench/edit.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/device_facts.h"
#include "tui/workbench/engine/figures.h"
#include "tui/workbench/engine/observed.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/silence.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/undo.h"
#include "tui/workbench/lists/crossing.h"
#include "tui/workbench/lists/help.h"
#include "tui/workbench/lists/lab.h"
#include "tui/workbench/lists/ladder.h"
#include "tui/workbench/lists/models.h"
#include "tui/workbench/lists/parameters.h"
#include "tui/workbench/lists/probing.h"
#include "tui/workbench/lists/split_list.h"
#include "tui/workbench/navigate.h"
#include "tui/workbench/panels/log_panel.h"
#include "tui/workbench/panels/panels.h"

const struct part *const workbench_parts[] = {
    &log_part,          &lab_part,
    &panes_part,        &view_part,
    &cursor_part,       &engine_list_part,
    &steps_part,        &figures_part,
    &device_facts_part, &checkpoint_part,
    &session_part,      &undo_part,
    &observed_part,     &silence_part,
    &split_part,        &crossing_part,
    &ladder_part,       &probing_part,
    &settings_part,     &dialogs_part,
    &edit_part,         &log_panel_part,
    &lattice_part,      &timing_part,
    &observables_part,  &device_part,
    &actions_part,      &navigate_part,
    &parameters_part,   &command_part,
    &models_part,       &split_list_part,
    &help_part,         NULL,
};

_Static_assert(sizeof workbench_parts / sizeof workbench_parts[0] <= PARTS_MAX,
               "there is room for the states of so many parts");
