/* SPDX-License-Identifier: MIT */
/* All messages as a panel, and the last one as a line. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_LOG_PANEL_H
#define CALAB_TUI_WORKBENCH_PANELS_LOG_PANEL_H

#include "tui/workbench/base/part.h"

extern const struct part log_panel;
/* The newest alarm that was raised, until it is answered, and the last message, until the next key;
 * one that is too long for its line hides the alarm so long. */
void message_draw(const struct workbench *wb);

#endif
