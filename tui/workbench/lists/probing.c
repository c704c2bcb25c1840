/* SPDX-License-Identifier: MIT */
/* The probe on the screen: its engine, its progress and the ceilings that it has found. */
#include "tui/workbench/lists/probing.h"

#include <string.h>

#include "core/engine/client.h"
#include "core/engine/wire.h"
#include "core/probe/probe.h"
#include "tui/workbench/base/dialog.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/device_facts.h"
#include "tui/workbench/engine/frame.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session_facts.h"
#include "tui/workbench/engine/view.h"

#define PROBING_ROWS 40

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

/* The engines of the panes read the ceilings anew, and send figures with them. */
static void panes_renew(struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        if (session_has_run(&wb->panes[i])) {
            device_renew(&wb->panes[i]);
            session_view(&wb->panes[i]);
        }
}

static void probe_taken(struct ca_request *request, const struct ca_message *reply,
                        const struct ca_error *refusal)
{
    struct workbench *wb = request->to;
    struct probing *p = probing_of(wb);
    const json_t *json = reply->json;
    const char *file = ca_wire_text(json, "file");

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
        snprintf(p->kept, sizeof p->kept, "not kept: %.480s", ca_wire_text(json, "not_kept"));
    if (file[0])
        panes_renew(wb);
}

static void probing_begin(struct workbench *wb)
{
    struct probing *p = probing_of(wb);
    struct ca_error error;

    wb->dirty = true;
    if (!client_start(wb, &p->client, p->host, &error)) {
        probing_fail(wb, error.text);
        return;
    }
    p->phase = PROBING_RUNS;
    ca_client_ask(p->client, &p->request, "probe", NULL, probe_taken, wb);
}

static void probe_progressed(void *to, const struct ca_message *event)
{
    struct workbench *wb = to;
    struct probing *p = probing_of(wb);

    if (ca_wire_event(event->json) != CA_EVENT_PROGRESS)
        return;
    snprintf(p->what, sizeof p->what, "%s", ca_wire_text(event->json, "what"));
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

    (void)now;
    if (p->phase == PROBING_CLOSED)
        return -1;
    if (!list_is_open(wb, &probing_source)) {
        probing_end(wb);
        wb->dirty = true;
        if (goes_on)
            go_run(wb);
    } else if (p->phase == PROBING_WAITS && go_idle(wb)) {
        probing_begin(wb);
    }
    return -1;
}

void probing_open(struct workbench *wb)
{
    struct probing *p = probing_of(wb);

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
    const struct probing *p = probing_of(wb);
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

static void probing_stop(struct workbench *wb)
{
    probing_of(wb)->goes_on = false;
    probing_fail(wb, "stopped: the ceilings are those from before");
}

static bool probing_is_under_way(const struct workbench *wb)
{
    return probing_of(wb)->phase != PROBING_DONE;
}

static const struct list_key probing_keys[] = {
    {REQUEST_INTERRUPT, "stop", probing_stop, probing_is_under_way},
    {REQUEST_LIST_CLOSE, "back"},
    {REQUEST_NONE},
};

static const struct list_source probing_source = {.title =
                                                      "probe: what this machine can do at most",
                                                  .count = probing_rows,
                                                  .row = probing_row,
                                                  .keys = probing_keys};

/* The run that it paused stays so. */
static void probing_interrupt(struct workbench *wb) { probing_of(wb)->goes_on = false; }

static const struct part_action probing_actions[] = {
    {REQUEST_PROBE, probing_open},
    {REQUEST_NONE, NULL},
};

const struct part probing_part = {.name = "probe",
                                  .state_bytes = sizeof(struct probing),
                                  .tick = probing_tick,
                                  .poll = probing_poll,
                                  .serve = probing_serve,
                                  .interrupt = probing_interrupt,
                                  .is_alone = probing_measures,
                                  .end = probing_end,
                                  .actions = probing_actions};
