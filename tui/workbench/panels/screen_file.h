/* SPDX-License-Identifier: MIT */
/* The screen is saved as a file. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_SCREEN_FILE_H
#define CALAB_TUI_WORKBENCH_PANELS_SCREEN_FILE_H

#include <stdbool.h>

#include "core/base/error.h"

struct workbench;

/* Keeps the screen as it is, before a prompt is opened that may ask for a file of it. */
void screen_keep(struct workbench *wb);
/* Whether a path is that of such a file, and what was kept last in it. CA_IO, CA_NO_MEMORY. */
bool screen_path(const char *path);
enum ca_status screen_write(struct workbench *wb, const char *path, struct ca_error *error);

#endif
