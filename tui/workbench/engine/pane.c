/* SPDX-License-Identifier: MIT */
/* A pane begins empty, takes part in the main loop's poll, and ends here. */
#include "tui/workbench/engine/pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/lab/backend/backend.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"

struct panes {
    void (*deferred)(struct workbench *wb); /* a key's, until the simulation is open; or NULL */
    const char *lab_program; /* a link to the newest program of a lab, NULL: there is none */
};

static struct panes *panes_of(const struct workbench *wb) { return part_state(wb, &panes_part); }

void panes_defer(struct workbench *wb, void (*action)(struct workbench *wb))
{
    panes_of(wb)->deferred = action;
}

void panes_lab_program(struct workbench *wb, const char *path) { panes_of(wb)->lab_program = path; }

void *pane_state(const struct pane *pane, const struct part *part)
{
    int i = 0;

    while (pane->wb->parts[i] != part)
        i++;
    return pane->states[i];
}

static void panes_free(struct workbench *wb)
{
    for (int k = 0; wb->panes && k < PANES_MAX; k++)
        for (int i = 0; i < PARTS_MAX; i++)
            free(wb->panes[k].states[i]);
    free(wb->panes);
    wb->panes = NULL;
}

static enum ca_status panes_begin(struct workbench *wb, struct ca_error *error)
{
    bool whole;

    wb->panes = calloc(PANES_MAX, sizeof *wb->panes);
    whole = wb->panes != NULL;
    for (int k = 0; whole && k < PANES_MAX; k++)
        wb->panes[k].wb = wb;
    for (int i = 0; whole && wb->parts[i]; i++)
        for (int k = 0; k < PANES_MAX && wb->parts[i]->pane_bytes; k++) {
            wb->panes[k].states[i] = calloc(1, wb->parts[i]->pane_bytes);
            whole &= wb->panes[k].states[i] != NULL;
        }
    if (whole)
        return CA_OK;
    panes_free(wb);
    return ca_fail(error, CA_NO_MEMORY, "workbench: no memory");
}

void pane_init(struct pane *pane, struct workbench *wb, const struct contender *side)
{
    void *states[PARTS_MAX];

    memcpy(states, pane->states, sizeof states);
    memset(pane, 0, sizeof *pane);
    memcpy(pane->states, states, sizeof states);
    for (int i = 0; wb->parts[i]; i++)
        if (states[i])
            memset(states[i], 0, wb->parts[i]->pane_bytes);
    pane->wb = wb;
    pane->experiment = side->experiment;
    pane->outputs = side->outputs;
    snprintf(pane->host, sizeof pane->host, "%s", side->host);
    observed_begin(pane, false);
    for (int i = 0; wb->parts[i]; i++)
        if (wb->parts[i]->begin_pane)
            wb->parts[i]->begin_pane(pane);
}

void pane_end(struct pane *pane)
{
    session_end(pane);
    for (int i = 0; pane->wb->parts[i]; i++)
        if (pane->wb->parts[i]->end_pane)
            pane->wb->parts[i]->end_pane(pane);
}

int pane_index(const struct pane *pane) { return (int)(pane - pane->wb->panes); }

struct pane *pane_hung(struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        if (silence_of(&wb->panes[i]) != SILENCE_NONE)
            return &wb->panes[i];
    return NULL;
}

bool client_start(struct workbench *wb, struct ca_client **client, const char *host,
                  struct ca_error *error)
{
    const struct ca_lab *lab = ca_lab_backend_lab();
    const char *const argv[] = {"/proc/self/exe",
                                "engine",
                                lab ? "--lab" : NULL,
                                lab ? lab->folder : NULL,
                                "--built",
                                panes_of(wb)->lab_program,
                                NULL};
    const char *command = setting_text(wb, CA_SETTING_ENGINE_COMMAND);

    if (host[0])
        return ca_client_start_on(client, host, setting_text(wb, CA_SETTING_REMOTE), STDERR_FILENO,
                                  error) == CA_OK;
    if (command[strspn(command, " \t\n")])
        return ca_client_start_by(client, command, STDERR_FILENO, error) == CA_OK;
    return ca_client_start(client, argv, STDERR_FILENO, error) == CA_OK;
}

int client_poll(const struct ca_client *client, struct pollfd fds[PANE_FDS])
{
    if (!client)
        return 0;
    fds[0] = (struct pollfd){ca_client_fd(client), POLLIN, 0};
    if (!ca_client_wants_write(client))
        return 1;
    fds[1] = (struct pollfd){ca_client_write_fd(client), POLLOUT, 0};
    return 2;
}

void pane_serve(struct pane *pane, const struct pollfd *come)
{
    struct ca_client *client = session_client(pane);

    if (client && come->events & POLLOUT && come->fd == ca_client_write_fd(client)) {
        ca_client_flush(client);
        session_heard(pane); /* an engine that is being sent a lot is not silent */
    } else if (client && come->events & POLLIN && come->fd == ca_client_fd(client)) {
        session_read(pane);
    }
}

bool pane_is_of_lab(const struct pane *pane)
{
    const struct ca_lab *lab = ca_lab_backend_lab();

    return lab && pane->experiment.model == lab->model;
}

