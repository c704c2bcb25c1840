/* SPDX-License-Identifier: MIT */
/* Owns what is made of an engine that does not answer: busy where it uses the processor, or hung.
 */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HUNG_S 2.0

/* The processor time of an engine on this machine, in clock ticks; *working: it runs or waits for a
 * disk. -1: unknown. */
static long engine_ticks(const struct pane *pane, bool *working)
{
    char path[64], line[1024] = "", state = 0;
    unsigned long user = 0, system = 0;
    const char *after;
    FILE *file;

    *working = false;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)ca_client_pid(pane->session.client));
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
    static const enum op quick[] = {OP_PING, OP_VIEW, OP_CELL, OP_DEVICE, OP_LIST};
    bool computes = pane->session.running;

    for (const struct pending *p = pane->session.first; p; p = p->next) {
        bool is_quick = false;

        for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
            is_quick |= p->op == quick[i];
        computes |= !is_quick;
    }
    return computes;
}

/* Whether a silent engine has done something since the last look. On another host that is not
 * known: one that is being reached, for which ssh has a limit of its own, or was asked for
 * something long, counts as one that has. */
static bool has_worked(struct pane *pane)
{
    bool working;
    long ticks = engine_ticks(pane, &working), before = pane->session.ticks;

    if (pane->host[0])
        return !ca_client_greeted(pane->session.client) || may_compute(pane);
    pane->session.ticks = ticks;
    return ticks >= 0 && (working || (before >= 0 && ticks > before));
}

static void silence_changed(struct pane *pane, bool silent, bool hung)
{
    struct session *s = &pane->session;

    if (hung && !s->hung)
        alarm_say(pane->wb,
                  "the engine has not responded for %.0f s; press ctrl-c to kill and restart it",
                  HUNG_S);
    else if (silent && !s->busy && pane->host[0])
        say(pane->wb, "%.40s has not answered for %.0f s: it is slow, or gone; ctrl-c can kill it",
            pane->host, HUNG_S);
    else if (silent && !s->busy)
        say(pane->wb, "the engine computes and has not answered for %.0f s; ctrl-c can kill it",
            HUNG_S);
    else if (!silent && s->hung)
        say(pane->wb, "the engine responds again");
    s->hung = hung;
    s->busy = silent && !hung;
    pane->wb->dirty = true;
}

/* A long step, an opening or a slow frame is no hang: after a silence a ping is sent, which the
 * engine serves between any two generations; one that does not answer but uses the processor is
 * busy. Returns the seconds until the next check, negative: none needed. */
double silence_check(struct pane *pane, double now)
{
    struct session *s = &pane->session;
    bool due = s->first || s->running, silent = due && now - s->last_received > HUNG_S;
    bool hung = silent && s->hung;

    if (due && now - s->last_received > HUNG_S / 2 && !session_waits_for(pane, OP_PING)) {
        session_send(pane, OP_PING, NULL);
        has_worked(pane);
        s->looked = now;
    } else if (silent && now - s->looked > HUNG_S / 2) {
        hung = !has_worked(pane);
        s->looked = now;
    } else if (silent && !s->hung && !s->busy) {
        silent = false; /* it has just been looked at */
    }
    if (silent != (s->hung || s->busy) || hung != s->hung)
        silence_changed(pane, silent, hung);
    if (!due)
        return -1;
    if (now - s->last_received <= HUNG_S / 2)
        return s->last_received + HUNG_S / 2 + 0.01 - now;
    return fmax(s->last_received + HUNG_S, s->looked + HUNG_S / 2) + 0.01 - now;
}
