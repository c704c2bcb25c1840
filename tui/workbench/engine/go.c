/* SPDX-License-Identifier: MIT */
/* The pane in focus runs, or both panes of a split, at a pace. */
#include "tui/workbench/engine/go.h"

#include <stdio.h>
#include <string.h>

#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"

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
        snprintf(text, 32, "1/%s frames", number);
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

bool go_runs(const struct workbench *wb)
{
    return split_is_open(wb) ? split_runs(wb) : session_run_requested(wb->pane);
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
