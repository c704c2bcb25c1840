/* SPDX-License-Identifier: MIT */
/*
 * Owns the engine process as the workbench sees it: starting it, the requests that wait for a
 * reply, detecting that it hangs or has crashed, and restarting it at the last saved state.
 */
#include "tui/workbench/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"

#define ABLE_CALL_S 0.01 /* as the calls of a free run */
#define ABLE_CALLS 20
#define ABLE_S 0.1
#define TWICE_S 2.0 /* after two crashes within this time there is no automatic restart */

static const enum ca_op requests[] = {
    [OP_OPEN] = CA_OP_OPEN,       [OP_STEP] = CA_OP_STEP,       [OP_RUN] = CA_OP_RUN,
    [OP_STOP] = CA_OP_STOP,       [OP_CHANGE] = CA_OP_CHANGE,   [OP_RESET] = CA_OP_RESET,
    [OP_SEEK] = CA_OP_SEEK,       [OP_VIEW] = CA_OP_VIEW,       [OP_CELL] = CA_OP_CELL,
    [OP_LIST] = CA_OP_LIST,       [OP_PING] = CA_OP_PING,       [OP_SAVE] = CA_OP_SAVE,
    [OP_CHECKPOINT] = CA_OP_SAVE, [OP_SAVE_STATE] = CA_OP_SAVE, [OP_DEVICE] = CA_OP_DEVICE,
    [OP_ABLE] = CA_OP_BURST,      [OP_UNDO] = CA_OP_UNDO,       [OP_PUT] = CA_OP_PUT,
};

static struct pending *send_as(struct pane *pane, enum op op, json_t *request, const void *bytes,
                               size_t count)
{
    struct session *s = &pane->session;
    struct pending *pending = s->client ? calloc(1, sizeof *pending) : NULL;
    double now = ca_now();

    if (!pending) {
        json_decref(request);
        return NULL;
    }
    if (op == OP_STEP || op == OP_RUN || op == OP_SEEK || op == OP_CHANGE || op == OP_RESET ||
        op == OP_SPLIT || op == OP_UNDO || op == OP_PUT)
        pane->keep_saved_state = false;
    if (!s->first && !s->running)
        s->last_received = now; /* a reply is due from now on */
    pending->op = op;
    pending->sent = now;
    pending->id = ca_client_send_bytes(s->client, request, bytes, count);
    *s->last = pending;
    s->last = &pending->next;
    return pending;
}

struct pending *session_send(struct pane *pane, enum op op, json_t *body)
{
    return send_as(pane, op, ca_wire_request(requests[op], body), NULL, 0);
}

struct pending *session_ask(struct pane *pane, const char *op, json_t *body, const void *bytes,
                            size_t count)
{
    json_t *request = body ? body : json_object();

    json_object_set_new(request, "op", json_string(op));
    return send_as(pane, OP_SPLIT, request, bytes, count);
}

static void pending_free(struct pending *pending)
{
    free(pending->wanted);
    free(pending);
}

static void pending_clear(struct session *s)
{
    while (s->first) {
        struct pending *next = s->first->next;

        pending_free(s->first);
        s->first = next;
    }
    s->last = &s->first;
}

bool session_waits_for(const struct pane *pane, enum op op)
{
    for (const struct pending *p = pane->session.first; p; p = p->next)
        if (p->op == op)
            return true;
    return false;
}

bool session_ready(struct workbench *wb, void (*then)(struct workbench *wb))
{
    const struct pane *a = &wb->panes[0];

    wb->deferred = !a->session.open && session_waits_for(a, OP_OPEN) ? then : NULL;
    if (!a->session.open && !wb->deferred)
        say(wb, "no simulation is open");
    return a->session.open;
}

bool session_busy(const struct pane *pane)
{
    return pane->session.running || pane->session.steps_wanted > 0 ||
           session_waits_for(pane, OP_STEP) || session_waits_for(pane, OP_SEEK);
}

bool session_start(struct pane *pane, struct ca_error *error)
{
    struct session *s = &pane->session;

    pending_clear(s);
    s->open = s->running = s->hung = s->busy = s->dead = false;
    s->fault_text[0] = 0;
    s->steps_wanted = 0;
    s->last_received = ca_now();
    return client_start(pane->wb, &s->client, pane->host, error);
}

void session_end(struct pane *pane)
{
    ca_client_close(pane->session.client);
    pane->session.client = NULL;
    pending_clear(&pane->session);
}

