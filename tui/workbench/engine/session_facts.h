/* SPDX-License-Identifier: MIT */
/* Other parts read these facts of the session of a pane, and send it these. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SESSION_FACTS_H
#define CALAB_TUI_WORKBENCH_ENGINE_SESSION_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/client.h"

struct pane;

struct ca_client *session_client(const struct pane *pane); /* NULL: there is no engine */
bool session_has_run(const struct pane *pane);             /* the engine has a simulation */
uint64_t session_generation(const struct pane *pane);
/* It steps until it is stopped; the user wants that; in generations a frame, 0: without a limit. */
bool session_running(const struct pane *pane);
bool session_run_requested(const struct pane *pane);
double session_pace(const struct pane *pane);
/* It crashed twice in a row, or did not start; and where the last engine has left more, or "". */
bool session_is_dead(const struct pane *pane);
const char *session_crash_log(const struct pane *pane);
/* Takes away the steps that are still to be asked for. */
uint64_t session_steps_left(struct pane *pane);
/* The engine counts as heard now; it could not be started. */
void session_heard(struct pane *pane);
void session_give_up(struct pane *pane);
/* A frame says whether it runs; a run has ended by itself, with its simulation where that is lost.
 */
void session_frame_ran(struct pane *pane, bool running);
void session_stopped(struct pane *pane, bool lost);

#endif
