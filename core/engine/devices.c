/* SPDX-License-Identifier: MIT */
/* This file describes devices for the protocol, and computes the energy per cell update. */
#include "core/engine/experiment_json.h"
#include "core/machine/cuda.h"
#include "core/engine/state.h"
#include "core/probe/probe.h"
#include "core/base/clock.h"

#define WINDOW_S 0.5 /* the shortest, because energy counters advance in steps */

json_t *ca_engine_cuda(void)
{
    json_t *cuda = json_pack("{s:b}", "built", CALAB_CUDA);
    char text[16];

    if (ca_cuda_runtime())
        json_object_set_new(cuda, "runtime", json_string(ca_cuda_version(text, ca_cuda_runtime())));
    return cuda;
}

void ca_engine_devices(json_t *answer)
{
    json_t *cuda = ca_engine_cuda(), *list = json_array();
    struct ca_device device;
    struct ca_error error;
    char text[16];

    ca_device_cpu(&device);
    json_array_append_new(list, ca_wire_device(&device));
    if (ca_cuda_driver())
        json_object_set_new(cuda, "driver", json_string(ca_cuda_version(text, ca_cuda_driver())));
    if (ca_needs_cuda(&error) != CA_OK)
        json_object_set_new(cuda, "reason", json_string(error.text));
    for (int i = 0; i < ca_cuda_devices(); i++)
        if (ca_device_gpu(i, &device, &error) == CA_OK)
            json_array_append_new(list, ca_wire_device(&device));
    json_object_set_new(answer, "devices", list);
    json_object_set_new(answer, "cuda", cuda);
}

/* Updates the energy per 10^9 cell updates from two readings while the engine steps. The figure is
 * kept until the state or the backend is replaced. */
static void take_energy(struct ca_engine *engine, struct ca_fact energy)
{
    const struct ca_timing *timing = ca_simulation_timing(engine->simulation);
    double cells = (double)ca_cells(ca_simulation_setup(engine->simulation)->size);
    double updates = cells * (double)timing->generations, now = ca_now();

    if (!energy.known || !ca_engine_stepping(engine))
        return;
    if (engine->window.begun && now - engine->window.since_s < WINDOW_S)
        return;
    if (engine->window.begun && updates > engine->window.updates) {
        engine->joules.known = true;
        engine->joules.value =
            1e9 * (energy.value - engine->window.joules) / (updates - engine->window.updates);
    }
    engine->window.begun = true;
    engine->window.since_s = now;
    engine->window.joules = energy.value;
    engine->window.updates = updates;
}

void ca_engine_ceilings(struct ca_engine *engine)
{
    const struct ca_experiment *experiment = ca_simulation_experiment(engine->simulation);
    struct ca_ceilings ceilings = {0};
    struct ca_probe probe;
    struct ca_error ignored;
    struct ca_plan plan;

    ca_simulation_report(engine->simulation, &plan);
    engine->ceilings_others[0] = '\0';
    if (ca_probe_read(&probe, ca_probe_path(), &ignored) == CA_OK) {
        ceilings = ca_probe_ceilings(&probe, experiment, &plan);
        snprintf(engine->ceilings_others, sizeof engine->ceilings_others, "%s", probe.others);
    }
    engine->copy_gb = (struct ca_fact){ceilings.copy_gb > 0, ceilings.copy_gb};
    engine->logic_gops = (struct ca_fact){ceilings.gops > 0, ceilings.gops};
}

json_t *ca_engine_device(struct ca_engine *engine)
{
    const struct ca_experiment *experiment;
    struct ca_device device[CA_RANKS_MAX];
    struct ca_fact energy;
    json_t *json, *each;
    int count;

    if (!engine->simulation) {
        ca_device_cpu(device);
        return ca_wire_device(device);
    }
    experiment = ca_simulation_experiment(engine->simulation);
    count = ca_devices_of(experiment->backend, &experiment->options, device);
    energy = device[0].energy_j;
    json = ca_wire_device(device);
    each = json_array();
    for (int i = 0; i < count; i++) {
        energy = i > 0 ? ca_fact_plus(energy, device[i].energy_j) : energy;
        json_array_append_new(each, ca_wire_device(&device[i]));
    }
    if (count > 1)
        json_object_set(json, "devices", each);
    json_decref(each);
    take_energy(engine, energy);
    ca_wire_set_fact(json, CA_WIRE_JOULES, engine->joules);
    if (engine->ceilings_others[0])
        json_object_set_new(json, "ceilings_others", ca_json_text(engine->ceilings_others));
    return json;
}
