/* SPDX-License-Identifier: MIT */
/*
 * calab record: a program's screen in a pseudo-terminal between it and the user's terminal. What
 * the program writes goes to both the terminal and a recording (tui/commands/cast.h); keys and
 * changes of the size go to the program, and so do signals.
 */
#ifndef CALAB_TUI_COMMANDS_RECORD_H
#define CALAB_TUI_COMMANDS_RECORD_H

#include "tui/options.h"

struct recording {
    const char *path;
    bool replace;
    char title[CA_TEXT_MAX];
};

/* Takes file and --force from the options, so that those of the workbench are left; the words of
 * the command line without these make the title. CA_USAGE. */
enum ca_status record_options(struct recording *recording, struct options *options, int argc,
                              char **argv, struct ca_error *error);

/*
 * Records body(data), which runs in another process: there it returns what body does, and the
 * caller has to end with that as its exit status. Here it returns when that process has ended: its
 * exit status, 128 + n after signal n, and if that is 0 CA_IO for a recording that ends before.
 * CA_USAGE where the standard streams are no terminal.
 */
int record(const struct recording *recording, int (*body)(void *data, struct ca_error *error),
           void *data, struct ca_error *error);

#endif
