/* SPDX-License-Identifier: MIT */
/*
 * The engine process of a pane: it is started, asked, found to hang or to have crashed, and
 * restarted at the last saved state.
 */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SESSION_H
#define CALAB_TUI_WORKBENCH_ENGINE_SESSION_H

#include <jansson.h>
#include <stdint.h>

#include "core/engine/client.h"
#include "core/sim/experiment.h"
#include "tui/workbench/base/part.h"

struct workbench;
struct pane;

extern const struct part session_part;

bool session_start(struct pane *pane, struct ca_error *error);
void session_end(struct pane *pane);
/* Whether the engine runs on this machine: its files are then this machine's, and its process can
 * be looked at. One that a command starts says so by its greeting. */
bool session_is_here(const struct pane *pane);
/* Opens an experiment from a state file at its generation; `state` NULL or "": at generation 0. */
void session_open(struct pane *pane, const struct ca_experiment *wanted, uint64_t generation,
                  const char *state);
void session_change(struct pane *pane, const struct ca_experiment *wanted);
void session_run(struct pane *pane);
void session_stop(struct pane *pane);
void session_step(struct pane *pane, uint64_t n);
void session_reset(struct pane *pane);
void session_seek(struct pane *pane, uint64_t generation);
void session_save(struct pane *pane, const char *path);
bool session_busy(const struct pane *pane); /* it runs, steps or seeks */
/* Whether an experiment is being opened, or changed. */
bool session_is_opening(const struct pane *pane);
bool session_is_changing(const struct pane *pane);
/* Whether a simulation is open in A. Where it is about to be, the action follows then; where there
 * is none, that is said. */
bool session_ready(struct workbench *wb, void (*then)(struct workbench *wb));
/* Handles all messages that have arrived. */
void session_read(struct pane *pane);
/* Kills the engine and restarts it at the last saved state. */
void session_kill(struct pane *pane);
/* Restarts an engine that crashed twice in a row, at generation 0; one that did not start, at the
 * state that it was to begin with. */
void session_restart(struct pane *pane);

#endif
