/* SPDX-License-Identifier: MIT */
/* Clicks and the wheel, wherever they fall on the screen. */
#ifndef CALAB_TUI_WORKBENCH_MOUSE_H
#define CALAB_TUI_WORKBENCH_MOUSE_H

#include "tui/workbench/base/part.h"

/* Takes all events of the mouse that have come; one that stands for a key gives its code to `key`.
 */
void mouse_take(struct workbench *wb, void (*key)(struct workbench *wb, int code));

#endif
