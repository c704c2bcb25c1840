/* SPDX-License-Identifier: MIT */
/* The workbench starts here, runs its main loop with a single poll, and ends. */
#include "tui/workbench/workbench.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/leftovers.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/initial_view.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/input.h"
#include "tui/workbench/lists/lab.h"
#include "tui/workbench/panels/screen.h"
#include "tui/workbench/parts.h"
#include "tui/workbench/terminal/layout.h"
#include "tui/workbench/terminal/terminal.h"
#include "tui/workbench/terminal/terminal_keys.h"

#define SAVE_S 10.0        /* time limit for saving the state when the user quits */
#define SAVE_HASTILY_S 1.0 /* and after a signal or the loss of the terminal */
#define BLOCKED_S 0.05     /* between looks at a terminal that accepts no output */

/* Whether the command line or an experiment file says more about the run than its model. */
static bool is_described(const struct ca_experiment *e)
{
    bool described = e->origin[CA_KEY_MODEL] == CA_FROM_EXPERIMENT;
    const enum ca_origin origins[] = {e->origin[CA_KEY_SIZE], e->origin[CA_KEY_SEED],
                                      e->origin[CA_KEY_INIT]};

    for (int i = 0; i < 3; i++)
        described |= origins[i] == CA_FROM_EXPERIMENT || origins[i] == CA_FROM_COMMAND_LINE;
    for (int i = 0; i < e->params.count; i++)
        described |= e->params.value[i].origin == CA_FROM_EXPERIMENT ||
                     e->params.value[i].origin == CA_FROM_COMMAND_LINE;
    return described;
}

/* Continues the saved run of the experiment, or opens it at generation 0. In the second case the
 * saved state of another run is kept until this one steps. */
static void open_first(struct workbench *wb)
{
    struct pane *pane = wb->pane;
    static struct ca_saved_view saved;
    char path[CA_TEXT_MAX] = "";
    uint64_t generation = 0;

    ca_settings_recall(wb->settings, pane->experiment.model, &saved);
    if (!ca_size_equal(saved.experiment.size, pane->experiment.size) &&
        pane->experiment.origin[CA_KEY_MODEL] != CA_FROM_EXPERIMENT)
        ca_initial_view_refit(&pane->experiment.initial_view);
    initial_view_take(pane, &pane->experiment);
    if (pane->experiment.state[0]) {
        memcpy(path, pane->experiment.state, sizeof path);
        generation = pane->experiment.state_generation;
    } else if (!lab_is_open(wb) && (pane->experiment.origin[CA_KEY_MODEL] <= CA_FROM_SETTINGS ||
                                    !is_described(&pane->experiment))) {
        generation = checkpoint_resume(pane, &pane->experiment, path);
    }
    pane->keep_saved_state = (pane->experiment.state[0] || !path[0]) &&
                             checkpoint_is_saved(pane, pane->experiment.model);
    session_open(pane, &pane->experiment, generation, path);
}

static enum ca_status workbench_begin(struct workbench *wb, const char *lab, const char *notice,
                                      struct ca_error *error)
{
    char log_path[CA_TEXT_MAX];
    char run[16], help[16];
    struct ca_error ignored;

    if (terminal_open(&wb->terminal, error) != CA_OK) {
        parts_end(wb);
        return error->status;
    }
    if (terminal_notice(wb->terminal)[0])
        message_show(wb, "%s", terminal_notice(wb->terminal));
    if (terminal_locale_notice(wb->terminal)[0])
        log_add(wb, "%s", terminal_locale_notice(wb->terminal));
    workbench_log(log_path);
    if (terminal_redirect(wb->terminal, log_path[0] ? log_path : "/dev/null", &ignored) != CA_OK)
        message_show(wb, "%s", ignored.text);
    parts_apply(wb);
    if ((lab && lab_open(wb, lab, error) != CA_OK) || !session_start(wb->pane, error)) {
        parts_end(wb);
        terminal_close(wb->terminal);
        return error->status;
    }
    leftovers_take(wb);
    open_first(wb);
    view_layout(wb);
    view_changed(&wb->panes[0]);
    if (log_is_quiet(wb))
        message_show(wb, "%s run  %s help", keys_first(wb->keys.keys[REQUEST_RUN], run),
                     keys_first(wb->keys.keys[REQUEST_HELP], help));
    initial_view_print(wb->pane);
    leftovers_offer(wb);
    if (notice && notice[0])
        alarm_raise(wb, "%s", notice);
    if (lab)
        lab_show(wb);
    return CA_OK;
}

