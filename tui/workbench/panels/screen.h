/* SPDX-License-Identifier: MIT */
/* The whole screen. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_SCREEN_H
#define CALAB_TUI_WORKBENCH_PANELS_SCREEN_H

struct workbench;

void screen_draw(struct workbench *wb);
/* The same without sending it to the terminal. */
void screen_compose(struct workbench *wb);

#endif
