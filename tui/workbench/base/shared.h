/* SPDX-License-Identifier: MIT */
/* The object that every part of the workbench is handed. */
#ifndef CALAB_TUI_WORKBENCH_BASE_SHARED_H
#define CALAB_TUI_WORKBENCH_BASE_SHARED_H

#include "core/settings/settings.h"
#include "core/sim/shipped.h"
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
    int rows, columns;
    bool wanted[PANEL_COUNT];
    bool panels_auto; /* wanted follows the size of the screen */
    enum panel focus;
    bool full;
    bool mouse;
    bool difference; /* is drawn: that between A and B, which may be hidden */
    double speed;    /* generations per frame; below 1: frames between generations; 0: unlimited */
    double fps;

    struct ca_shipped *shipped; /* the experiments that the picker of models lists, or NULL */
    int shipped_count;
    char search[64];
    uint64_t marked; /* bit n: GPU n, in the picker of devices */

    void (*deferred)(struct workbench *wb); /* a key's, until the simulation is open; or NULL */
    bool dirty;                             /* the screen must be drawn again */
    bool quit;                              /* leave the main loop */
    bool paste_blank;                       /* a pasted line has ended, and more may come */
    bool paste_ignored;                     /* of this paste it was said that it is not taken */
    double interrupted;                     /* time of the last ^C */
    double save_due;                        /* time to save the settings, 0: nothing to save */
    const char *lab_program;     /* a link to the newest program of a lab, NULL: there is none */
    int lock;                    /* the file that says that this process lives, 0: there is none */
    char recovered[CA_TEXT_MAX]; /* the checkpoint of a calab that was killed, "" */
};

#endif
