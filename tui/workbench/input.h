/* SPDX-License-Identifier: MIT */
/* Keys, pastes and the mouse. */
#ifndef CALAB_TUI_WORKBENCH_INPUT_H
#define CALAB_TUI_WORKBENCH_INPUT_H

struct workbench;

void workbench_key(struct workbench *wb, int code);
/* A character that was pasted, 0 where a paste begins. */
void workbench_paste(struct workbench *wb, int code);
void workbench_mouse(struct workbench *wb);

#endif