static void read_keys(struct workbench *wb)
{
    wint_t key;
    int kind;

    while (!wb->quit && (kind = terminal_key(wb->terminal, &key)) != ERR) {
        if (kind == KEY_CODE_YES && key == KEY_RESIZE) {
            view_layout(wb);
            view_changed(&wb->panes[0]);
            wb->dirty = true;
            clearok(curscr, TRUE); /* curses forgets what it has drawn only if the size is another,
                                      the terminal where it was another for a moment */
        } else if (kind == KEY_CODE_YES && key == KEY_MOUSE) {
            workbench_mouse(wb);
        } else if (kind == TERMINAL_PASTED) {
            workbench_paste(wb, key < 128 ? (int)key : (int)key + KEY_WIDE);
        } else {
            workbench_key(wb, kind == KEY_CODE_YES || key < 128 ? (int)key : (int)key + KEY_WIDE);
        }
    }
}

static void wait(struct workbench *wb, int timeout_ms)
{
    struct pollfd fds[PARTS_MAX * PART_FDS];
    int first[PARTS_MAX + 1] = {0}, count = 0;

    for (; wb->parts[count]; count++)
        first[count + 1] =
            first[count] +
            (wb->parts[count]->poll ? wb->parts[count]->poll(wb, fds + first[count]) : 0);
    terminal_poll(wb->terminal, fds, first[count], timeout_ms);
    for (int i = 0; i < count; i++)
        if (first[i + 1] > first[i])
            wb->parts[i]->serve(wb, fds + first[i], first[i + 1] - first[i]);
}

/* All parts do what is due. Returns the milliseconds until something is, -1: nothing will be. */
static int tick(struct workbench *wb)
{
    double now = ca_now(), next = -1;

    for (int i = 0; wb->parts[i]; i++) {
        const struct part *part = wb->parts[i];

        if (part->tick)
            next = sooner(next, part->tick(wb, now));
        for (int k = 0; part->tick_pane && k < wb->pane_count; k++)
            if (session_client(&wb->panes[k]))
                next = sooner(next, part->tick_pane(&wb->panes[k], now));
    }
    for (int i = 0; i < wb->pane_count; i++)
        if (frame_is_due(&wb->panes[i])) /* the terminal accepts no output */
            next = sooner(next, BLOCKED_S);
    return next < 0 ? -1 : (int)ceil(next * 1000);
}

/* A frame is acknowledged only when it has been sent, so that a slow line slows the frames down. */
static void workbench_draw(struct workbench *wb)
{
    if (wb->dirty && terminal_ready(wb->terminal))
        screen_draw(wb);
    for (int i = 0; i < wb->pane_count; i++)
        if (frame_is_due(&wb->panes[i]) && terminal_ready(wb->terminal))
            frame_acknowledge(&wb->panes[i]);
}

/* Returns the signal that ended the loop, 0 if the user did. */
static int loop(struct workbench *wb)
{
    while (!wb->quit) {
        int timeout, signal;

        workbench_draw(wb);
        timeout = tick(wb);
        if (wb->dirty && terminal_ready(wb->terminal))
            continue;
        wait(wb, timeout);
        signal = terminal_signal(wb->terminal);
        if (terminal_gone(wb->terminal))
            return SIGHUP;
        if (signal)
            return signal;
        read_keys(wb);
    }
    return 0;
}

static enum ca_status workbench_leave(struct workbench *wb, double save_s, struct ca_error *error)
{
    struct ca_error second;
    enum ca_status status = checkpoint_save_state(&wb->panes[0], save_s, error);

    if (settings_save_now(wb, &second) != CA_OK && status == CA_OK) {
        *error = second;
        status = second.status;
    }
    parts_end(wb);
    return status;
}

enum ca_status workbench_run(const struct contender sides[], int count,
                             struct ca_settings *settings, const char *lab, const char *notice,
                             struct ca_error *error)
{
    struct workbench *wb = calloc(1, sizeof *wb);
    enum ca_status status;
    int signal;

    if (!wb)
        return ca_fail(error, CA_NO_MEMORY, "workbench: no memory");
    if (parts_begin(wb, workbench_parts, error) != CA_OK) {
        free(wb);
        return error->status;
    }
    wb->settings = settings;
    wb->pane = &wb->panes[0];
    wb->pane_count = 1;
    pane_init(wb->pane, wb, &sides[0]);
    status = workbench_begin(wb, lab, notice, error);
    if (status != CA_OK) {
        free(wb);
        return status;
    }
    if (count > 1)
        split_open(wb, &sides[1], false);
    signal = loop(wb);
    status = workbench_leave(wb, signal ? SAVE_HASTILY_S : SAVE_S, error);
    if (signal)
        terminal_die(wb->terminal, signal);
    terminal_close(wb->terminal);
    free(wb);
    return status;
}
