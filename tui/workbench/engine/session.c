/* SPDX-License-Identifier: MIT */
/*
 * The engine process as the workbench sees it: it is started, sent requests, each with the function
 * that takes its reply, found to hang or to have crashed, and restarted at the last saved state.
 */
#include "tui/workbench/engine/session.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/engine/wire.h"
#include "tui/workbench/base/leftovers.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/session_inside.h"
#include "tui/workbench/engine/split.h"

#define TWICE_S 2.0 /* after two crashes within this time there is no automatic restart */

struct session *session_of(const struct pane *pane) { return pane_state(pane, &session_part); }

/* --- what others may know --------------------------------------------------------------------- */

struct ca_client *session_client(const struct pane *pane) { return session_of(pane)->client; }
bool session_has_run(const struct pane *pane) { return session_of(pane)->open; }
uint64_t session_generation(const struct pane *pane) { return session_of(pane)->generation; }
bool session_running(const struct pane *pane) { return session_of(pane)->running; }
bool session_run_requested(const struct pane *pane) { return session_of(pane)->run_requested; }
double session_pace(const struct pane *pane) { return session_of(pane)->pace; }
bool session_is_dead(const struct pane *pane) { return session_of(pane)->dead; }
const char *session_crash_log(const struct pane *pane) { return session_of(pane)->crash_log; }

uint64_t session_steps_left(struct pane *pane)
{
    uint64_t steps = session_of(pane)->steps_wanted;

    session_of(pane)->steps_wanted = 0;
    return steps;
}

void session_heard(struct pane *pane) { session_of(pane)->last_received = ca_now(); }
void session_give_up(struct pane *pane) { session_of(pane)->dead = true; }

void session_frame_ran(struct pane *pane, bool running)
{
    session_of(pane)->running = running && session_of(pane)->run_requested;
}

void session_stopped(struct pane *pane, bool lost)
{
    struct session *s = session_of(pane);

    s->running = s->run_requested = false;
    s->open &= !lost;
}

/* --- requests and replies --------------------------------------------------------------------- */

/* A CUDA error ends the engine soon; its text then explains the crash. */
void session_fault(struct pane *pane, const struct ca_error *error)
{
    if (error->status == CA_CUDA_FAILED)
        snprintf(session_of(pane)->fault_text, sizeof session_of(pane)->fault_text, "%.500s",
                 error->text);
}

static void pending_free(struct pending *pending)
{
    free(pending->wanted);
    free(pending);
}

/* Hands a reply to the function that its request named; a refusal without one is said. */
static void session_take(struct ca_request *request, const struct ca_message *reply,
                         const struct ca_error *refusal)
{
    struct pending *pending = (struct pending *)request; /* its first member */
    struct pane *pane = request->to;
    struct ca_error there;

    session_of(pane)->last_received = ca_now();
    pane->wb->dirty = true;
    if (refusal)
        session_fault(pane, refusal);
    if (refusal && pane->host[0]) {
        ca_error_set(&there, refusal->status, "engine on %.100s: %.600s", pane->host,
                     refusal->text);
        refusal = &there;
    }
    pending->reply = reply;
    pending->refusal = refusal;
    if (refusal && pending->says)
        message_warn(pane->wb, "%s", refusal->text);
    else
        pending->take(pane, pending, refusal ? NULL : reply->json);
    pending_free(pending);
}

struct pending *session_try(struct pane *pane, const char *op, json_t *body, const void *bytes,
                            size_t count, take_reply *take)
{
    struct session *s = session_of(pane);
    struct pending *pending = s->client ? calloc(1, sizeof *pending) : NULL;
    double now = ca_now();

    if (!pending) {
        json_decref(body);
        return NULL;
    }
    if (!ca_client_waiting(s->client) && !s->running)
        s->last_received = now; /* a reply is due from now on */
    pending->take = take;
    pending->sent = now;
    ca_client_ask_bytes(s->client, &pending->request, op, body, bytes, count, session_take, pane);
    if (pending->request.op->flags & (CA_OP_STATE | CA_OP_RULE))
        pane->keep_saved_state = false;
    return pending;
}

