/* SPDX-License-Identifier: MIT */
/* An engine that does not answer is busy, where it uses the processor, or hung. */
#include "tui/workbench/engine/silence.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_inside.h"

#define HUNG_S 2.0

struct silent {
    enum silence how;
    long ticks;    /* of processor time, when the engine was looked at last */
    double looked; /* the time of that */
};

static struct silent *silent_of(const struct pane *pane) { return pane_state(pane, &silence_part); }

enum silence silence_of(const struct pane *pane) { return silent_of(pane)->how; }

void silence_forget(struct pane *pane) { silent_of(pane)->how = SILENCE_NONE; }

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

/* Whether an engine was asked for something that may take long. */
static bool may_compute(const struct pane *pane)
{
    bool computes = session_of(pane)->running;

    for (const struct ca_request *r = ca_client_waiting(session_of(pane)->client); r; r = r->next)
        computes |= !(r->op->flags & CA_OP_QUICK);
    return computes;
}

/* Whether a silent engine has done something since the last look. Of one on another host that is
 * not known: one that is being reached, for which ssh has a limit of its own, or was asked for
 * something long, counts as one that has. */
static bool has_worked(struct pane *pane)
{
    long process = engine_process(pane), ticks, before = silent_of(pane)->ticks;
    bool working;

    if (process == 0)
        return !ca_client_greeted(session_of(pane)->client) || may_compute(pane);
    ticks = process_ticks(process, &working);
    silent_of(pane)->ticks = ticks;
    return ticks >= 0 && (working || (before >= 0 && ticks > before));
}

/* Whether the engine of a command has ended, and the command has not, as a pipeline whose first
 * process waits for input. */
static bool has_gone(const struct pane *pane)
{
    bool is_command = session_of(pane)->client && ca_client_is_command(session_of(pane)->client);
    long process = is_command ? engine_process(pane) : 0;

    return process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* That there is a reply is all that it says. */
static void ping_taken(struct pane *pane, struct pending *pending, const struct ca_message *reply,
                       const struct ca_error *refusal)
{
    (void)pending, (void)reply;
    if (refusal)
        message_warn(pane->wb, "%s", refusal->text);
}

static void silence_changed(struct pane *pane, enum silence how)
{
    enum silence before = silence_of(pane);

    if (how == SILENCE_HUNG && before != how)
        message_warn(pane->wb,
                     "the engine has not responded for %.0f s; press ctrl-c to kill and restart it",
                     HUNG_S);
    else if (how == SILENCE_BUSY && before != how && engine_process(pane) == 0)
        message_show(pane->wb,
                     "%.40s has not answered for %.0f s: it is slow, or gone; ctrl-c can kill it",
                     pane->host[0] ? pane->host : "the engine command", HUNG_S);
    else if (how == SILENCE_BUSY && before != how)
        message_show(pane->wb,
                     "the engine computes and has not answered for %.0f s; ctrl-c can kill it",
                     HUNG_S);
    else if (how == SILENCE_NONE && before == SILENCE_HUNG)
        message_show(pane->wb, "the engine responds again");
    silent_of(pane)->how = how;
    pane->wb->dirty = true;
}

/* A long step, an opening or a slow frame is no hang: after a silence a ping is sent, which the
 * engine serves between any two generations; one that does not answer but uses the processor is
 * busy. Returns the seconds until the next check, negative: none needed. */
static double silence_check(struct pane *pane, double now)
{
    struct session *s = session_of(pane);
    struct silent *l = silent_of(pane);
    enum silence how;
    bool due = ca_client_waiting(s->client) || s->running,
         silent = due && now - s->last_received > HUNG_S;
    bool hung = silent && l->how == SILENCE_HUNG;

    if (due && now - s->last_received > HUNG_S / 2 && has_gone(pane))
        ca_client_end_input(s->client);
    if (due && now - s->last_received > HUNG_S / 2 && !session_waits_for(pane, ping_taken)) {
        session_send(pane, "ping", NULL, ping_taken);
        has_worked(pane);
        l->looked = now;
    } else if (silent && now - l->looked > HUNG_S / 2) {
        hung = !has_worked(pane);
        l->looked = now;
    } else if (silent && l->how == SILENCE_NONE) {
        silent = false; /* it has just been looked at */
    }
    how = hung ? SILENCE_HUNG : silent ? SILENCE_BUSY : SILENCE_NONE;
    if (how != l->how)
        silence_changed(pane, how);
    if (!due)
        return -1;
    if (now - s->last_received <= HUNG_S / 2)
        return s->last_received + HUNG_S / 2 + 0.01 - now;
    return fmax(s->last_received + HUNG_S, l->looked + HUNG_S / 2) + 0.01 - now;
}

const struct part silence_part = {
    .name = "silence", .pane_bytes = sizeof(struct silent), .tick_pane = silence_check};
