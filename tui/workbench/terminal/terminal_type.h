/* SPDX-License-Identifier: MIT */
/* The terminal type to draw for: TERM, or a simpler type of its family if TERM is unknown. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_TERMINAL_TYPE_H
#define CALAB_TUI_WORKBENCH_TERMINAL_TERMINAL_TYPE_H

#include "core/base/error.h"

#define TERMINAL_REMEDY                                                                            \
    "set TERM to the type of your terminal (xterm-256color suits most), or use 'calab run "        \
    "MODEL', "                                                                                     \
    "which needs no screen"

struct terminal_type {
    char name[64];
    char notice[256]; /* a message about a substitute, "" for none */
    bool takes_osc;   /* it ignores unknown operating system commands */
};

/* CA_USAGE with the remedy if TERM is unset, unknown, or cannot move its cursor. */
enum ca_status terminal_type_choose(struct terminal_type *type, int fd, struct ca_error *error);

#endif
