/* SPDX-License-Identifier: MIT */
/* These functions start, stop and pace what runs: the pane in focus, or both panes of a split in
 * lock step. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_GO_H
#define CALAB_TUI_WORKBENCH_ENGINE_GO_H

#include <stdbool.h>
#include <stdint.h>

struct workbench;
struct pane;
struct ca_experiment;

void go_run(struct workbench *wb);
void go_stop(struct workbench *wb);
void go_step(struct workbench *wb, uint64_t n);
void go_reset(struct workbench *wb);
void go_seek(struct workbench *wb, uint64_t generation);
bool go_busy(const struct workbench *wb);
/* Stops what runs until the user stops it, as opposed to a number of steps, which come to their
 * end. Returns whether it ran, and is to go on later. */
bool go_pause(struct workbench *wb);
/* Whether no engine of a pane has anything to do. */
bool go_idle(const struct workbench *wb);
/* Generations per frame; below 1: frames between generations; 0: without a limit. */
double speed_of(const struct workbench *wb);
void speed_set(struct workbench *wb, double speed);
char *pace_format(double speed, char text[32]);
char *speed_format(const struct workbench *wb, char text[32]);
/* Stops the present run and opens `wanted` at generation 0; what is wanted of A in a split, B opens
 * with its own backend. */
void reopen(struct pane *pane, const struct ca_experiment *wanted);
/* The terminal was another program's: nothing that engines have sent was read meanwhile. */
void engines_were_left(struct workbench *wb);

/* Both panes of a split do these together. */
void split_run(struct workbench *wb);
void split_stop(struct workbench *wb);
void split_step(struct workbench *wb, uint64_t generations);
void split_reset(struct workbench *wb);
void split_seek(struct workbench *wb, uint64_t generation);
bool split_busy(const struct workbench *wb);
/* The two run something else from now on: comparison and ratio begin anew. */
void split_restart(struct workbench *wb);
bool split_runs(const struct workbench *wb);

#endif