bool session_is_here(const struct pane *pane)
{
    const struct ca_client *client = pane->session.client;
    char host[256] = "";

    if (pane->host[0] || !client || !ca_client_is_command(client))
        return !pane->host[0] && client;
    gethostname(host, sizeof host - 1);
    return ca_client_greeted(client) && strcmp(ca_wire_text(pane->hello, "host"), host) == 0;
}

/* Whether a request sent now finds a simulation. Requests are served in order, so that an OP_OPEN
 * that still waits for its reply counts. */
static bool has_session(const struct pane *pane)
{
    return pane->session.open || session_waits_for(pane, OP_OPEN);
}

/* The same for requests that need a running engine; tells the user how to restart one. */
static bool require_session(struct pane *pane)
{
    if (pane->session.dead)
        alarm_say(pane->wb, "the engine is not running; press %s to restart at generation 0",
                  pane->wb->keys.keys[REQUEST_RESET]);
    else if (!has_session(pane) && pane->opened)
        alarm_say(pane->wb, "the run has ended; press %s to start it again at generation 0",
                  pane->wb->keys.keys[REQUEST_RESET]);
    return has_session(pane);
}

/* --- requests --------------------------------------------------------------------------------- */

static struct ca_experiment *copy_of(const struct ca_experiment *experiment)
{
    struct ca_experiment *copy = malloc(sizeof *copy);

    if (copy)
        *copy = *experiment;
    return copy;
}

void session_open(struct pane *pane, const struct ca_experiment *wanted, uint64_t generation,
                  const char *state)
{
    json_t *body = ca_experiment_request(wanted);
    struct pending *pending;

    if (state && state[0]) {
        json_object_set_new(body, "generation", json_integer((json_int_t)generation));
        json_object_set_new(body, "state", json_string(state));
    }
    pane->session.steps_wanted = 0;
    pending = session_send(pane, OP_OPEN, body);
    if (!pending)
        return;
    pending->arrives = pane->arriving;
    pane->arriving = false;
    pending->wanted = copy_of(wanted);
    pending->generation = state && state[0] ? generation : 0;
    snprintf(pending->path, sizeof pending->path, "%s", state ? state : "");
}

void session_change(struct pane *pane, const struct ca_experiment *wanted)
{
    struct pending *pending;

    if (!has_session(pane)) {
        session_open(pane, wanted, 0, NULL);
        return;
    }
    pending = session_send(pane, OP_CHANGE, ca_experiment_request(wanted));
    if (pending)
        pending->wanted = copy_of(wanted);
}

void session_run(struct pane *pane)
{
    const struct workbench *wb = pane->wb;
    double per_frame = wb->speed > 1 ? round(wb->speed) : wb->speed;
    json_t *pace = per_frame > 0 ? json_pack("{s:f, s:f}", "per_frame", per_frame, "fps",
                                             setting_number(wb, CA_SETTING_FPS))
                                 : json_object();

    if (!has_session(pane)) {
        json_decref(pace);
        return;
    }
    session_send(pane, OP_RUN, pace);
    pane->session.pace = per_frame;
    pane->session.run_requested = true;
}

void session_stop(struct pane *pane)
{
    pane->session.steps_wanted = 0;
    pane->session.run_requested = false;
    session_send(pane, OP_STOP, NULL);
}

void session_step(struct pane *pane, uint64_t n)
{
    struct session *s = &pane->session;

    if (!require_session(pane))
        return;
    if (s->run_requested)
        session_stop(pane);
    /* If a key repeats faster than the engine steps, the steps are added up instead of queued. */
    if (session_waits_for(pane, OP_STEP)) {
        s->steps_wanted += n;
        return;
    }
    session_send(pane, OP_STEP, json_pack("{s:I}", "n", (json_int_t)n));
}

void session_reset(struct pane *pane)
{
    if (!has_session(pane)) {
        session_open(pane, &pane->experiment, 0, NULL);
        return;
    }
    session_stop(pane);
    session_send(pane, OP_RESET, NULL);
}

void session_seek(struct pane *pane, uint64_t generation)
{
    if (!require_session(pane))
        return;
    if (pane->session.run_requested)
        session_stop(pane);
    if (generation < pane->session.generation) /* from the start, with the present parameters */
        pane->steered = pane->from_state = false;
    session_send(pane, OP_SEEK, json_pack("{s:I}", "generation", (json_int_t)generation));
}

