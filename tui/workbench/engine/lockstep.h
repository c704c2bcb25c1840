/* SPDX-License-Identifier: MIT */
/* Both panes of a split do these together. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_LOCKSTEP_H
#define CALAB_TUI_WORKBENCH_ENGINE_LOCKSTEP_H

#include <stdbool.h>
#include <stdint.h>

struct workbench;

void split_run(struct workbench *wb);
void split_stop(struct workbench *wb);
void split_step(struct workbench *wb, uint64_t generations);
void split_reset(struct workbench *wb);
void split_seek(struct workbench *wb, uint64_t generation);
bool split_busy(const struct workbench *wb);
/* The two run something else from now on: comparison and ratio begin anew. */
void split_restart(struct workbench *wb);
/* Whether they step until they are stopped. */
bool split_runs(const struct workbench *wb);

#endif
