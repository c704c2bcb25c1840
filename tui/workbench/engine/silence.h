/* SPDX-License-Identifier: MIT */
/* An engine that does not answer. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SILENCE_H
#define CALAB_TUI_WORKBENCH_ENGINE_SILENCE_H

#include "tui/workbench/base/part.h"

extern const struct part silence_part;

#endif
