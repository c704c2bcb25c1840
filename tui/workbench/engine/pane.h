/* SPDX-License-Identifier: MIT */
/*
 * A pane: one simulation on the screen, its engine process, what it runs, and what is known of it.
 * The workbench shows one, or two that are compared.
 */
#ifndef CALAB_TUI_WORKBENCH_ENGINE_PANE_H
#define CALAB_TUI_WORKBENCH_ENGINE_PANE_H

#include "core/engine/client.h"
#include "tui/contender.h"
#include "tui/workbench/base/part.h"

struct pane {
    struct workbench *wb;
    void *states[PARTS_MAX];         /* of each part its own */
    char host[CA_TEXT_MAX];          /* where the engine runs, "": here */
    struct ca_experiment experiment; /* as the engine runs it */
    struct ca_outputs outputs;       /* of its file and command, for those that are written */
    bool opened;                     /* an engine has opened it: only then is it saved */
    /* The saved state of the model belongs to another run; it is kept until this run steps. */
    bool keep_saved_state;
    const struct ca_backend *previous_backend;
    char previous_host[CA_TEXT_MAX]; /* where that ran, if it was another pane's; "": here */
    bool modified; /* a parameter was changed in mid-run, or cells were: the start does not lead to
                     this state */
    bool from_state;          /* the state has come from a file */
    bool arriving;            /* another experiment is being opened, with a view of its own */
    char report[CA_TEXT_MAX]; /* how the backend runs, in the engine's words */
};

#define PANES_MAX 2

/* Returns the state that a part has for a pane. */
void *pane_state(const struct pane *pane, const struct part *part);

extern const struct part panes_part;

/* An action follows once the simulation of A is open; NULL: none. */
void panes_defer(struct workbench *wb, void (*action)(struct workbench *wb));
/* Engines of a lab start with this: a link to its newest program, which stays with the caller. */
void panes_lab_program(struct workbench *wb, const char *path);

void pane_init(struct pane *pane, struct workbench *wb, const struct contender *side);
/* Ends the engine, deletes the pane's checkpoints and frees what it holds. */
void pane_end(struct pane *pane);
int pane_index(const struct pane *pane);      /* 0: A, 1: B */
struct pane *pane_hung(struct workbench *wb); /* one whose engine does not answer, NULL: none */
/* Starts an engine on a host, or where `host` is "" by the setting engine_command, or here. False,
 * with an error. */
bool client_start(struct workbench *wb, struct ca_client **client, const char *host,
                  struct ca_error *error);
/* The main loop waits for at most PANE_FDS descriptors of a client (NULL: none), whose count is
 * returned; then a pane reads what has come. */
#define PANE_FDS 2
int client_poll(const struct ca_client *client, struct pollfd fds[PANE_FDS]);
void pane_serve(struct pane *pane, const struct pollfd *come);

/* Whether its run is that of a lab, which is not saved: its backend is not there without. */
bool pane_is_of_lab(const struct pane *pane);

#endif
