/* SPDX-License-Identifier: MIT */
/* This file answers the requests that take long and need no simulation: `bench`, the ladder of an
 * experiment timed and checked, `verify`, backends against the reference, and `probe`, the ceilings
 * of the machine. Between two calls of a kernel they tell how far they have come, and see to it
 * that "stop" is heard. */
#include "core/engine/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/bench/choose.h"
#include "core/bench/tune.h"
#include "core/engine/bench_json.h"
#include "core/engine/experiment_json.h"
#include "core/engine/verify_json.h"
#include "core/model/backend_glob.h"
#include "core/probe/probe.h"

#define EVENT_S 0.1 /* between two events, but for those that say something new */
#define RESULTS_MAX 64

/* --- both ------------------------------------------------------------------------------------- */

static void trials_begin(struct ca_engine *engine)
{
    ca_engine_end_run(engine);
    engine->trial = true;
    engine->halt = engine->stopping; /* it waited behind what was stopped */
}

static void trials_end(struct ca_engine *engine, json_t *answer)
{
    json_object_set_new(answer, "stopped", json_boolean(engine->halt));
    engine->trial = engine->halt = false;
}

/* "backends" of the request, checked; "": all. */
static enum ca_status read_backends(const json_t *request, const struct ca_model *model,
                                    const char **backends, struct ca_error *error)
{
    const struct ca_model *const models[] = {model, NULL};

    *backends = "";
    CA_TRY(ca_request_text(request, "backends", backends, error));
    return (*backends)[0] ? ca_backend_glob_check(*backends, models, "backends", error) : CA_OK;
}

/* --- bench ------------------------------------------------------------------------------------ */

struct timing {
    struct ca_engine *engine;
    const struct ca_bench_report *report;
    char what[64]; /* of the last event with lines, and its time */
    double sent;
};

static void set_positive(json_t *json, const char *key, double value)
{
    if (value > 0 && isfinite(value))
        json_object_set_new(json, key, json_real(value));
}

static const char *state_of(const struct ca_bench_line *line)
{
    return !line->available   ? line->reason[0] ? "absent" : "waiting"
           : line->wrong > 0  ? "wrong"
           : line->wrong == 0 ? "right"
                              : "timing";
}

/* {"backend":…,"state":…} with what is known of the rest. */
static json_t *line_json(const struct ca_bench_report *report, const struct ca_bench_line *line)
{
    const struct ca_bench *bench = report->bench;
    struct ca_bench_stats stats = ca_bench_stats(line->sample, line->stats.n);
    double work = (double)ca_cells(line->experiment.size) * (double)line->experiment.steps;
    int calls = ca_bench_calls(bench, line);
    json_t *json = json_pack("{s:s, s:s, s:i}", "backend", line->experiment.backend->name, "state",
                             state_of(line), "calls", line->made);
    char bound[32], others[CA_DISTURBANCE_TEXT];

    if (!line->available) {
        json_object_set_new(json, "reason", ca_json_text(line->reason));
        return json;
    }
    if (calls > 0)
        json_object_set_new(json, "of", json_integer(calls));
    if (calls > line->made)
        set_positive(json, "left_s", (calls - line->made) * line->seconds / line->made);
    if (line->emulated)
        json_object_set_new(json, "emulated", json_true());
    else if (stats.n > 0 && line->wrong <= 0)
        set_positive(json, "rate", work / stats.median);
    if (!line->emulated)
        set_positive(json, "error", ca_bench_repeat_error(&stats, line->unsure));
    set_positive(json, "to_reference", ca_bench_to_reference(bench, line));
    set_positive(json, "to_before", ca_bench_to_before(bench, line));
    json_object_set_new(json, "bound", json_string(ca_bench_bound(bound, report, line)));
    json_object_set_new(json, "checked", ca_json_text(line->checked));
    if (line->wrong > 0)
        json_object_set_new(json, "wrong", json_integer(line->wrong));
    if (line->unsure)
        json_object_set_new(json, "unsure", json_true());
    if (line->made > 0)
        json_object_set_new(json, "others",
                            json_string(ca_disturbance_text(others, &line->disturbance)));
    if (line->partial)
        json_object_set_new(json, "partial", json_true());
    return json;
}