void session_save(struct pane *pane, const char *path)
{
    struct pending *pending = session_send(pane, OP_SAVE, json_pack("{s:s}", "file", path));

    if (pending)
        snprintf(pending->path, sizeof pending->path, "%s", path);
}

void session_view(struct pane *pane)
{
    pane->session.view_due = true;
    pane->wb->dirty = true;
}

void session_cell(struct pane *pane) { pane->session.cell_due = true; }

/* --- scheduled requests ----------------------------------------------------------------------- */

/* The view of the second slice: what it draws, and how, is as in the first. */
static json_t *beside_json(const struct pane *pane)
{
    struct ca_view view = pane->view;
    json_t *json;

    if (pane->beside.view.columns == 0)
        return json_null();
    view.axis = pane->beside.view.axis;
    view.slice = pane->beside.view.slice;
    view.x = view.y = 0;
    view.zoom = pane->beside.view.zoom;
    view.tall = pane->beside.view.tall;
    view.columns = pane->beside.view.columns;
    view.lines = pane->beside.view.lines;
    json = json_object();
    ca_wire_set_view(json, &view);
    return json;
}

static void send_view(struct pane *pane)
{
    struct ca_view view;
    json_t *body = json_pack("{s:f}", "fps", setting_number(pane->wb, CA_SETTING_FPS));

    view_field(pane);
    view = pane->view;
    view.digests = pane->wb->difference;
    ca_wire_set_view(body, &view);
    json_object_set_new(body, "beside", beside_json(pane));
    pane->session.view_due = false;
    session_send(pane, OP_VIEW, body);
}

static void send_cell(struct pane *pane)
{
    int64_t cell[3];

    pane->session.cell_due = false;
    cursor_cell(pane, cell);
    session_send(pane, OP_CELL,
                 json_pack("{s:I,s:I,s:I}", "x", (json_int_t)cell[0], "y", (json_int_t)cell[1], "z",
                           (json_int_t)cell[2]));
}

/* Asks for the device's state once a second while its panel is shown and the simulation runs, and
 * once when the panel appears. */
static double device_tick(struct pane *pane, double now)
{
    struct session *s = &pane->session;
    bool shown = pane->wb->layout.panel[PANEL_DEVICE].rows > 0;

    if (!shown || !s->open || session_waits_for(pane, OP_DEVICE))
        return -1;
    if (!s->device_due && !session_busy(pane))
        return -1;
    if (now - s->device_last < 1)
        return 1 - (now - s->device_last);
    s->device_due = false;
    s->device_last = now;
    session_send(pane, OP_DEVICE, NULL);
    return session_busy(pane) ? 1 : -1;
}

/* Asks for a burst of calls of n generations. */
static void able_ask(struct pane *pane, uint64_t n)
{
    pane->figures.asked = n;
    session_send(pane, OP_ABLE,
                 json_pack("{s:I,s:I,s:f}", "n", (json_int_t)n, "calls", (json_int_t)ABLE_CALLS,
                           "seconds", ABLE_S));
}

/* In the first pause after steps, a paced run or a change of the backend, bursts tell what the
 * backend is able to, if keeping the state for them costs little. */
static void able_check(struct pane *pane)
{
    const struct session *s = &pane->session;
    const struct figures *f = &pane->figures;

    if (s->open && !s->first && !s->running && !split_is_open(pane->wb) &&
        (f->timing.figures.count > 0 || f->before[0]) && f->timing.able.count == 0 && !f->asked &&
        checkpoint_is_cheap(pane))
        able_ask(pane, 1);
}

void able_take(struct pane *pane, const json_t *json)
{
    const json_t *seconds = json_object_get(json, "seconds"), *value;
    double least = INFINITY, n;
    size_t i;

    json_array_foreach(seconds, i, value) least = fmin(least, json_number_value(value));
    n = least > 0 ? exp2(floor(log2(ABLE_CALL_S / least))) : 1;
    if (pane->figures.asked == 1 && n > 1 && isfinite(n) && !pane->session.first)
        able_ask(pane, (uint64_t)n);
    else
        session_view(pane); /* the next frame has the figure */
}

double sooner(double a, double b) { return a < 0 || (b >= 0 && b < a) ? b : a; }

/* Asks for models, backends and devices after the first frame: for the list the engine asks CUDA's
 * driver, which takes some 0.15 s. */
