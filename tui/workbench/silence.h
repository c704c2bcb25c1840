/* SPDX-License-Identifier: MIT */
/* An engine that does not answer. */
#ifndef CALAB_TUI_WORKBENCH_SILENCE_H
#define CALAB_TUI_WORKBENCH_SILENCE_H

#include "tui/workbench/part.h"

extern const struct part silence_part;

#endif
