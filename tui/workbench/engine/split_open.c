/* SPDX-License-Identifier: MIT */
/* Pane B is opened and closed here, and both panes are brought to one generation. */
#include <stdlib.h>
#include <string.h>

#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/device_facts.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/session_requests.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/terminal/layout.h"

#define REPEAT_UPDATES 2e8 /* cell updates that B repeats to come where A is */

const struct ca_backend *split_reference(const struct workbench *wb)
{
    return &wb->panes[0].experiment.model->backends[0];
}

bool split_is_reference(const struct workbench *wb)
{
    return wb->panes[0].experiment.backend == split_reference(wb);
}

const char *split_hides(const struct workbench *wb)
{
    return split_is_reference(wb) ? "another kernel" : "the reference";
}

/* --- opening and closing ---------------------------------------------------------------------- */

static void split_resized(struct workbench *wb)
{
    view_layout(wb);
    view_changed(&wb->panes[0]);
    device_wanted(&wb->panes[0]);
}

void split_open(struct workbench *wb, const struct contender *side, bool hidden)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];
    struct split *s = split_of(wb);
    struct ca_error error;

    pane_init(b, wb, side);
    wb->pane_count = 2;
    if (!session_start(b, &error)) {
        wb->pane_count = 1;
        pane_end(b);
        message_warn(wb, "%s", error.text);
        return;
    }
    *s = (struct split){.round = s->round, .call = 1, .hidden = hidden};
    s->running = session_running(a) || session_run_requested(a);
    s->wanted = session_steps_left(a); /* those that were asked for are done first */
    s->pause_first = s->running && !hidden;
    if (s->running)
        session_stop(a);
    if (!hidden) {
        panels_set_full(wb, false);
        panels_focus(wb, PANEL_MAIN);
    }
    split_round(wb, SPLIT_PART);
    ratio_restart(wb);
    split_resized(wb);
}

void split_reveal(struct workbench *wb)
{
    struct split *s = split_of(wb);

    s->hidden = false;
    panels_set_full(wb, false);
    s->pause_first = s->running;
    split_resized(wb);
}

void split_end(struct workbench *wb)
{
    split_round(wb, SPLIT_CLOSED);
    state_drop(wb);
}

void split_close(struct workbench *wb)
{
    struct split *s = split_of(wb);
    bool running = s->running;
    uint64_t under_way = s->phase == SPLIT_STEP ? s->call : 0, home = s->home;
    uint64_t left = s->wanted > under_way ? s->wanted - under_way : 0;

    if (!split_is_open(wb))
        return;
    split_end(wb);
    if (!s->hidden) {
        wb->panes[0].previous_backend = wb->panes[1].experiment.backend;
        memcpy(wb->panes[0].previous_host, wb->panes[1].host, sizeof wb->panes[1].host);
    }
    pane_end(&wb->panes[1]);
    wb->pane_count = 1;
    wb->pane = &wb->panes[0];
    view_drawn(wb);
    if (!s->hidden)
        dialogs_close(wb);
    split_resized(wb);
    session_send(wb->pane, "unmark", NULL, split_taken); /* the memory of the kept state */
    if (left > 0)                                        /* A does what is left of the steps */
        session_step(wb->pane, left);
    else if (home > 0) /* it was still repeating the way to where A had been */
        session_seek(wb->pane, home);
    if (running)
        session_run(wb->pane);
}

void split_beside(struct workbench *wb, const struct ca_backend *backend, const char *host,
                  bool hidden)
{
    static struct contender side;

    side.experiment = wb->panes[0].experiment;
    snprintf(side.host, sizeof side.host, "%s", host);
    ca_experiment_backend(&side.experiment, backend, CA_FROM_WORKBENCH);
    split_open(wb, &side, hidden);
}

bool split_died(struct pane *pane, const char *reason)
{
    struct workbench *wb = pane->wb;
    int side = pane_index(pane);

    if (!split_is_open(wb))
        return false;
    split_of(wb)->running = false;
    split_of(wb)->wanted = 0;
    if (split_of(wb)->hidden && side == 1)
        setting_change(wb, CA_SETTING_DRAWN, ca_drawn_names[CA_STATE]);
    alarm_raise(wb, "%c (%s): %s; the split is closed%s", 'A' + side,
                pane->experiment.backend->name, reason, session_crash_log(pane));
    split_close(wb);
    return true;
}

void split_refused_open(struct pane *pane, const char *reason)
{
    if (split_of(pane->wb)->hidden)
        setting_change(pane->wb, CA_SETTING_DRAWN, ca_drawn_names[CA_STATE]);
    message_warn(pane->wb, "B (%s%s%s) cannot be opened: %s", pane->host, pane->host[0] ? ":" : "",
                 pane->experiment.backend->name, reason);
    split_close(pane->wb);
}

/* --- bringing both to one generation ---------------------------------------------------------- */

/* Nothing that was asked of the engine can still change its state. */
bool split_is_idle(const struct pane *pane)
{
    return session_has_run(pane) && !session_running(pane) &&
           !session_waits_for(pane, split_taken) &&
           !session_last(pane, CA_OP_STATE | CA_OP_RULE | CA_OP_STOPS);
}

/* B starts where A is: from the same start if nothing was changed in between and that is soon
 * done, or one of them is on another host; otherwise from A's state. */
void split_begin(struct workbench *wb)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];
    uint64_t generation = session_generation(a);
    double updates = (double)generation * (double)ca_cells(a->experiment.size);
    bool repeat = !a->modified && (updates <= REPEAT_UPDATES || a->host[0] || b->host[0]);

    if (generation == 0 || repeat || !ca_size_equal(a->experiment.size, b->experiment.size)) {
        if (generation > 0)
            session_reset(a);
        session_open(b, &b->experiment, 0, NULL);
        split_of(wb)->wanted += repeat ? generation : 0;
        split_of(wb)->home = repeat ? generation : 0;
        split_of(wb)->phase = SPLIT_GATHER;
    } else if (!state_begin(wb)) {
        split_close(wb);
    }
}

void split_gather(struct workbench *wb)
{
    struct pane *a = &wb->panes[0], *b = &wb->panes[1];

    if (!split_is_idle(a) || !split_is_idle(b))
        return;
    state_drop(wb);
    if (session_generation(a) != session_generation(b)) {
        session_reset(session_generation(a) ? a : b);
        return;
    }
    if (split_incomparable(wb))
        split_of(wb)->phase = SPLIT_READY;
    else
        split_ask_both(wb, SPLIT_HASH, "hash", NULL);
}

/* The difference that a single pane draws needs a hidden one: the reference, or beside the
 * reference what `auto` stands for, and where that is the reference itself, the rung above it. */
void split_follow_drawn(struct workbench *wb)
{
    const struct pane *a = &wb->panes[0], *b = &wb->panes[1];
    const struct ca_backend *hidden =
        split_is_reference(wb) ? ca_backend_auto(a->experiment.model) : split_reference(wb);
    bool same = a->experiment.backend == b->experiment.backend, chosen = b->experiment.choice;

    if (!split_is_open(wb)) {
        if (view_difference(wb) && session_has_run(a))
            split_beside(wb, hidden, "", true);
        return;
    }
    if (!split_of(wb)->hidden)
        return;
    if (!view_difference(wb) || same ||
        (!split_is_reference(wb) && b->experiment.backend != split_reference(wb))) {
        split_close(wb);
        if (view_difference(wb) && split_is_reference(wb) && same && chosen)
            split_beside(wb, split_reference(wb) + 1, "", true);
    }
}
