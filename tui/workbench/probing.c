/* SPDX-License-Identifier: MIT */
/* The probe on the screen: its engine, its progress and the ceilings that it has found. */
#include "tui/workbench/probing.h"

#include <string.h>

#include "tui/workbench/app.h"

bool probing_measures(const struct workbench *wb) { return wb->probing.phase == PROBING_RUNS; }

/* It is killed, because it hears a request between two figures only. */
static void engine_stop(struct probing *p)
{
    if (p->client && p->phase == PROBING_RUNS)
        ca_client_kill(p->client);
    ca_client_close(p->client);
    p->client = NULL;
}

void probing_end(struct workbench *wb)
{
    engine_stop(&wb->probing);
    wb->probing = (struct probing){.phase = PROBING_CLOSED};
}

static void fail(struct workbench *wb, const char *why)
{
    struct probing *p = &wb->probing;

    engine_stop(p);
    snprintf(p->why, sizeof p->why, "%.500s", why);
    p->phase = PROBING_DONE;
    wb->dirty = true;
}

/* --- what comes ------------------------------------------------------------------------------- */

/* The engines of the panes read the ceilings anew, and send figures with them. */
static void panes_renew(struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        if (wb->panes[i].session.open) {
            device_renew(&wb->panes[i]);
            session_view(&wb->panes[i]);
        }
}

static void probe_taken(struct ca_request *request, const struct ca_message *reply,
                        const struct ca_error *refusal)
{
    struct workbench *wb = request->to;
    struct probing *p = &wb->probing;
    const json_t *json = reply->json;
    const char *file = ca_wire_text(json, "file");

    if (refusal) {
        fail(wb, refusal->text);
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
        snprintf(p->kept, sizeof p->kept, "not kept: %.480s", ca_wire_text(json, "not_kept"));
    if (file[0])
        panes_renew(wb);
}

static void begin(struct workbench *wb)
{
    struct probing *p = &wb->probing;
    struct ca_error error;

    wb->dirty = true;
    if (!client_start(wb, &p->client, p->host, &error)) {
        fail(wb, error.text);
        return;
    }
    p->phase = PROBING_RUNS;
    ca_client_ask(p->client, &p->request, "probe", NULL, probe_taken, wb);
}

static void probe_progressed(void *to, const struct ca_message *event)
{
    struct workbench *wb = to;
    struct probing *p = &wb->probing;

    if (ca_wire_event(event->json) != CA_EVENT_PROGRESS)
        return;
    snprintf(p->what, sizeof p->what, "%s", ca_wire_text(event->json, "what"));
    p->done = (int)json_integer_value(json_object_get(event->json, "done"));
    wb->dirty = true;
}

void probing_serve(struct workbench *wb)
{
    struct ca_error error;

    if (!ca_client_serve(&wb->probing.client, probe_progressed, wb, &error))
        fail(wb, error.text);
}

int probing_poll(const struct workbench *wb, struct pollfd fds[PROBING_FDS])
{
    return client_poll(wb->probing.client, fds);
}

/* --- opening, closing ------------------------------------------------------------------------- */

void probing_tick(struct workbench *wb)
{
    struct probing *p = &wb->probing;
    bool goes_on = p->goes_on;

    if (p->phase == PROBING_CLOSED)
        return;
    if (!list_is_open(wb, &probing_source)) {
        probing_end(wb);
        wb->dirty = true;
        if (goes_on)
            go_run(wb);
    } else if (p->phase == PROBING_WAITS && go_idle(wb)) {
        begin(wb);
    }
}

void probing_open(struct workbench *wb)
{
    struct probing *p = &wb->probing;

    probing_end(wb);
    p->goes_on = go_runs(wb);
    memcpy(p->host, wb->pane->host, sizeof p->host);
    if (p->goes_on)
        go_stop(wb);
    p->phase = PROBING_WAITS;
    list_open(wb, &probing_source);
}

/* --- the list --------------------------------------------------------------------------------- */

static char rows[PROBING_ROWS][256];

static void add_row(int *count, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_row(int *count, const char *format, ...)
{
    va_list list;

    if (*count == PROBING_ROWS)
        return;
    va_start(list, format);
    vsnprintf(rows[(*count)++], sizeof rows[0], format, list);
    va_end(list);
}

static double larger(double a, double b) { return a > b ? a : b; }

static void add_gpu(int *count, const struct ca_gpu_probe *gpu)
{
    static const enum ca_gpu_rate shown[] = {CA_GPU_COPY, CA_GPU_L2_COPY, CA_GPU_LOGIC};

    add_row(count, "%s%s", gpu->name, gpu->emulated ? ": " CA_NOT_A_SPEED : "");
    for (size_t i = 0; !gpu->emulated && i < sizeof shown / sizeof *shown; i++)
        add_row(count, "%10.1f %s: %s", gpu->rate[shown[i]], ca_gpu_rates[shown[i]].unit,
                ca_gpu_rates[shown[i]].help);
}

static int ceilings_rows(const struct probing *p)
{
    const struct ca_probe *probe = &p->probe;
    int count = 0;

    add_row(&count, "%s", probe->cpu);
    add_row(&count, "%-12s %9s %9s", "", "1 thread", "all");
    for (int i = 0; i < CA_LEVELS; i++)
        add_row(&count, "%-12s %9.1f %9.1f GB/s", ca_level_names[i],
                larger(probe->level[i].copy_gb[0], probe->level[i].stream_gb[0]),
                larger(probe->level[i].copy_gb[1], probe->level[i].stream_gb[1]));
    add_row(&count, "%-12s %9.1f %9.1f 10^9/s", "64-bit logic", probe->logic_gops[0],
            probe->logic_gops[1]);
    for (int i = 0; i < probe->gpus; i++)
        add_gpu(&count, &probe->gpu[i]);
    if (probe->others[0])
        add_row(&count, "disturbed: %s meanwhile", probe->others);
    add_row(&count, "%s", p->kept);
    return count;
}

static int probing_rows(struct workbench *wb)
{
    const struct probing *p = &wb->probing;
    int count = 0;

    if (p->phase == PROBING_DONE && !p->why[0])
        return ceilings_rows(p);
    if (p->why[0])
        add_row(&count, "%s", p->why);
    else if (p->phase == PROBING_RUNS)
        add_row(&count, "measuring %s, figure %d; nothing else runs meanwhile",
                p->what[0] ? p->what : "...", p->done + 1);
    else
        add_row(&count, "waiting until the panes are at rest");
    return count;
}

static void probing_row(struct workbench *wb, int index, struct list_row *row)
{
    probing_rows(wb);
    snprintf(row->text, sizeof row->text, "%s", rows[index]);
}

static bool probing_key(struct workbench *wb, enum request request)
{
    struct probing *p = &wb->probing;

    if (request != REQUEST_INTERRUPT || p->phase == PROBING_DONE)
        return false;
    p->goes_on = false;
    fail(wb, "stopped: the ceilings are those from before");
    return true;
}

const struct list_source probing_source = {.title = "probe: what this machine can do at most",
                                           .count = probing_rows,
                                           .row = probing_row,
                                           .key = probing_key};
