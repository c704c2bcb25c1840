/* SPDX-License-Identifier: MIT */
/*
 * The engine process of a pane: it is started, asked, found to hang or to have crashed, and
 * restarted at the last saved state.
 */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SESSION_H
#define CALAB_TUI_WORKBENCH_ENGINE_SESSION_H

#include "core/engine/client.h"
#include "tui/workbench/base/part.h"

extern const struct part session_part;

bool session_start(struct pane *pane, struct ca_error *error);
void session_end(struct pane *pane);
/* Whether the engine runs on this machine: its files are then this machine's, and its process can
 * be looked at. One that a command starts says so by its greeting. */
bool session_is_here(const struct pane *pane);
/* Opens an experiment from a state file at its generation; `state` NULL or "": at generation 0. */
void session_open(struct pane *pane, const struct ca_experiment *wanted, uint64_t generation,
                  const char *state);
/* Opens one whose model is a newer edition of the file's; `keep`: with the cells that the engine
 * has, if they fit. */
void session_open_edition(struct pane *pane, const struct ca_experiment *wanted, bool keep);
void session_change(struct pane *pane, const struct ca_experiment *wanted);
void session_run(struct pane *pane);
void session_stop(struct pane *pane);
void session_step(struct pane *pane, uint64_t n);
void session_reset(struct pane *pane);
void session_seek(struct pane *pane, uint64_t generation);
void session_save(struct pane *pane, const char *path);
bool session_busy(const struct pane *pane); /* it runs, steps or seeks */
/* Whether an experiment is being opened. */
bool session_is_opening(const struct pane *pane);
/* Whether a simulation is open in A. Where it is about to be, the action follows then; where there
 * is none, that is said. */
bool session_ready(struct workbench *wb, void (*then)(struct workbench *wb));
/* Kills the engine and restarts it at the last saved state. */
void session_kill(struct pane *pane);
/* Restarts an engine that crashed twice in a row, at generation 0; one that did not start, at the
 * state that it was to begin with. */
void session_restart(struct pane *pane);

/* Starts an engine that is gone, or a simulation that it has closed, at the last saved state. */
void session_restart_there(struct pane *pane);

struct ca_client *session_client(const struct pane *pane); /* NULL: there is no engine */
bool session_has_run(const struct pane *pane);             /* the engine has a simulation */
uint64_t session_generation(const struct pane *pane);
/* It steps until it is stopped; the user wants that. */
bool session_running(const struct pane *pane);
bool session_run_requested(const struct pane *pane);
/* It crashed twice in a row, or did not start. */
bool session_is_dead(const struct pane *pane);
/* The engine counts as heard now. */
void session_heard(struct pane *pane);

/* An engine that does not answer uses the processor, or it does not. */
enum silence { SILENCE_NONE, SILENCE_BUSY, SILENCE_HUNG };
enum silence silence_of(const struct pane *pane);

#endif
