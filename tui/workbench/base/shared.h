/* SPDX-License-Identifier: MIT */
/* The object that every part of the workbench is handed. */
#ifndef CALAB_TUI_WORKBENCH_BASE_SHARED_H
#define CALAB_TUI_WORKBENCH_BASE_SHARED_H

#include "core/settings/settings.h"
#include "tui/keys.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/terminal/draw.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/terminal.h"

struct pane;

struct workbench {
    struct terminal *terminal;
    struct ca_settings *settings;
    struct keymap keys;
    struct palette palette;
    struct pane *panes; /* A and B; `pane_count` are open */
    int pane_count;
    struct pane *pane;               /* the one in focus, to which keys and commands apply */
    const struct part *const *parts; /* parts.c */
    void *states[PARTS_MAX];         /* of each its own */
    struct layout layout;
    bool dirty; /* the screen must be drawn again */
    bool quit;  /* leave the main loop */
};

#endif
