/* SPDX-License-Identifier: MIT */
/* This file writes a benchmark as JSON, which compare reads. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "core/bench/scaling.h"
#include "core/engine/bench_json.h"
#include "core/engine/experiment_json.h"
#include "core/engine/interference_json.h"

static json_t *provenance(const struct ca_bench_report *r)
{
    const struct ca_provenance *p = &r->provenance;

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:s}", "version", p->version,
                     "date", p->date, "host", p->host, "kernel", p->kernel, "cpu", p->cpu, "cores",
                     p->cores, "governor", p->governor, "isa", ca_isa_names[p->isa], "compiler",
                     p->compiler, "flags", p->flags);
}

static json_t *known(struct ca_fact fact)
{
    return fact.known ? json_real(fact.value) : json_null();
}

static json_t *with_gpus(json_t *json, const struct ca_provenance *p)
{
    json_t *list;

    if (p->gpus == 0)
        return json;
    list = json_array();
    for (int i = 0; i < p->gpus; i++) {
        const struct ca_device *gpu = &p->gpu[i];

        json_array_append_new(
            list,
            json_pack("{s:i, s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "index", gpu->index,
                      "name", gpu->name, "multiprocessors", gpu->cores, "compute_major",
                      gpu->compute_major, "compute_minor", gpu->compute_minor, "clock_mhz",
                      known(gpu->clock_mhz), "memory_clock_mhz", known(gpu->memory_clock_mhz),
                      "memory_bytes", known(gpu->memory_bytes), "power_limit_w",
                      known(gpu->power_limit_w), "ecc",
                      gpu->ecc.known ? json_boolean(gpu->ecc.value > 0) : json_null()));
    }
    json_object_set_new(json, "gpus", list);
    json_object_set_new(json, "driver", p->driver[0] ? json_string(p->driver) : json_null());
    json_object_set_new(json, "driver_cuda", json_string(p->driver_cuda));
    json_object_set_new(json, "runtime_cuda", json_string(p->runtime_cuda));
    return json;
}

static json_t *ceilings(const struct ca_bench_report *r)
{
    json_t *json;

    if (!r->probed)
        return json_null();
    json = json_pack("{s:s, s:f, s:f}", "date", r->probe.date, "memory_copy_gb_per_s",
                     ca_probe_copy(&r->probe, 1e15, 0, NULL), "logic_gops_per_s",
                     ca_probe_logic(&r->probe, 0));
    if (json && r->probe.others[0])
        json_object_set_new(json, "others", json_string(r->probe.others));
    return json;
}

static void set_known(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, value > 0 ? json_real(value) : json_null());
}

static void add_figures(json_t *json, const struct ca_bench_report *r,
                        const struct ca_bench_line *l)
{
    json_t *samples = json_array();
    char bound[32];
    json_t *calls;

    for (int i = 0; i < l->stats.n; i++)
        json_array_append_new(samples, json_real(l->sample[i]));
    set_known(json, "loop_per_s", l->speed);
    json_object_set_new(json, "unsure", json_boolean(l->unsure));
    json_object_set_new(json, "interference", ca_disturbance_to_json(&l->disturbance));
    /* Each call in its order, with what others did during it. */
    calls = json_array();
    for (int i = 0; i < l->made; i++) {
        const struct ca_bench_call *call = &l->call[i];

        json_array_append_new(calls, json_pack("{s:f, s:f, s:o, s:o, s:s}", "seconds",
                                               call->seconds, "loop_per_s", call->speed, "waited",
                                               known(call->waited), "others", known(call->others),
                                               "state", ca_quiet_names[call->quiet]));
    }
    json_object_set_new(json, "calls", calls);
    json_object_set_new(json, "median_s", json_real(l->stats.median));
    json_object_set_new(json, "mad_s", json_real(l->stats.mad));
    json_object_set_new(json, "min_s", json_real(l->stats.min));
    json_object_set_new(json, "max_s", json_real(l->stats.max));
    json_object_set_new(json, "samples_s", samples);
    json_object_set_new(json, "device_s", json_real(l->device_stats.median));
    set_known(json, "ms_per_generation", ca_bench_generation_s(l) * 1e3);
    json_object_set_new(json, "fits_30_per_s", json_boolean(ca_bench_fits(l, 30)));
    json_object_set_new(json, "fits_60_per_s", json_boolean(ca_bench_fits(l, 60)));
    set_known(json, "cells_per_s", ca_bench_mups(l) * 1e6);
    set_known(json, "mups", ca_bench_mups(l));
    set_known(json, "gb_per_s", ca_bench_gb(l));
    set_known(json, "copy_percent", ca_bench_copy_percent(r, l));
    set_known(json, "logic_percent", ca_bench_logic_percent(r, l));
    set_known(json, "launch_percent", ca_bench_launch_percent(r, l));
    json_object_set_new(json, "bound", json_string(ca_bench_bound(bound, r, l)));
    set_known(json, "to_reference", ca_bench_to_reference(r->bench, l));
    set_known(json, "to_before", ca_bench_to_before(r->bench, l));
    set_known(json, "to_first", ca_bench_to_first(r->bench, l));
    set_known(json, "joules", l->joules);
    set_known(json, "watts", ca_bench_watts(r, l));
    json_object_set_new(json, "watts_counted", json_boolean(ca_bench_watts_counted(l)));
    set_known(json, "price_per_mups", ca_bench_price_per_mups(r, l));
    set_known(json, "watts_per_mups", ca_bench_watts_per_mups(r, l));
    set_known(json, "relative_cost", ca_bench_relative_cost(r, l));
    set_known(json, "relative_power", ca_bench_relative_power(r, l));
}

