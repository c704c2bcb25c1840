/* SPDX-License-Identifier: MIT */
/* Files that the user asks for. */
#include "tui/workbench/base/written.h"

#include "core/files/embedded.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char refused[4096]; /* the existing file that a second Enter replaces */

bool file_is_there(const char *path)
{
    struct stat facts;

    return ca_embedded_find(path) || (stat(path, &facts) == 0 && S_ISREG(facts.st_mode));
}

bool may_write(const char *path, struct ca_error *error)
{
    if (!file_is_there(path) || strcmp(path, refused) == 0)
        return true;
    snprintf(refused, sizeof refused, "%s", path);
    ca_error_set(error, CA_USAGE, "this file exists; press Enter again to replace it");
    return false;
}

void name_offer(char name[128], const char *stem, const char *ending)
{
    refused[0] = 0;
    snprintf(name, 128, "%s.%s", stem, ending);
    for (int i = 2; access(name, F_OK) == 0; i++)
        snprintf(name, 128, "%s-%d.%s", stem, i, ending);
}
