/* SPDX-License-Identifier: MIT */
/* The ladder and the verification have an engine, whose replies fill their lists. */

#include <math.h>
#include <string.h>

#include "core/engine/experiment_json.h"
#include "core/engine/wire.h"
#include "core/lab/backend/backend.h"
#include "core/probe/probe.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/view.h"
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

    /* Those that were asked for but those that have crashed, by name; "": all. */
    snprintf(backends, sizeof backends, "%s", l->crashes == 0 ? l->only : "");
    for (size_t i = 0; l->crashes > 0 && i < json_array_size(l->rows); i++) {
        const char *name = ca_json_member(json_array_get(l->rows, i), "backend");
        int k = 0;

        while (k < l->crashes && strcmp(l->crash[k].backend, name) != 0)
            k++;
        if (k == l->crashes)
            ca_text_add(backends, sizeof backends, "%s%s", backends[0] ? "," : "", name);
    }
    if (l->crashes > 0 && !backends[0]) {
        ladder_fail(wb, "no other backend is left");
        return;
    }
    if (!client_start(wb, &l->client, wb->panes[0].host, &error)) {
        ladder_fail(wb, error.text);
        return;
    }
    body = l->verify ? json_object() : ca_experiment_request(&l->experiment);
    ca_model_to_json(body, l->experiment.model);
    if (backends[0])
        json_object_set_new(body, "backends", json_string(backends));
    l->phase = LADDER_RUNS;
    l->left_s = 0;
    l->done = l->cases = 0;
    l->at[0] = l->what[0] = 0;
    ca_client_ask_of(l->client, &l->request, l->verify ? "verify" : "bench", body,
                     l->experiment.model, ladder_taken, wb);
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
    snprintf(l->at, sizeof l->at, "%s", ca_json_member(json, "backend"));
    snprintf(l->what, sizeof l->what, "%s", ca_json_member(json, "what"));
    l->left_s = ca_json_number(json, "left_s");
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

/* For the panes, which have to be idle when it begins. */
static void ladder_wait(struct workbench *wb)
{
    struct ladder *l = ladder_of(wb);

    l->goes_on = go_pause(wb);
    l->experiment = wb->panes[0].experiment;
    l->phase = LADDER_WAITS;
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
    ladder_wait(wb);
    list_open(wb, verify ? &verify_source : &ladder_source);
}