/* An action waits until the simulation is open. */
static double panes_tick(struct workbench *wb, double now)
{
    void (*deferred)(struct workbench *) = panes_of(wb)->deferred;

    (void)now;
    if (!deferred || session_is_opening(&wb->panes[0]))
        return -1;
    panes_of(wb)->deferred = NULL;
    if (session_has_run(&wb->panes[0]))
        deferred(wb);
    return -1;
}

static int panes_poll(const struct workbench *wb, struct pollfd fds[PART_FDS])
{
    int count = 0;

    for (int i = 0; i < wb->pane_count; i++)
        count += client_poll(session_client(&wb->panes[i]), fds + count);
    return count;
}

static void panes_serve(struct workbench *wb, const struct pollfd *fds, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < wb->pane_count; k++)
            if (fds[i].revents)
                pane_serve(&wb->panes[k], &fds[i]);
}

static void panes_end(struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        pane_end(&wb->panes[i]);
    panes_free(wb);
}

const struct part panes_part = {.name = "panes",
                                .state_bytes = sizeof(struct panes),
                                .begin = panes_begin,
                                .tick = panes_tick,
                                .poll = panes_poll,
                                .serve = panes_serve,
                                .end = panes_end};

/* --- what runs, and at which pace ------------------------------------------------------------- */

/* --- the pace --------------------------------------------------------------------------------- */

extern const struct part pace_part;

struct pace {
    double speed; /* generations per frame; below 1: frames between generations; 0: unlimited */
    double fps;
};

double speed_of(const struct workbench *wb)
{
    return ((const struct pace *)part_state(wb, &pace_part))->speed;
}

char *pace_format(double speed, char text[32])
{
    char number[16];
    double n = speed >= 1 ? speed : 1 / speed;

    snprintf(number, sizeof number, n < 1000 ? "%.3g" : "%.0f", n);
    if (speed <= 0)
        snprintf(text, 32, "max");
    else if (speed >= 1)
        snprintf(text, 32, "%s/frame", number);
    else
        snprintf(text, 32, "every %s frames", number);
    return text;
}

char *speed_format(const struct workbench *wb, char text[32])
{
    return pace_format(speed_of(wb), text);
}

void speed_set(struct workbench *wb, double speed)
{
    struct pace *pace = part_state(wb, &pace_part);
    double fps = setting_number(wb, CA_SETTING_FPS);

    if (speed == pace->speed && fps == pace->fps)
        return;
    pace->speed = speed;
    pace->fps = fps;
    if (session_run_requested(wb->pane))
        session_run(wb->pane);
    wb->dirty = true;
}

/* --- what runs -------------------------------------------------------------------------------- */

void go_run(struct workbench *wb) { split_is_open(wb) ? split_run(wb) : session_run(wb->pane); }
void go_stop(struct workbench *wb) { split_is_open(wb) ? split_stop(wb) : session_stop(wb->pane); }

void go_step(struct workbench *wb, uint64_t n)
{
    split_is_open(wb) ? split_step(wb, n) : session_step(wb->pane, n);
}

void go_reset(struct workbench *wb)
{
    split_is_open(wb) ? split_reset(wb) : session_reset(wb->pane);
}

void go_seek(struct workbench *wb, uint64_t generation)
{
    split_is_open(wb) ? split_seek(wb, generation) : session_seek(wb->pane, generation);
}

bool go_busy(const struct workbench *wb)
{
    return split_is_open(wb) ? split_busy(wb)
                             : session_busy(wb->pane) || session_run_requested(wb->pane);
}

bool go_pause(struct workbench *wb)
{
    bool runs = split_is_open(wb) ? split_runs(wb) : session_run_requested(wb->pane);

    if (runs)
        go_stop(wb);
    return runs;
}

bool go_idle(const struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        if (ca_client_waiting(session_client(&wb->panes[i])))
            return false;
    return !go_busy(wb) && (!split_is_open(wb) || split_is_ready(wb));
}

static void reopen_one(struct pane *pane, const struct ca_experiment *wanted)
{
    if (session_run_requested(pane))
        session_stop(pane);
    pane->keep_saved_state = false;
    session_open(pane, wanted, 0, NULL);
}

void reopen(struct pane *pane, const struct ca_experiment *wanted)
{
    static struct ca_experiment beside;
    struct workbench *wb = pane->wb;
    const struct ca_experiment *b = &wb->panes[1].experiment;

    reopen_one(pane, wanted);
    if (!split_is_open(wb))
        return;
    if (pane_index(pane) == 0) {
        beside = *wanted;
        beside.backend = b->backend;
        beside.choice = b->choice;
        beside.origin[CA_KEY_BACKEND] = b->origin[CA_KEY_BACKEND];
        beside.options = b->options;
        reopen_one(&wb->panes[1], &beside);
    }
    split_stop(wb);
    split_restart(wb);
}

void engines_were_left(struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        session_heard(&wb->panes[i]);
}

static enum ca_status pace_begin(struct workbench *wb, struct ca_error *error)
{
    (void)error;
    ((struct pace *)part_state(wb, &pace_part))->speed = 1;
    return CA_OK;
}

const struct part pace_part = {
    .name = "pace", .state_bytes = sizeof(struct pace), .begin = pace_begin};