struct pending *session_send(struct pane *pane, const char *op, json_t *body, take_reply *take)
{
    struct pending *pending = session_try(pane, op, body, NULL, 0, take);

    if (pending)
        pending->says = true;
    return pending;
}

bool session_waits_for(const struct pane *pane, take_reply *take)
{
    for (const struct ca_request *r = ca_client_waiting(session_of(pane)->client); r; r = r->next)
        if (((const struct pending *)r)->take == take)
            return true;
    return false;
}

const struct ca_op *session_last(const struct pane *pane, unsigned flags)
{
    const struct ca_op *last = NULL;

    for (const struct ca_request *r = ca_client_waiting(session_of(pane)->client); r; r = r->next)
        if (r->op->flags & flags)
            last = r->op;
    return last;
}

bool session_is_open(const struct pane *pane)
{
    return session_of(pane)->open || session_is_opening(pane);
}

bool session_ready(struct workbench *wb, void (*then)(struct workbench *wb))
{
    const struct pane *a = &wb->panes[0];
    bool comes = !session_of(a)->open && session_is_opening(a);

    panes_defer(wb, comes ? then : NULL);
    if (!session_of(a)->open && !comes)
        message_show(wb, "no simulation is open");
    return session_of(a)->open;
}

/* --- the process ------------------------------------------------------------------------------ */

bool session_start(struct pane *pane, struct ca_error *error)
{
    struct session *s = session_of(pane);

    s->open = s->running = s->dead = false;
    s->silence = SILENCE_NONE;
    s->fault_text[0] = 0;
    s->steps_wanted = 0;
    s->last_received = ca_now();
    return client_start(pane->wb, &s->client, pane->host, error);
}

void session_end(struct pane *pane)
{
    struct ca_client *client = session_of(pane)->client;
    struct ca_request *next;

    for (struct ca_request *r = ca_client_waiting(client); r; r = next) {
        next = r->next;
        pending_free((struct pending *)r);
    }
    ca_client_close(client);
    session_of(pane)->client = NULL;
}

bool session_is_here(const struct pane *pane)
{
    const struct ca_client *client = session_of(pane)->client;
    char host[256] = "";

    if (pane->host[0] || !client || !ca_client_is_command(client))
        return !pane->host[0] && client;
    gethostname(host, sizeof host - 1);
    return ca_client_greeted(client) &&
           strcmp(ca_json_member(engine_hello(pane), "host"), host) == 0;
}

bool session_require(struct pane *pane)
{
    if (session_of(pane)->dead)
        message_warn(pane->wb, "the engine is not running; press %s to restart at generation 0",
                     pane->wb->keys.keys[REQUEST_RESET]);
    else if (!session_is_open(pane) && pane->opened)
        message_warn(pane->wb, "the run has ended; press %s to start it again at generation 0",
                     pane->wb->keys.keys[REQUEST_RESET]);
    return session_is_open(pane);
}

/* --- crash and restart ------------------------------------------------------------------------ */

static void restart(struct pane *pane, uint64_t generation, const char *state)
{
    struct ca_error error;

    if (!session_start(pane, &error)) {
        session_of(pane)->dead = true;
        alarm_raise(pane->wb, "%s", error.text);
        return;
    }
    session_open(pane, &pane->experiment, generation, state);
}

