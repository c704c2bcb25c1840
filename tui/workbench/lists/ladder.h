/* SPDX-License-Identifier: MIT */
/*
 * The ladder of A's experiment, timed and checked, and its model's backends against the reference:
 * the engine's requests `bench` and `verify` in an engine of their own. A kernel that crashes there
 * costs its row, and the others begin again in another engine. It is shown as a list; closing the
 * list ends it. Meanwhile the panes do nothing.
 */
#ifndef CALAB_TUI_WORKBENCH_LISTS_LADDER_H
#define CALAB_TUI_WORKBENCH_LISTS_LADDER_H

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/part.h"

extern const struct part ladder_part;

/* The requests of the keys. */
void ladder_open(struct workbench *wb);
/* One of the two for a list of backends with commas; "": all. */
void ladder_open_only(struct workbench *wb, bool verify, const char *backends);
/* Times all backends, and shows their rows in the list of the lab, which is open. */
void ladder_open_in_lab(struct workbench *wb);
/* Whether its rows are in that list. */
bool ladder_is_in_lab(const struct workbench *wb);
void ladder_end(struct workbench *wb);

/* The rows in another list: their number, a row of the list, and its choice; the keys are those of
 * ladder_source. */
int ladder_lines(struct workbench *wb);
void ladder_row(struct workbench *wb, int line, struct list_row *row);
bool ladder_choose(struct workbench *wb, int line);
extern const struct list_source ladder_source;

#endif
