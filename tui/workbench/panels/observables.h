/* SPDX-License-Identifier: MIT */
/* The observables of the whole run as a table. */
#ifndef CALAB_TUI_WORKBENCH_PANELS_OBSERVABLES_H
#define CALAB_TUI_WORKBENCH_PANELS_OBSERVABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

struct pane;

/* Writes a row a point of the timeline. CA_USAGE if none is known yet, CA_IO. */
enum ca_status observables_write(const struct pane *pane, const char *path, struct ca_error *error);
/* The generations of which it is. */
void observables_span(const struct pane *pane, uint64_t *first, uint64_t *last);
/* Whether a path ends like such a table. */
bool observables_path(const char *path);

#endif
