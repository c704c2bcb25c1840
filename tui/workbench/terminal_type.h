/* SPDX-License-Identifier: MIT */
/* Which terminal to draw for: TERM, or a plainer one of its family where TERM is unknown. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_TYPE_H
#define CALAB_TUI_WORKBENCH_TERMINAL_TYPE_H

#include <stdbool.h>

#include "core/base/error.h"

#define TERMINAL_CURE                                                                              \
    "set TERM to what you sit at (xterm-256color fits most), or use 'calab run MODEL', which "     \
    "needs no screen"

struct terminal_type {
    char name[64];
    char notice[256]; /* what had to be worked around; "" for nothing */
    bool takes_osc;   /* swallows operating system commands, known or not */
};

/* CA_USAGE with the cure when TERM is unset, unknown, or cannot move its cursor. */
enum ca_status terminal_type_choose(struct terminal_type *type, int fd, struct ca_error *error);

#endif