void ladder_open_in_lab(struct workbench *wb)
{
    struct ladder *l = ladder_of(wb);

    ladder_end(wb);
    l->in_lab = true;
    ladder_wait(wb);
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

/* --- the probe -------------------------------------------------------------------------------- */

extern const struct part probing_part;

struct probing {
    enum { PROBING_CLOSED, PROBING_WAITS, PROBING_RUNS, PROBING_DONE } phase;
    bool goes_on;             /* the panes ran before, and will again */
    char host[CA_TEXT_MAX];   /* whose machine it is, "": this one */
    struct ca_client *client; /* NULL: none */
    struct ca_request request;
    int done;               /* figures */
    char what[192];         /* is measured now */
    char why[CA_TEXT_MAX];  /* there are no ceilings, "": there are, once it is done */
    char kept[CA_TEXT_MAX]; /* where they are kept, or why not */
    struct ca_probe probe;
};

static struct probing *probing_of(const struct workbench *wb)
{
    return part_state(wb, &probing_part);
}

static const struct list_source probing_source;

static bool probing_measures(const struct workbench *wb)
{
    return probing_of(wb)->phase == PROBING_RUNS;
}

/* It is killed, because it hears a request between two figures only. */
static void engine_stop(struct probing *p)
{
    if (p->client && p->phase == PROBING_RUNS)
        ca_client_kill(p->client);
    ca_client_close(p->client);
    p->client = NULL;
}

static void probing_end(struct workbench *wb)
{
    engine_stop(probing_of(wb));
    *probing_of(wb) = (struct probing){.phase = PROBING_CLOSED};
}

static void probing_fail(struct workbench *wb, const char *why)
{
    struct probing *p = probing_of(wb);

    engine_stop(p);
    snprintf(p->why, sizeof p->why, "%.500s", why);
    p->phase = PROBING_DONE;
    wb->dirty = true;
}

/* --- what comes ------------------------------------------------------------------------------- */

static void probe_taken(struct ca_request *request, const struct ca_message *reply,
                        const struct ca_error *refusal)
{
    struct workbench *wb = request->to;
    struct probing *p = probing_of(wb);
    const json_t *json = reply->json;
    const char *file = ca_json_member(json, "file");

    if (refusal) {
        probing_fail(wb, refusal->text);
        return;
    }
    p->phase = PROBING_DONE;
    engine_stop(p);
    wb->dirty = true;
    if (!ca_probe_from_json(&p->probe, json_object_get(json, "ceilings"))) {
        snprintf(p->why, sizeof p->why, "the engine has sent no ceilings");
        return;
    }
    if (file[0])
        snprintf(p->kept, sizeof p->kept, "kept in %.480s", file);
    else
        snprintf(p->kept, sizeof p->kept, "not kept: %.480s", ca_json_member(json, "not_kept"));
    /* The engines of the panes read the ceilings anew, and send figures with them. */
    for (int i = 0; i < wb->pane_count && file[0]; i++)
        if (session_has_run(&wb->panes[i])) {
            device_renew(&wb->panes[i]);
            session_view(&wb->panes[i]);
        }
}

static void probe_progressed(void *to, const struct ca_message *event)
{
    struct workbench *wb = to;
    struct probing *p = probing_of(wb);

    if (ca_wire_event(event->json) != CA_EVENT_PROGRESS)
        return;
    snprintf(p->what, sizeof p->what, "%s", ca_json_member(event->json, "what"));
    p->done = (int)json_integer_value(json_object_get(event->json, "done"));
    wb->dirty = true;
}

static void probing_serve(struct workbench *wb, const struct pollfd *fds, int count)
{
    struct ca_error error;

    (void)fds, (void)count;
    if (!ca_client_serve(&probing_of(wb)->client, probe_progressed, wb, &error))
        probing_fail(wb, error.text);
}

static int probing_poll(const struct workbench *wb, struct pollfd fds[PART_FDS])
{
    return client_poll(probing_of(wb)->client, fds);
}

/* --- opening, closing ------------------------------------------------------------------------- */

static double probing_tick(struct workbench *wb, double now)
{
    struct probing *p = probing_of(wb);
    bool goes_on = p->goes_on;
    struct ca_error error;

    (void)now;
    if (p->phase == PROBING_CLOSED)
        return -1;
    if (!list_is_open(wb, &probing_source)) {
        probing_end(wb);
        wb->dirty = true;
        if (goes_on)
            go_run(wb);
    } else if (p->phase == PROBING_WAITS && go_idle(wb)) {
        wb->dirty = true;
        if (client_start(wb, &p->client, p->host, &error)) {
            p->phase = PROBING_RUNS;
            ca_client_ask(p->client, &p->request, "probe", NULL, probe_taken, wb);
        } else {
            probing_fail(wb, error.text);
        }
    }
    return -1;
}

void probing_open(struct workbench *wb)
{
    struct probing *p = probing_of(wb);

    probing_end(wb);
    p->goes_on = go_pause(wb);
    memcpy(p->host, wb->pane->host, sizeof p->host);
    p->phase = PROBING_WAITS;
    list_open(wb, &probing_source);
}

/* --- the list --------------------------------------------------------------------------------- */

static void probing_fill(struct workbench *wb)
{
    static const enum ca_gpu_rate shown[] = {CA_GPU_COPY, CA_GPU_L2_COPY, CA_GPU_LOGIC};
    const struct probing *p = probing_of(wb);
    const struct ca_probe *probe = &p->probe;

    if (p->why[0])
        list_add(0, "%s", p->why);
    else if (p->phase == PROBING_RUNS)
        list_add(0, "measuring %s, figure %d; nothing else runs meanwhile",
                 p->what[0] ? p->what : "...", p->done + 1);
    else if (p->phase != PROBING_DONE)
        list_add(0, "waiting until the panes are at rest");
    if (p->phase != PROBING_DONE || p->why[0])
        return;
    list_add(0, "%s", probe->cpu);
    list_add(0, "%-12s %9s %9s", "", "1 thread", "all");
    for (int i = 0; i < CA_LEVELS; i++)
        list_add(0, "%-12s %9.1f %9.1f GB/s", ca_level_names[i],
                 fmax(probe->level[i].copy_gb[0], probe->level[i].stream_gb[0]),
                 fmax(probe->level[i].copy_gb[1], probe->level[i].stream_gb[1]));
    list_add(0, "%-12s %9.1f %9.1f 10^9/s", "64-bit logic", probe->logic_gops[0],
             probe->logic_gops[1]);
    for (const struct ca_gpu_probe *gpu = probe->gpu; gpu < probe->gpu + probe->gpus; gpu++) {
        list_add(0, "%s%s", gpu->name, gpu->emulated ? ": " CA_NOT_A_SPEED : "");
        for (size_t i = 0; !gpu->emulated && i < sizeof shown / sizeof *shown; i++)
            list_add(0, "%10.1f %s: %s", gpu->rate[shown[i]], ca_gpu_rates[shown[i]].unit,
                     ca_gpu_rates[shown[i]].help);
    }
    if (probe->others[0])
        list_add(0, "disturbed: %s meanwhile", probe->others);
    list_add(0, "%s", p->kept);
}

static void probing_stop(struct workbench *wb)
{
    probing_of(wb)->goes_on = false;
    probing_fail(wb, "stopped: the ceilings are those from before");
}

static bool probing_is_under_way(const struct workbench *wb)
{
    return probing_of(wb)->phase != PROBING_DONE;
}

static const struct list_source probing_source = {
    .title = "probe: what this machine can do at most",
    .fill = probing_fill,
    .keys = {
        {REQUEST_INTERRUPT, "stop", probing_stop, probing_is_under_way},
        {REQUEST_LIST_CLOSE, "back"},
    }};

/* The run that it paused stays so. */
static void probing_interrupt(struct workbench *wb) { probing_of(wb)->goes_on = false; }

const struct part probing_part = {.name = "probe",
                                  .state_bytes = sizeof(struct probing),
                                  .tick = probing_tick,
                                  .poll = probing_poll,
                                  .serve = probing_serve,
                                  .interrupt = probing_interrupt,
                                  .is_alone = probing_measures,
                                  .end = probing_end,
                                  .actions = {{REQUEST_PROBE, probing_open}}};
