/* SPDX-License-Identifier: MIT */
/* A portable program has terminal descriptions compiled in; others have none. */
#include "tui/terminfo.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

static const struct {
    const char *name, *description; /* a value for TERMINFO: "b64:..." */
} compiled_in[] = {
#ifdef CALAB_TERMINFO
/* cppcheck-suppress preprocessorErrorDirective */
#include CALAB_TERMINFO
#endif
    {NULL, NULL},
};

int terminfo_setup(const char *name, int fd, int *found)
{
    int result = setupterm(name, fd, found), i = 0;

    if (result == OK || *found == 1) /* 1: known, but not usable */
        return result;
    while (compiled_in[i].name && strcmp(compiled_in[i].name, name) != 0)
        i++;
    if (!compiled_in[i].name || !compiled_in[i].description ||
        setenv("TERMINFO", compiled_in[i].description, 1) != 0)
        return result;
    return setupterm(name, fd, found);
}
