/* SPDX-License-Identifier: MIT */
/*
 * The workbench: curses screens that show an engine, which is another process. No kernel runs here.
 */
#ifndef CALAB_TUI_WORKBENCH_WORKBENCH_H
#define CALAB_TUI_WORKBENCH_WORKBENCH_H

#include "tui/contender.h"
#include "tui/workbench/base/part.h"

/*
 * Runs until the user quits, and saves the settings. `notice` (may be NULL) is shown at the start.
 * Two sides are compared from the start. `lab` is the folder of a lab, whose experiment the side is
 * and whose kernel becomes its backend once it compiles; NULL: none. If nothing but the model is
 * given, the run continues with its saved view and state. CA_USAGE if the terminal cannot be used,
 * CA_IO if no engine can be started, or if the state or the settings cannot be saved at the end.
 */
enum ca_status workbench_run(const struct contender sides[], int count,
                             struct ca_settings *settings, const char *lab, const char *notice,
                             struct ca_error *error);

/* Tab in the command line. */
void line_complete(struct workbench *wb, char *text, char *message, int size);

#endif
