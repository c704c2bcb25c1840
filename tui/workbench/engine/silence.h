/* SPDX-License-Identifier: MIT */
/* An engine that does not answer: it uses the processor, or it does not. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SILENCE_H
#define CALAB_TUI_WORKBENCH_ENGINE_SILENCE_H

#include "tui/workbench/base/part.h"

enum silence { SILENCE_NONE, SILENCE_BUSY, SILENCE_HUNG };

extern const struct part silence_part;
enum silence silence_of(const struct pane *pane);
/* There is another engine. */
void silence_forget(struct pane *pane);

#endif
