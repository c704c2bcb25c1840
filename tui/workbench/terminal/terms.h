/* SPDX-License-Identifier: MIT */
/* The words that the screen says, explained: the last part of the help. */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_TERMS_H
#define CALAB_TUI_WORKBENCH_TERMINAL_TERMS_H

struct term {
    const char *name, *help;
};

extern const struct term terms_table[]; /* in alphabetical order; ends with name NULL */

#endif