static void session_died(struct pane *pane, const struct ca_error *error)
{
    struct session *s = session_of(pane);
    double now = ca_now();
    bool twice = s->died > 0 && now - s->died < TWICE_S;
    char log[CA_TEXT_MAX], state[CA_TEXT_MAX];
    uint64_t generation = checkpoint_last(pane, state);

    snprintf(s->crash_reason, sizeof s->crash_reason, "%.200s%s%.250s at generation %llu",
             s->fault_text, s->fault_text[0] ? "; " : "", error->text,
             (unsigned long long)s->generation);
    state_file(log, WORKBENCH_LOG);
    s->crash_log[0] = 0;
    if (log[0] && ca_client_reported(s->client))
        snprintf(s->crash_log, sizeof s->crash_log, "; see %.500s", log);
    s->died = now;
    s->run_requested = false;
    s->unstarted = ca_client_is_command(s->client) && !ca_client_greeted(s->client);
    /* The state that the engine was to begin with is the one to begin with next. */
    for (const struct ca_request *r = ca_client_waiting(s->client); r && s->unstarted;
         r = r->next) {
        const struct pending *p = (const struct pending *)r;

        if (p->take == open_taken && p->path[0])
            checkpoint_begin_with(pane, p->generation, p->path);
    }
    session_end(pane);
    s->open = s->running = false;
    s->silence = SILENCE_NONE;
    pane->wb->dirty = true;
    if (split_died(pane, s->crash_reason) && pane->wb->pane_count <= pane_index(pane))
        return;         /* B is gone, A is as it was */
    if (s->unstarted) { /* it would end again, for the same reason */
        s->dead = true;
        alarm_raise(pane->wb, "%s; press %s to start it again%s", error->text,
                    pane->wb->keys.keys[REQUEST_RESET], s->crash_log);
        return;
    }
    if (twice) {
        s->dead = true;
        alarm_raise(pane->wb,
                    "%s; engine crashed twice in a row; press %s to restart at generation 0%s",
                    s->crash_reason, pane->wb->keys.keys[REQUEST_RESET], s->crash_log);
        return;
    }
    restart(pane, generation, state);
}

/* The function of a model's file may loop: its engine says where it was. */
void session_kill(struct pane *pane)
{
    struct ca_client *client = session_of(pane)->client;
    char place[CA_CLIENT_PLACE] = "";
    struct ca_error error;

    if (!client)
        return;
    if (pane->experiment.model->source && session_is_here(pane) && !ca_client_is_command(client)) {
        ca_client_abort(client);
        ca_client_place(client, place);
    }
    ca_client_kill(client);
    ca_error_set(&error, CA_TIMEOUT, "the engine was killed%s", place);
    session_died(pane, &error);
}

void session_restart_there(struct pane *pane)
{
    char state[CA_TEXT_MAX];
    uint64_t generation = checkpoint_last(pane, state);

    session_of(pane)->crash_reason[0] = 0;
    session_of(pane)->died = 0;
    if (session_of(pane)->client)
        session_open(pane, &pane->experiment, generation, state);
    else
        restart(pane, generation, state);
}

void session_restart(struct pane *pane)
{
    char state[CA_TEXT_MAX];
    uint64_t generation;

    if (!session_of(pane)->unstarted)
        checkpoint_forget(pane);
    generation = checkpoint_last(pane, state);
    session_of(pane)->crash_reason[0] = 0;
    session_of(pane)->died = 0;
    restart(pane, generation, state);
}

/* --- messages --------------------------------------------------------------------------------- */

static void session_hear(void *to, const struct ca_message *event)
{
    struct pane *pane = to;

    session_of(pane)->last_received = ca_now();
    event_take(pane, event);
}

void session_read(struct pane *pane)
{
    struct ca_error error;

    if (!ca_client_serve(&session_of(pane)->client, session_hear, pane, &error))
        session_died(pane, &error);
}

/* --- silence ---------------------------------------------------------------------------------- */

#define HUNG_S 2.0

enum silence silence_of(const struct pane *pane) { return session_of(pane)->silence; }

/* The process of the engine, 0: it is not on this machine, or a command that has not brought it to
 * a greeting yet. */
static long engine_process(const struct pane *pane)
{
    if (!session_is_here(pane))
        return 0;
    return ca_client_is_command(session_of(pane)->client)
               ? (long)json_integer_value(json_object_get(engine_hello(pane), "pid"))
               : (long)ca_client_pid(session_of(pane)->client);
}

/* The processor time of a process in clock ticks; *working: it runs or waits for a disk. -1:
 * unknown. */