static json_t *lines_json(const struct ca_bench_report *report)
{
    json_t *lines = json_array();

    for (int i = 0; i < report->bench->count; i++)
        json_array_append_new(lines, line_json(report, &report->bench->line[i]));
    return lines;
}

/* Each call and each check is told, because a crash shows whose it was; the lines now and then. */
static bool bench_progress(void *context, const struct ca_bench *bench,
                           const struct ca_bench_line *line, const char *what)
{
    struct timing *timing = context;
    double now = ca_now();
    json_t *event = json_pack(
        "{s:s, s:s, s:s, s:s, s:f}", "event", ca_event_names[CA_EVENT_PROGRESS], "of", "bench",
        "backend", line->experiment.backend->name, "what", what, "left_s", ca_bench_left(bench));

    if (strcmp(what, timing->what) != 0 || now - timing->sent >= EVENT_S) {
        json_object_set_new(event, "lines", lines_json(timing->report));
        snprintf(timing->what, sizeof timing->what, "%s", what);
        timing->sent = now;
    }
    return ca_engine_attend(timing->engine, event);
}

static enum ca_status read_bench(struct ca_bench *bench, const json_t *request,
                                 struct ca_error *error)
{
    struct ca_experiment experiment;
    const char *backends;

    CA_TRY(ca_request_required(request, "model", error));
    CA_TRY(ca_experiment_from_json(&experiment, request, error));
    CA_TRY(read_backends(request, experiment.model, &backends, error));
    CA_TRY(ca_request_real(request, "seconds", 0, 86400, &bench->time_s, error));
    CA_TRY(ca_request_real(request, "error", 0, 1, &bench->error, error));
    CA_TRY(ca_request_real(request, "check_s", 0, 86400, &bench->check_s, error));
    return ca_bench_add_ladder(bench, &experiment, backends, error);
}

static enum ca_status run_bench(struct ca_engine *engine, struct ca_bench *bench,
                                struct ca_bench_report *report, json_t *answer,
                                struct ca_error *error)
{
    struct timing timing = {.engine = engine, .report = report};
    enum ca_status status;

    /* Backends that cannot run at all have their reason before the first call. */
    for (int i = 0; i < bench->count; i++) {
        struct ca_bench_line *line = &bench->line[i];
        struct ca_error why;

        if (ca_backend_available(line->experiment.backend, &why) != CA_OK)
            snprintf(line->reason, sizeof line->reason, "%.255s", why.text);
    }
    ca_bench_report_begin(report, bench);
    trials_begin(engine);
    status = engine->halt ? CA_TIMEOUT : ca_bench_run(bench, bench_progress, &timing, error);
    ca_tuned_keep_lines(bench);
    trials_end(engine, answer);
    if (status != CA_OK && status != CA_TIMEOUT)
        return status;
    ca_bench_report_gpus(report);
    json_object_set_new(answer, "lines", lines_json(report));
    if (status == CA_TIMEOUT) {
        int planned = bench->count;

        ca_bench_keep_finished(bench);
        snprintf(report->ended, sizeof report->ended, "stopped; %d of %d lines are finished",
                 bench->count, planned);
    }
    json_object_set_new(answer, "report", ca_bench_to_json(report));
    return CA_OK;
}

enum ca_status ca_engine_bench(struct ca_engine *engine, const json_t *request, json_t *answer,
                               struct ca_error *error)
{
    struct ca_bench_report report = {.bench = NULL};
    struct ca_bench bench;
    enum ca_status status;

    ca_bench_default(&bench);
    bench.tuned = true;
    status = read_bench(&bench, request, error);
    if (status == CA_OK)
        status = run_bench(engine, &bench, &report, answer, error);
    ca_bench_free(&bench);
    return status;
}

/* --- verify ----------------------------------------------------------------------------------- */

struct verification {
    struct ca_engine *engine;
    const struct ca_model *model;
    const struct ca_verify_choice *choice;
    struct ca_verify_result *result;
    int count;
    double sent;
};

