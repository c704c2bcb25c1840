/* SPDX-License-Identifier: MIT */
/* Owns the start of the workbench, its main loop with a single poll, and its end. */
#include "tui/workbench/workbench.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tui/workbench/app.h"
#include "core/base/clock.h"

#define SAVE_S 10.0        /* time limit for saving the state when the user quits */
#define SAVE_HASTILY_S 1.0 /* and after a signal or the loss of the terminal */
#define BLOCKED_S 0.05     /* between looks at a terminal that accepts no output */

/* Whether the command line or an experiment file says more about the run than its model. */
static bool is_described(const struct ca_experiment *e)
{
    bool described = e->model_origin == CA_FROM_EXPERIMENT;
    const enum ca_origin origins[] = {e->size_origin, e->seed_origin, e->init_origin};

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
    static struct ca_saved_view saved;
    char path[CA_TEXT_MAX] = "";
    uint64_t generation = 0;

    ca_settings_recall(wb->settings, wb->experiment.model, &saved);
    if (ca_size_equal(saved.experiment.size, wb->experiment.size))
        view_take(wb, &saved.view);
    if (wb->experiment.model_origin <= CA_FROM_SETTINGS || !is_described(&wb->experiment))
        generation = checkpoint_resume(wb, &saved, &wb->experiment, path);
    wb->keep_saved_state = generation == 0 && saved.generation > 0;
    session_open(wb, &wb->experiment, generation, path);
}

static enum ca_status begin(struct workbench *wb, const char *notice, struct ca_error *error)
{
    char log_path[CA_TEXT_MAX];
    char run[16], help[16];
    struct ca_error ignored;

    CA_TRY(terminal_open(&wb->terminal, error));
    if (terminal_notice(wb->terminal)[0])
        say(wb, "%s", terminal_notice(wb->terminal));
    snprintf(log_path, sizeof log_path, "%s/workbench.log", ca_state_folder());
    if (terminal_redirect(wb->terminal, ca_state_folder()[0] ? log_path : "/dev/null", &ignored) !=
        CA_OK)
        say(wb, "%s", ignored.text);
    settings_apply(wb);
    if (!session_start(wb, error)) {
        terminal_close(wb->terminal);
        return error->status;
    }
    open_first(wb);
    screen_layout(wb);
    view_changed(wb);
    if (!wb->log.message[0])
        say(wb, "%s run  %s help", keys_first(wb->keys.keys[REQUEST_RUN], run),
            keys_first(wb->keys.keys[REQUEST_HELP], help));
    if (notice && notice[0])
        alarm_say(wb, "%s", notice);
    return CA_OK;
}

static void read_keys(struct workbench *wb)
{
    wint_t key;
    int kind;

    while (!wb->quit && (kind = terminal_key(wb->terminal, &key)) != ERR) {
        if (kind == KEY_CODE_YES && key == KEY_RESIZE) {
            screen_layout(wb);
            view_changed(wb);
            wb->dirty = true;
        } else if (kind == KEY_CODE_YES && key == KEY_MOUSE) {
            workbench_mouse(wb);
        } else {
            workbench_key(wb, kind == KEY_CODE_YES || key < 128 ? (int)key : (int)key + KEY_WIDE);
        }
    }
}

/* Does what is due by time. Returns the milliseconds until the next such event, -1 for none. */
static int tick(struct workbench *wb)
{
    double now = ca_now(), next = session_tick(wb, now);
    struct ca_error error;

    if (wb->save_due > 0 && now >= wb->save_due) {
        workbench_remember(wb, 0);
        if (settings_save_now(wb, &error) != CA_OK)
            alarm_say(wb, "%s", error.text);
    }
    if (wb->save_due > 0 && (next < 0 || wb->save_due - now < next))
        next = wb->save_due - now;
    if (wb->ack_due && (next < 0 || next > BLOCKED_S)) /* the terminal accepts no output */
        next = BLOCKED_S;
    return next < 0 ? -1 : (int)ceil(next * 1000);
}

static void wait(struct workbench *wb, int timeout_ms)
{
    struct pollfd fds[2];
    int count = 0;

    if (wb->session.client) {
        fds[count++] = (struct pollfd){ca_client_fd(wb->session.client), POLLIN, 0};
        if (ca_client_wants_write(wb->session.client))
            fds[count++] = (struct pollfd){ca_client_write_fd(wb->session.client), POLLOUT, 0};
    }
    terminal_poll(wb->terminal, fds, count, timeout_ms);
    if (count > 1 && fds[1].revents)
        ca_client_flush(wb->session.client);
    if (count > 0 && fds[0].revents)
        session_read(wb);
}

/* A frame is acknowledged only when it has been sent, so that a slow line slows the frames down. */
static void draw(struct workbench *wb)
{
    if (wb->dirty)
        screen_draw(wb);
    if (!wb->ack_due || !terminal_ready(wb->terminal))
        return;
    wb->ack_due = false;
    if (wb->session.client)
        ca_client_send(wb->session.client, ca_wire_request(CA_OP_ACK, NULL));
}

/* Returns the signal that ended the loop, 0 if the user did. */
static int loop(struct workbench *wb)
{
    while (!wb->quit) {
        int timeout, signal;

        draw(wb);
        timeout = tick(wb);
        if (wb->dirty)
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
    enum ca_status status = checkpoint_save_state(wb, save_s, error);

    if (settings_save_now(wb, &second) != CA_OK && status == CA_OK) {
        *error = second;
        status = second.status;
    }
    session_end(wb);
    checkpoint_remove(wb);
    free(wb->frame.bytes);
    json_decref(wb->list);
    json_decref(wb->devices);
    return status;
}

enum ca_status workbench_run(struct ca_experiment *experiment, struct ca_settings *settings,
                             const char *notice, struct ca_error *error)
{
    struct workbench *wb = calloc(1, sizeof *wb);
    enum ca_status status;
    int signal;

    if (!wb)
        return ca_fail(error, CA_NO_MEMORY, "workbench: no memory");
    wb->settings = settings;
    wb->experiment = *experiment;
    wb->session.last = &wb->session.first;
    wb->observed.broken = -1;
    wb->view.zoom = 1;
    wb->speed = 1;
    wb->wanted[PANEL_LATTICE] = true;
    status = begin(wb, notice, error);
    if (status != CA_OK) {
        free(wb);
        return status;
    }
    signal = loop(wb);
    status = leave(wb, signal ? SAVE_HASTILY_S : SAVE_S, error);
    *experiment = wb->experiment;
    if (signal)
        terminal_die(wb->terminal, signal);
    terminal_close(wb->terminal);
    free(wb);
    return status;
}
