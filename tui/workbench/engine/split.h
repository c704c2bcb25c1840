/* SPDX-License-Identifier: MIT */
/*
 * Two panes in lock step. The workbench asks both engines for the same call, waits for both, and
 * compares their hashes before either goes on. While they pause, bursts in turns give the ratio of
 * their rates; where they differ, a search finds the first difference.
 *
 * A state machine, driven by replies and by the main loop. There is one round of requests at a
 * time, at most one request an engine.
 */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SPLIT_H
#define CALAB_TUI_WORKBENCH_ENGINE_SPLIT_H

#include "tui/contender.h"
#include "tui/workbench/base/part.h"

extern const struct part split_part;

/* Opens pane B beside A. */
void split_open(struct workbench *wb, const struct contender *side, bool hidden);
/* B runs what A runs by another backend. */
void split_beside(struct workbench *wb, const struct ca_backend *backend, const char *host,
                  bool hidden);
/* The first row of A's ladder. */
const struct ca_backend *split_reference(const struct workbench *wb);
void split_reveal(struct workbench *wb); /* shows a pane B that was hidden */
/* Ends pane B; A goes on as it was. */
void split_close(struct workbench *wb);
bool split_is_open(const struct workbench *wb);
bool split_is_shown(const struct workbench *wb);
/* From what the difference in a single pane is, in words. */
const char *split_hides(const struct workbench *wb);
/* An engine has ended; says so and closes the split. False: there is none. */
bool split_died(struct pane *pane, const char *reason);
/* B could not be opened. */
void split_refused_open(struct pane *pane, const char *reason);

/* NULL if the states can be compared, else why not. */
const char *split_incomparable(const struct workbench *wb);

/* For other parts: both are idle at one generation, or come to it; the generations of a call; where
 * A was while both repeat the way there, 0: they are there. */
bool split_is_ready(const struct workbench *wb);
bool split_has_begun(const struct workbench *wb);
uint64_t split_call(const struct workbench *wb);
uint64_t split_home(const struct workbench *wb);
/* Whether the frame of a call that both make is due from a pane. */
bool split_awaits(const struct pane *pane);
/* Whether it is on its way to another host, and how much of it has come, in words. */
bool state_travels(const struct workbench *wb);
void state_progress(const struct workbench *wb, char *text, size_t size);
/* The lines of the comparison. */
int split_lines(const struct workbench *wb);

#endif
