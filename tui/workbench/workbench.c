/* SPDX-License-Identifier: MIT */
/* Owns the start of the workbench, its main loop with a single poll, and its end. */
#include "tui/workbench/workbench.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tui/workbench/app.h"
#include "tui/workbench/terminal_keys.h"
#include "core/base/clock.h"

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
        ca_opening_refit(&pane->experiment.opening);
    opening_take(pane, &pane->experiment);
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

void workbench_log(char path[CA_TEXT_MAX])
{
    path[0] = 0;
    if (ca_state_folder()[0])
        snprintf(path, CA_TEXT_MAX, "%.490s/workbench.log", ca_state_folder());
}

static enum ca_status begin(struct workbench *wb, const char *lab, const char *notice,
                            struct ca_error *error)
{
    char log_path[CA_TEXT_MAX];
    char run[16], help[16];
    struct ca_error ignored;

    CA_TRY(terminal_open(&wb->terminal, error));
    if (terminal_notice(wb->terminal)[0])
        say(wb, "%s", terminal_notice(wb->terminal));
    if (terminal_locale_notice(wb->terminal)[0])
        log_add(wb, "%s", terminal_locale_notice(wb->terminal));
    workbench_log(log_path);
    if (terminal_redirect(wb->terminal, log_path[0] ? log_path : "/dev/null", &ignored) != CA_OK)
        say(wb, "%s", ignored.text);
    settings_apply(wb);
    if ((lab && lab_open(wb, lab, error) != CA_OK) || !session_start(wb->pane, error)) {
        lab_end(wb);
        terminal_close(wb->terminal);
        return error->status;
    }
    leftovers_take(wb);
    open_first(wb);
    screen_layout(wb);
    view_changed(&wb->panes[0]);
    if (!wb->log.message[0] && wb->log.raised_count == 0)
        say(wb, "%s run  %s help", keys_first(wb->keys.keys[REQUEST_RUN], run),
            keys_first(wb->keys.keys[REQUEST_HELP], help));
    opening_say(wb->pane);
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
            screen_layout(wb);
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

/* Does what is due by time. Returns the milliseconds until the next such event, -1 for none. */
static int tick(struct workbench *wb)
{
    double now = ca_now(), next = -1;
    void (*deferred)(struct workbench *) = wb->deferred;
    struct ca_error error;

    if (deferred && !session_is_opening(&wb->panes[0])) {
        wb->deferred = NULL;
        if (wb->panes[0].session.open)
            deferred(wb);
    }

    for (int i = 0; i < wb->pane_count; i++) {
        next = sooner(next, session_tick(&wb->panes[i], now));
        if (wb->panes[i].ack_due) /* the terminal accepts no output */
            next = sooner(next, BLOCKED_S);
    }
    next = sooner(next, split_tick(wb, now));
    crossing_tick(wb);
    lab_tick(wb);
    ladder_tick(wb);
    probing_tick(wb);
    if (wb->save_due > 0 && now >= wb->save_due) {
        workbench_remember(&wb->panes[0]);
        if (settings_save_now(wb, &error) != CA_OK)
            alarm_raise(wb, "%s", error.text);
    }
    if (wb->save_due > 0)
        next = sooner(next, wb->save_due - now);
    return next < 0 ? -1 : (int)ceil(next * 1000);
}

static void wait(struct workbench *wb, int timeout_ms)
{
    struct pollfd fds[PANES_MAX * PANE_FDS + CROSSING_FDS + LADDER_FDS + LAB_FDS + PROBING_FDS];
    int first[PANES_MAX + 1] = {0}, crossing, ladder, lab, probing;

    for (int i = 0; i < wb->pane_count; i++)
        first[i + 1] = first[i] + pane_poll(&wb->panes[i], fds + first[i]);
    crossing = crossing_poll(wb, fds + first[wb->pane_count]);
    ladder = ladder_poll(wb, fds + first[wb->pane_count] + crossing);
    lab = lab_poll(wb, fds + first[wb->pane_count] + crossing + ladder);
    probing = probing_poll(wb, fds + first[wb->pane_count] + crossing + ladder + lab);
    terminal_poll(wb->terminal, fds, first[wb->pane_count] + crossing + ladder + lab + probing,
                  timeout_ms);
    if (crossing > 0)
        crossing_serve(wb);
    if (ladder > 0)
        ladder_serve(wb);
    if (lab > 0)
        lab_serve(wb);
    if (probing > 0)
        probing_serve(wb);
    for (int i = 0; i < wb->pane_count; i++)
        pane_serve(&wb->panes[i], fds + first[i], first[i + 1] - first[i]);
}

/* A frame is acknowledged only when it has been sent, so that a slow line slows the frames down. */
static void draw(struct workbench *wb)
{
    if (wb->dirty && terminal_ready(wb->terminal))
        screen_draw(wb);
    for (int i = 0; i < wb->pane_count; i++) {
        struct pane *pane = &wb->panes[i];

        if (!pane->ack_due || !terminal_ready(wb->terminal))
            continue;
        pane->ack_due = false;
        if (pane->session.client)
            ca_client_tell(pane->session.client, "ack");
    }
}

/* Returns the signal that ended the loop, 0 if the user did. */
static int loop(struct workbench *wb)
{
    while (!wb->quit) {
        int timeout, signal;

        draw(wb);
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

static enum ca_status leave(struct workbench *wb, double save_s, struct ca_error *error)
{
    struct ca_error second;
    enum ca_status status = checkpoint_save_state(&wb->panes[0], save_s, error);

    if (settings_save_now(wb, &second) != CA_OK && status == CA_OK) {
        *error = second;
        status = second.status;
    }
    crossing_end(wb);
    ladder_end(wb);
    probing_end(wb);
    split_end(wb);
    for (int i = 0; i < wb->pane_count; i++)
        pane_end(&wb->panes[i]);
    lab_end(wb);
    leftovers_end(wb);
    ca_shipped_free(wb->shipped, wb->shipped_count);
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
    wb->settings = settings;
    wb->pane = &wb->panes[0];
    wb->pane_count = 1;
    pane_init(wb->pane, wb, &sides[0]);
    wb->speed = 1;
    wb->wanted[PANEL_LATTICE] = true;
    status = begin(wb, lab, notice, error);
    if (status != CA_OK) {
        free(wb);
        return status;
    }
    if (count > 1)
        split_open(wb, &sides[1], false);
    signal = loop(wb);
    status = leave(wb, signal ? SAVE_HASTILY_S : SAVE_S, error);
    if (signal)
        terminal_die(wb->terminal, signal);
    terminal_close(wb->terminal);
    free(wb);
    return status;
}