static json_t *results_json(const struct verification *v)
{
    json_t *list = json_array();

    for (int i = 0; i < v->count; i++)
        json_array_append_new(list, ca_verify_to_json(v->model, &v->result[i], v->choice));
    return list;
}

/* Each backend is named before it runs, because a crash then shows which one it was. */
static bool verify_progress(void *context, const struct ca_backend *backend, int done, int all)
{
    struct verification *v = context;
    double now = ca_now();
    json_t *event =
        json_pack("{s:s, s:s, s:s, s:i, s:i}", "event", ca_event_names[CA_EVENT_PROGRESS], "of",
                  "verify", "backend", backend->name, "done", done, "cases", all);

    if (now - v->sent >= EVENT_S) {
        json_object_set_new(event, "results", results_json(v));
        v->sent = now;
    }
    return ca_engine_attend(v->engine, event);
}

static enum ca_status run_verify(struct verification *v, const char *backends, json_t *answer,
                                 struct ca_error *error)
{
    enum ca_status status = CA_OK;

    trials_begin(v->engine);
    for (const struct ca_backend *b = v->model->backends;
         b && v->count < RESULTS_MAX && !v->engine->halt; b = ca_backend_next(v->model, b))
        if (backends[0] ? ca_backend_glob(backends, b->name) : b != v->model->backends)
            v->result[v->count++].backend = b;
    if (v->count > 0)
        status =
            ca_verify_model(v->model, v->result, v->count, v->choice, verify_progress, v, error);
    trials_end(v->engine, answer);
    json_object_set_new(answer, "results", results_json(v));
    return status;
}

enum ca_status ca_engine_verify(struct ca_engine *engine, const json_t *request, json_t *answer,
                                struct ca_error *error)
{
    struct ca_verify_choice choice = {.seed = 1};
    struct verification v = {.engine = engine, .choice = &choice};
    const char *backends;
    int64_t cases = 0, seed = 1;
    enum ca_status status;

    CA_TRY(ca_request_required(request, "model", error));
    CA_TRY(ca_model_from_json(&v.model, request, error));
    CA_TRY(read_backends(request, v.model, &backends, error));
    CA_TRY(ca_request_int(request, "cases", 0, 1000000, &cases, error));
    CA_TRY(ca_request_int(request, "seed", 0, INT64_MAX, &seed, error));
    CA_TRY(ca_request_bool(request, "small", &choice.small, error));
    choice.seed = (uint64_t)seed;
    choice.count = (int)cases;
    v.result = calloc(RESULTS_MAX, sizeof *v.result);
    if (!v.result)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    status = run_verify(&v, backends, answer, error);
    free(v.result);
    return status;
}

/* --- probe ------------------------------------------------------------------------------------ */

struct probing {
    struct ca_engine *engine;
    int done; /* figures */
};

static void probe_progress(void *context, const char *what)
{
    struct probing *probing = context;

    ca_engine_attend(probing->engine,
                     json_pack("{s:s, s:s, s:s, s:i}", "event", ca_event_names[CA_EVENT_PROGRESS],
                               "of", "probe", "what", what, "done", probing->done++));
}

/* A cache file that cannot be written costs no figure: the reply says why it was not. */
enum ca_status ca_engine_probe(struct ca_engine *engine, const json_t *request, json_t *answer,
                               struct ca_error *error)
{
    struct probing probing = {.engine = engine};
    const char *path = ca_probe_path();
    enum ca_status status, kept;
    struct ca_probe probe;
    struct ca_error why;
    bool stopped;

    (void)request;
    trials_begin(engine);
    status = ca_probe_measure(&probe, probe_progress, &probing, error);
    stopped = engine->halt;
    trials_end(engine, answer);
    if (status != CA_OK || stopped)
        return status;
    kept = path[0] ? ca_probe_keep(&probe, path, &why)
                   : ca_fail(&why, CA_IO, "neither XDG_CACHE_HOME nor HOME is set");
    json_object_set_new(answer, "ceilings", ca_probe_to_json(&probe));
    if (kept == CA_OK)
        json_object_set_new(answer, "file", ca_json_text(path));
    else
        json_object_set_new(answer, "not_kept", ca_json_text(why.text));
    return CA_OK;
}
