/* SPDX-License-Identifier: MIT */
/* Requests of a pane to its engine, for the files that send them and take the replies. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SESSION_REQUESTS_H
#define CALAB_TUI_WORKBENCH_ENGINE_SESSION_REQUESTS_H

#include "tui/workbench/engine/pane.h"

struct pending;

/* Takes the reply to a request; NULL: it was refused. */
typedef void take_reply(struct pane *pane, struct pending *pending, const json_t *json);

/* A request that waits for its reply, and what its taker has to know. */
struct pending {
    struct ca_request request;
    take_reply *take;
    bool says;                      /* a refusal is said, and not taken */
    const struct ca_message *reply; /* while it is taken, as the reason of a refusal */
    const struct ca_error *refusal;
    double sent;
    struct ca_experiment *wanted; /* the experiment after success */
    bool arrives;                 /* it opens with a view of its own */
    bool edition;                 /* it is the same with the model's file as it is now */
    uint64_t generation;
    uint64_t edits; /* of the state that is saved */
    char path[CA_TEXT_MAX];
};

/* Sends a request with the members of `body`, which is stolen; NULL: without. A refusal is said.
 * NULL: there is no engine. */
struct pending *session_send(struct pane *pane, const char *op, json_t *body, take_reply *take);
/* The same with bytes behind it, where the taker takes a refusal as well. */
struct pending *session_try(struct pane *pane, const char *op, json_t *body, const void *bytes,
                            size_t count, take_reply *take);
/* Whether a request waits whose reply this function takes. */
bool session_waits_for(const struct pane *pane, take_reply *take);
/* The last request that waits and has one of the flags of core/engine/ops.h; NULL: none. */
const struct ca_op *session_last(const struct pane *pane, unsigned flags);
/* Keeps the text of an error that will end the engine. */
void session_fault(struct pane *pane, const struct ca_error *error);
/* Whether a request sent now finds a simulation: requests are served in order, so that an opening
 * counts that waits for its reply. Where it does not, session_require says how to get one. */
bool session_is_open(const struct pane *pane);
bool session_require(struct pane *pane);

/* Whether an experiment is being changed. */
bool session_is_changing(const struct pane *pane);
/* Generations a frame of the last run, 0: without a limit. */
double session_pace(const struct pane *pane);
/* Where the last engine has left more than the reason of its end, or "". */
const char *session_crash_log(const struct pane *pane);
/* Takes away the steps that are still to be asked for. */
uint64_t session_steps_left(struct pane *pane);
/* The engine could not be started. */
void session_give_up(struct pane *pane);
/* Handles all messages that have arrived. */
void session_read(struct pane *pane);
/* A frame says whether it runs; a run has ended by itself, with its simulation where that is lost.
 */
void session_frame_ran(struct pane *pane, bool running);
void session_stopped(struct pane *pane, bool lost);

/* Takers, and what they share. */
take_reply open_taken, run_taken, reset_taken;
void generation_take(struct pane *pane, const json_t *json);
/* Forgets the observations, but for the history of a run that goes on after a crash. */
void run_begins(struct pane *pane, bool goes_on);
/* Events. */
void event_take(struct pane *pane, const struct ca_message *message);

#endif
