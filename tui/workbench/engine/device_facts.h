/* SPDX-License-Identifier: MIT */
/* The engine is asked for its device, or several GPUs, while the panel is shown. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_DEVICE_FACTS_H
#define CALAB_TUI_WORKBENCH_ENGINE_DEVICE_FACTS_H

#include <jansson.h>

#include "tui/workbench/base/part.h"

extern const struct part device_facts_part;

/* It is asked at once, also where nothing runs. */
void device_wanted(struct pane *pane);
/* The engine reads the ceilings of its device anew. */
void device_renew(struct pane *pane);
/* Takes from a reply what disturbed the measurement of the ceilings; "": nothing. */
void device_take_others(struct pane *pane, const json_t *json);
const char *device_others(const struct pane *pane);

#endif