static void list_check(struct pane *pane)
{
    bool seen = pane->frame.known || screen_inner(pane->wb, PANEL_LATTICE).rows == 0;

    if (pane->session.open && seen && !pane->list && !session_waits_for(pane, OP_LIST))
        session_send(pane, OP_LIST, NULL);
}

double session_tick(struct pane *pane, double now)
{
    struct session *s = &pane->session;
    double next;

    if (!s->client)
        return -1;
    if (s->open && s->view_due && !session_waits_for(pane, OP_VIEW))
        send_view(pane);
    if (s->open && s->cell_due && pane->cursor.on && !session_waits_for(pane, OP_CELL))
        send_cell(pane);
    list_check(pane);
    if (s->steps_wanted > 0 && !session_waits_for(pane, OP_STEP)) {
        uint64_t n = s->steps_wanted;

        s->steps_wanted = 0;
        session_step(pane, n);
    }
    able_check(pane);
    next = device_tick(pane, now);
    if (pane_index(pane) == 0) /* B ends when its engine does */
        next = sooner(next, checkpoint_tick(pane, now));
    return sooner(next, silence_check(pane, now));
}

/* --- crash and restart ------------------------------------------------------------------------ */

static void restart(struct pane *pane, const struct good *good)
{
    struct ca_error error;

    if (!session_start(pane, &error)) {
        pane->session.dead = true;
        alarm_raise(pane->wb, "%s", error.text);
        return;
    }
    session_open(pane, &pane->experiment, good->generation, good->path);
}

/* The state that the engine was to begin with is the one to begin with next. */
static void keep_opening(struct session *s)
{
    for (const struct pending *p = s->first; p; p = p->next)
        if (p->op == OP_OPEN && p->path[0]) {
            s->good = (struct good){.generation = p->generation, .edits = s->edits};
            snprintf(s->good.path, sizeof s->good.path, "%s", p->path);
        }
}

static void died(struct pane *pane, const struct ca_error *error)
{
    struct session *s = &pane->session;
    double now = ca_now();
    bool twice = s->died > 0 && now - s->died < TWICE_S;
    struct good good = s->good;
    char log[CA_TEXT_MAX];

    snprintf(s->crash_reason, sizeof s->crash_reason, "%.200s%s%.250s at generation %llu",
             s->fault_text, s->fault_text[0] ? "; " : "", error->text,
             (unsigned long long)s->generation);
    workbench_log(log);
    s->crash_log[0] = 0;
    if (log[0] && ca_client_reported(s->client))
        snprintf(s->crash_log, sizeof s->crash_log, "; see %.500s", log);
    s->died = now;
    s->run_requested = false;
    s->unstarted = ca_client_is_command(s->client) && !ca_client_greeted(s->client);
    if (s->unstarted)
        keep_opening(s);
    session_end(pane);
    s->open = s->running = s->hung = s->busy = false;
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
    restart(pane, &good);
}

void session_kill(struct pane *pane)
{
    struct ca_error error;

    if (!pane->session.client)
        return;
    ca_client_kill(pane->session.client);
    ca_error_set(&error, CA_TIMEOUT, "the engine was killed");
    died(pane, &error);
}

void session_restart(struct pane *pane)
{
    struct good good;

    if (!pane->session.unstarted)
        checkpoint_forget(pane);
    good = pane->session.good;
    pane->session.crash_reason[0] = 0;
    pane->session.died = 0;
    restart(pane, &good);
}

/* --- messages --------------------------------------------------------------------------------- */

static void take_message(struct pane *pane, const struct ca_message *message)
{
    struct session *s = &pane->session;
    const json_t *id = json_object_get(message->json, "id");
    struct pending **at = &s->first, *pending;

    if (!json_is_integer(id)) {
        event_take(pane, message);
        return;
    }
    /* Replies are not always in order: a stop is answered before the step that it interrupts. */
    while (*at && (*at)->id != json_integer_value(id))
        at = &(*at)->next;
    pending = *at;
    if (!pending)
        return;
    *at = pending->next;
    if (!*at)
        s->last = at;
    reply_take(pane, pending, message);
    pending_free(pending);
}

void session_read(struct pane *pane)
{
    struct ca_message message;
    struct ca_error error;
    int got = 0;

    while (pane->session.client &&
           (got = ca_client_next(pane->session.client, &message, &error)) > 0) {
        pane->session.last_received = ca_now();
        take_message(pane, &message);
        json_decref(message.json);
    }
    if (pane->session.client && got < 0)
        died(pane, &error);
}