static void set_number(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, isnan(value) ? json_null() : json_real(value));
}

/* How the line was cut and, in a study of scaling, what follows from it. */
static void add_cut(json_t *json, const struct ca_bench *bench, const struct ca_bench_line *l)
{
    struct ca_bench_scaling s;

    if (l->study < 0)
        return;
    json_object_set_new(json, "ranks", json_integer(l->ranks));
    if (bench->scaling == CA_SCALING_NONE)
        return;
    json_object_set_new(json, "study", json_integer(l->study));
    json_object_set_new(json, "share", json_boolean(l->share));
    if (l->share)
        return;
    s = ca_bench_scaling(bench, l);
    set_known(json, "to_first_cut", s.times.times);
    set_known(json, "efficiency", s.efficiency);
    set_known(json, "ceiling_mups", s.ceiling_mups);
    set_number(json, "halo_predicted_s", s.predicted_s);
    set_number(json, "halo_hidden_s", s.hidden_s);
    set_number(json, "halo_exposed_s", s.exposed_s);
    set_number(json, "waited_s", s.waited_s);
}

json_t *ca_bench_line_json(const struct ca_bench_report *r, const struct ca_bench_line *l)
{
    json_t *json =
        json_pack("{s:s, s:o, s:i, s:I, s:i, s:b}", "label", l->label, "experiment",
                  ca_experiment_to_json(&l->experiment), "threads", l->threads, "steps",
                  (json_int_t)l->experiment.steps, "n", l->stats.n, "available", l->available);
    char hash[17];

    set_known(json, "price", ca_bench_price(r, l));
    set_known(json, "cores", l->machine.cores);
    add_cut(json, r->bench, l);
    if (!l->available) {
        json_object_set_new(json, "reason", json_string(l->reason));
        return json;
    }
    snprintf(hash, sizeof hash, "%016" PRIx64, l->hash);
    json_object_set_new(json, "report", ca_plan_to_json(&l->plan));
    set_known(json, "predicted_s", l->predicted_s);
    json_object_set_new(json, "wrong", l->wrong < 0 ? json_null() : json_integer(l->wrong));
    json_object_set_new(json, "checked", json_string(l->checked));
    json_object_set_new(json, "hash", l->hash ? json_string(hash) : json_null());
    if (l->partial)
        json_object_set_new(json, "partial", json_true());
    if (l->emulated)
        json_object_set_new(json, "emulated", json_true());
    if (ca_bench_good(l))
        add_figures(json, r, l);
    return json;
}

static json_t *summary(const struct ca_bench *bench)
{
    json_t *sentences = json_array();

    for (int study = 0; study < bench->studies && bench->scaling != CA_SCALING_NONE; study++) {
        char text[1000];

        json_array_append_new(
            sentences, json_string(ca_bench_scaling_sentence(text, sizeof text, bench, study)));
    }
    if (bench->scaling != CA_SCALING_NONE)
        return sentences;

    for (int group = 0; group < bench->groups; group++) {
        char text[1000];
        int i = 0;

        while (i < bench->count && bench->line[i].group != group)
            i++;
        if (i < bench->count)
            json_array_append_new(sentences,
                                  json_string(ca_bench_sentence(text, sizeof text, bench, group)));
    }
    return sentences;
}

json_t *ca_bench_to_json(const struct ca_bench_report *report)
{
    json_t *lines = json_array(), *root;

    for (int i = 0; i < report->bench->count; i++)
        json_array_append_new(lines, ca_bench_line_json(report, &report->bench->line[i]));
    root = json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", CA_BENCH_SCHEMA, "provenance",
                     with_gpus(provenance(report), &report->provenance), "ceilings",
                     ceilings(report), "lines", lines, "summary", summary(report->bench));
    if (root && report->bench->scaling != CA_SCALING_NONE)
        json_object_set_new(root, "scaling", json_string(ca_scaling_names[report->bench->scaling]));
    if (root && report->bench->relative[0])
        json_object_set_new(root, "relative", json_string(report->bench->relative));
    if (root && report->ended[0])
        json_object_set_new(root, "incomplete", json_string(report->ended));
    return root;
}
