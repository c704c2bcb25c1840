/* SPDX-License-Identifier: MIT */
/* Files that the user asks for: a name to offer, and whether one may be written. */
#ifndef CALAB_TUI_WORKBENCH_BASE_WRITTEN_H
#define CALAB_TUI_WORKBENCH_BASE_WRITTEN_H

#include <stdbool.h>

#include "core/base/error.h"

/* Proposes STEM.ENDING, or the first name of STEM-2.ENDING and so on that does not exist. */
void name_offer(char name[128], const char *stem, const char *ending);
/* False, with an error, for a file that exists, until it is asked for twice. */
bool may_write(const char *path, struct ca_error *error);
bool file_is_there(const char *path);

#endif