static long process_ticks(long process, bool *working)
{
    char path[64], line[1024] = "", state = 0;
    unsigned long user = 0, system = 0;
    const char *after;
    FILE *file;

    *working = false;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    file = fopen(path, "r");
    if (!file)
        return -1;
    after = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    if (!after || sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state,
                         &user, &system) != 3)
        return -1;
    *working = state == 'R' || state == 'D';
    return (long)(user + system);
}

/* Whether a silent engine has done something since the last look. Of one on another host that is
 * not known: one that is being reached, for which ssh has a limit of its own, or was asked for
 * something long, counts as one that has. */
static bool has_worked(struct pane *pane)
{
    long process = engine_process(pane), ticks, before = session_of(pane)->ticks;
    bool working = session_of(pane)->running;
    const struct ca_request *r = ca_client_waiting(session_of(pane)->client);

    if (process == 0) {
        for (; r; r = r->next)
            working |= !(r->op->flags & CA_OP_QUICK);
        return !ca_client_greeted(session_of(pane)->client) || working;
    }
    ticks = process_ticks(process, &working);
    session_of(pane)->ticks = ticks;
    return ticks >= 0 && (working || (before >= 0 && ticks > before));
}

static void ping_taken(struct pane *pane, struct pending *pending, const json_t *json)
{
    (void)pane, (void)pending, (void)json;
}

/* A long step, an opening or a slow frame is no hang: after a silence a ping is sent, which the
 * engine serves between any two generations; one that does not answer but uses the processor is
 * busy. Returns the seconds until the next check, negative: none needed. */
static double silence_check(struct pane *pane, double now)
{
    struct session *s = session_of(pane);
    enum silence how;
    bool due = ca_client_waiting(s->client) || s->running,
         silent = due && now - s->last_received > HUNG_S;
    bool hung = silent && s->silence == SILENCE_HUNG;

    /* The engine of a command may have ended where the command has not, as a pipeline whose first
     * process waits for input. */
    if (due && now - s->last_received > HUNG_S / 2 && ca_client_is_command(s->client)) {
        long process = engine_process(pane);

        if (process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH)
            ca_client_end_input(s->client);
    }
    if (due && now - s->last_received > HUNG_S / 2 && !session_waits_for(pane, ping_taken)) {
        session_send(pane, "ping", NULL, ping_taken);
        has_worked(pane);
        s->looked = now;
    } else if (silent && now - s->looked > HUNG_S / 2) {
        hung = !has_worked(pane);
        s->looked = now;
    } else if (silent && s->silence == SILENCE_NONE) {
        silent = false; /* it has just been looked at */
    }
    how = hung ? SILENCE_HUNG : silent ? SILENCE_BUSY : SILENCE_NONE;
    if (how != s->silence) {
        if (how == SILENCE_HUNG)
            message_warn(
                pane->wb,
                "the engine has not responded for %.0f s; press ctrl-c to kill and restart it",
                HUNG_S);
        else if (how == SILENCE_BUSY && engine_process(pane) == 0)
            message_show(
                pane->wb,
                "%.40s has not answered for %.0f s: it is slow, or gone; ctrl-c can kill it",
                pane->host[0] ? pane->host : "the engine command", HUNG_S);
        else if (how == SILENCE_BUSY)
            message_show(pane->wb,
                         "the engine computes and has not answered for %.0f s; ctrl-c can kill it",
                         HUNG_S);
        else if (s->silence == SILENCE_HUNG)
            message_show(pane->wb, "the engine responds again");
        s->silence = how;
        pane->wb->dirty = true;
    }
    if (!due)
        return -1;
    if (now - s->last_received <= HUNG_S / 2)
        return s->last_received + HUNG_S / 2 + 0.01 - now;
    return fmax(s->last_received + HUNG_S, s->looked + HUNG_S / 2) + 0.01 - now;
}

const struct part session_part = {
    .name = "session", .pane_bytes = sizeof(struct session), .tick_pane = silence_check};
