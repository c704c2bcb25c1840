/* SPDX-License-Identifier: MIT */
/* This file lends the terminal to the user's editor. */
#include "tui/workbench/base/editor.h"

#include <stdio.h>
#include <sys/wait.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"

void editor_open(struct workbench *wb, const char *path, int line)
{
    char at[16];
    const char *const argv[] = {
        "/bin/sh", "-c", "exec ${VISUAL:-${EDITOR:-vi}} \"$@\"", "editor", at, path, NULL};
    struct ca_error error;
    int status;

    snprintf(at, sizeof at, "+%d", line);
    if (terminal_lend(wb->terminal, argv, &status, &error) != CA_OK)
        message_warn(wb, "%s", error.text);
    else if (WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126))
        message_warn(wb, "there is no such editor: name one in the variable EDITOR");
    wb->dirty = true;
}
