/* SPDX-License-Identifier: MIT */
/* The state of a session, for session*.c alone. */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_SESSION_INSIDE_H
#define CALAB_TUI_WORKBENCH_ENGINE_SESSION_INSIDE_H

#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"

struct session {
    struct ca_client *client; /* NULL: there is no engine; the log says why */
    bool open;                /* the engine has a simulation */
    bool running;             /* it steps until it is stopped */
    double pace;              /* of the last run, in generations a frame; 0: without a limit */
    bool run_requested;       /* by the user; a restart clears it */
    bool dead;                /* crashed twice in a row, or did not start: `r` starts it again */
    bool unstarted;           /* it did not: the state to begin with is still `good` */
    uint64_t generation;
    double last_received; /* time of the engine's last message */
    double died;          /* time of the last crash, 0: none */
    uint64_t steps_wanted;
    enum silence silence;
    long ticks;                     /* of processor time, when a silent engine was looked at last */
    double looked;                  /* the time of that */
    char fault_text[CA_TEXT_MAX];   /* error of a lost device, "" for none */
    char crash_reason[CA_TEXT_MAX]; /* of the last engine, until the restarted one is open */
    char crash_log[CA_TEXT_MAX];    /* "; see" and where it has left more; or "" */
};

struct session *session_of(const struct pane *pane);

#endif
