/* SPDX-License-Identifier: MIT */
/* The ladder and the verification have an engine, whose replies fill their lists. */
#include "tui/workbench/lists/lists.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/experiment_json.h"
#include "core/engine/wire.h"
#include "core/lab/backend/backend.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/lists/lab_inside.h"

extern const struct part ladder_part;

struct ladder *ladder_of(const struct workbench *wb) { return part_state(wb, &ladder_part); }

bool ladder_measures(const struct workbench *wb)
{
    return ladder_of(wb)->phase == LADDER_RUNS || ladder_of(wb)->phase == LADDER_STOPS;
}

static void engine_end(struct ladder *l)
{
    ca_client_close(l->client);
    l->client = NULL;
}

void ladder_end(struct workbench *wb)
{
    struct ladder *l = ladder_of(wb);

    engine_end(l);
    json_decref(l->rows);
    json_decref(l->report);
    *l = (struct ladder){.phase = LADDER_CLOSED};
}

/* --- asking ----------------------------------------------------------------------------------- */

static bool has_crashed(const struct ladder *l, const char *backend)
{
    for (int i = 0; i < l->crashes; i++)
        if (strcmp(l->crash[i].backend, backend) == 0)
            return true;
    return false;
}

/* Those that were asked for but those that have crashed, by name; "": all. */
static void others(const struct ladder *l, char *text, size_t size)
{
    const json_t *row;
    size_t used = 0, i;

    snprintf(text, size, "%s", l->crashes == 0 ? l->only : "");
    if (l->crashes == 0)
        return;
    json_array_foreach(l->rows, i, row)
    {
        const char *name = ca_wire_text(row, "backend");

        if (!has_crashed(l, name) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", name);
    }
}

static void ladder_fail(struct workbench *wb, const char *why)
{
    struct ladder *l = ladder_of(wb);

    snprintf(l->why, sizeof l->why, "%.500s", why);
    l->phase = LADDER_DONE;
    engine_end(l);
    wb->dirty = true;
}

static void ladder_taken(struct ca_request *request, const struct ca_message *reply,
                         const struct ca_error *refusal);

static void ladder_begin(struct workbench *wb)
{
    struct ladder *l = ladder_of(wb);
    char backends[2048];
    struct ca_error error;
    json_t *body;

    others(l, backends, sizeof backends);
    if (l->crashes > 0 && !backends[0]) {
        ladder_fail(wb, "no other backend is left");
        return;
    }
    if (!client_start(wb, &l->client, wb->panes[0].host, &error)) {
        ladder_fail(wb, error.text);
        return;
    }
    body = l->verify ? json_pack("{s:s}", "model", l->experiment.model->name)
                     : ca_experiment_request(&l->experiment);
    if (backends[0])
        json_object_set_new(body, "backends", json_string(backends));
    l->phase = LADDER_RUNS;
    l->left_s = 0;
    l->done = l->cases = 0;
    l->at[0] = l->what[0] = 0;
    ca_client_ask(l->client, &l->request, l->verify ? "verify" : "bench", body, ladder_taken, wb);
}

/* --- what comes ------------------------------------------------------------------------------- */

/* The backend whose turn it was is left out, and the others begin again. */
static void ladder_died(struct workbench *wb, const char *why)
{
    struct ladder *l = ladder_of(wb);

    engine_end(l);
    if (!ladder_measures(wb))
        return;
    if (!l->at[0] || l->crashes == CRASHES_MAX || l->phase == LADDER_STOPS) {
        ladder_fail(wb, why);
        return;
    }
    snprintf(l->crash[l->crashes].backend, sizeof l->crash[0].backend, "%s", l->at);
    snprintf(l->crash[l->crashes].why, sizeof l->crash[0].why, "%.400s", why);
    l->crashes++;
    ladder_begin(wb);
}

static const struct list_source *ladder_list_of(const struct ladder *l)
{
    return l->in_lab ? &lab_source : l->verify ? &verify_source : &ladder_source;
}

/* When the first rows have come, that of the current backend is selected. */
static void take_more(struct workbench *wb, const json_t *json)
{
    struct ladder *l = ladder_of(wb);
    json_t *rows = json_object_get(json, l->verify ? "results" : "lines");
    bool empty = !l->rows;

    if (!rows)
        return;
    json_decref(l->rows);
    l->rows = json_incref(rows);
    if (empty)
        list_reselect(wb, ladder_list_of(l));
}

static void ladder_taken(struct ca_request *request, const struct ca_message *reply,
                         const struct ca_error *refusal)
{
    struct workbench *wb = request->to;
    struct ladder *l = ladder_of(wb);

    wb->dirty = true;
    if (refusal && strcmp(l->at, CA_LAB_BACKEND) == 0) {
        ladder_died(wb, refusal->text); /* the process of its kernel is the one that crashed */
        return;
    }
    if (refusal) {
        ladder_fail(wb, refusal->text);
        return;
    }
    l->report = json_incref(json_object_get(reply->json, "report"));
    l->stopped = json_is_true(json_object_get(reply->json, "stopped"));
    l->phase = LADDER_DONE;
    engine_end(l);
    take_more(wb, reply->json);
}

static void progressed(void *to, const struct ca_message *event)
{
    struct workbench *wb = to;
    struct ladder *l = ladder_of(wb);
    const json_t *json = event->json;

    if (ca_wire_event(json) != CA_EVENT_PROGRESS)
        return;
    wb->dirty |= json_object_get(json, l->verify ? "results" : "lines") != NULL;
    snprintf(l->at, sizeof l->at, "%s", ca_wire_text(json, "backend"));
    snprintf(l->what, sizeof l->what, "%s", ca_wire_text(json, "what"));
    l->left_s = json_number_value(json_object_get(json, "left_s"));
    l->done = (int)json_integer_value(json_object_get(json, "done"));
    l->cases = (int)json_integer_value(json_object_get(json, "cases"));
    take_more(wb, json);
}

static void ladder_serve(struct workbench *wb, const struct pollfd *fds, int count)
{
    struct ca_error error;

    (void)fds, (void)count;
    if (ca_client_serve(&ladder_of(wb)->client, progressed, wb, &error))
        return;
    wb->dirty = true;
    ladder_died(wb, error.text);
}

static int ladder_poll(const struct workbench *wb, struct pollfd fds[PART_FDS])
{
    return client_poll(ladder_of(wb)->client, fds);
}

/* --- opening, closing ------------------------------------------------------------------------- */

static double ladder_tick(struct workbench *wb, double now)
{
    struct ladder *l = ladder_of(wb);
    bool goes_on = l->goes_on;

    (void)now;
    if (l->phase == LADDER_CLOSED)
        return -1;
    if (!list_is_open(wb, ladder_list_of(l))) {
        ladder_end(wb);
        wb->dirty = true;
        if (goes_on)
            go_run(wb);
        return -1;
    }
    if (l->phase == LADDER_WAITS && go_idle(wb)) {
        l->experiment = wb->panes[0].experiment;
        wb->dirty = true;
        ladder_begin(wb);
    }
    return -1;
}

static void begin_bench(struct workbench *wb) { ladder_open_only(wb, false, ladder_of(wb)->only); }
static void begin_verify(struct workbench *wb) { ladder_open_only(wb, true, ladder_of(wb)->only); }

void ladder_open_only(struct workbench *wb, bool verify, const char *backends)
{
    struct ladder *l = ladder_of(wb);
    char only[CA_TEXT_MAX];

    snprintf(only, sizeof only, "%s", backends);
    ladder_end(wb);
    memcpy(l->only, only, sizeof only);
    if (!session_ready(wb, verify ? begin_verify : begin_bench))
        return;
    l->verify = verify;
    l->goes_on = go_runs(wb);
    l->experiment = wb->panes[0].experiment;
    if (l->goes_on)
        go_stop(wb);
    l->phase = LADDER_WAITS;
    list_open(wb, verify ? &verify_source : &ladder_source);
}

void ladder_open_in_lab(struct workbench *wb)
{
    struct ladder *l = ladder_of(wb);

    ladder_end(wb);
    l->in_lab = true;
    l->goes_on = go_runs(wb);
    l->experiment = wb->panes[0].experiment;
    if (l->goes_on)
        go_stop(wb);
    l->phase = LADDER_WAITS;
}

void ladder_open(struct workbench *wb) { ladder_open_only(wb, false, ""); }
static void verify_open(struct workbench *wb) { ladder_open_only(wb, true, ""); }
bool ladder_is_in_lab(const struct workbench *wb) { return ladder_of(wb)->in_lab; }

/* The run that it paused stays so. */
static void ladder_interrupt(struct workbench *wb) { ladder_of(wb)->goes_on = false; }

const struct part ladder_part = {
    .name = "ladder",
    .state_bytes = sizeof(struct ladder),
    .tick = ladder_tick,
    .poll = ladder_poll,
    .serve = ladder_serve,
    .interrupt = ladder_interrupt,
    .is_alone = ladder_measures,
    .end = ladder_end,
    .actions = {{REQUEST_LADDER, ladder_open}, {REQUEST_VERIFY, verify_open}}};
